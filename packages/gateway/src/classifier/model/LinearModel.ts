/** The linear part of a model: in its file, and made ready. */
import { Schema } from "effect"

const above = (least: number) =>
  Schema.makeFilter<number>((value) => (value > least ? undefined : `Expected a number above ${least}, got ${value}`))

const FeatureWeight = Schema.Struct({
  /** As in `featureNames`, in the same order. */
  name: Schema.String,
  /** Over the training sources, each counting the same. */
  mean: Schema.Finite,
  deviation: Schema.Finite.check(above(0)),
  /** What one standard deviation adds to the raw score, in ranks: 0.1 moves a typical prompt up by about a tenth of the mix. */
  weight: Schema.Finite
})

export const Linear = Schema.Struct({
  /** Deviations from the mean count up to this many standard deviations: no feature decides alone. */
  clip: Schema.Finite.check(above(0)),
  features: Schema.Array(FeatureWeight)
})
export type Linear = typeof Linear.Type

export interface CompiledLinear {
  readonly names: ReadonlyArray<string>
  readonly means: Float64Array
  readonly deviations: Float64Array
  readonly weights: Float64Array
  readonly clip: number
}

export const prepareLinear = ({ clip, features }: Linear): CompiledLinear => ({
  names: features.map(({ name }) => name),
  means: Float64Array.from(features, ({ mean }) => mean),
  deviations: Float64Array.from(features, ({ deviation }) => deviation),
  weights: Float64Array.from(features, ({ weight }) => weight),
  clip
})

/** What feature `index` adds to the raw score when its value is `value`, in ranks. */
export const contribution = (
  { clip, deviations, means, weights }: CompiledLinear,
  index: number,
  value: number
): number => weights[index]! * Math.max(-clip, Math.min(clip, (value - means[index]!) / deviations[index]!))

/** The linear score of a prompt with these features. */
export const linearScore = (linear: CompiledLinear, features: ArrayLike<number>): number => {
  let sum = 0
  for (let i = 0; i < linear.weights.length; i++) sum += contribution(linear, i, features[i]!)
  return sum
}
