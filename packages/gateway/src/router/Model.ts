/** A model made ready: numbers in typed arrays, once, so that a decision only adds and multiplies. */
import type { Linear, ModelFile } from "./ModelFile.ts"
import { compileTuned } from "./Tuned.ts"

/**
 * What was learnt on top of the linear part: the raw score of a prompt, given the linear one, its features and its text. Pure,
 * finite, and of the same scale as the linear score.
 */
export type Tuned = (linear: number, features: Float64Array, prompt: string) => number

export interface CompiledLinear {
  readonly names: ReadonlyArray<string>
  readonly means: Float64Array
  readonly deviations: Float64Array
  readonly weights: Float64Array
  readonly clip: number
}

export interface CompiledModel {
  readonly file: ModelFile
  readonly linear: CompiledLinear
  readonly tuned: Tuned | null
  readonly quantiles: Float64Array
}

/** Prepares a decoded file. */
export const prepare = (file: ModelFile): CompiledModel => {
  const linear = prepareLinear(file.linear)
  return {
    file,
    linear,
    tuned: file.tuned === null ? null : compileTuned(file.tuned, linear),
    quantiles: Float64Array.from(file.quantiles)
  }
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

/** The score before it is made a rank: what training and evaluation compare prompts by. */
export const rawScore = ({ linear, tuned }: CompiledModel, features: Float64Array, prompt: string): number => {
  const score = linearScore(linear, features)
  return tuned === null ? score : tuned(score, features, prompt)
}

/** The share of the reference mix that scores lower, 0 to 1, interpolated and rounded to four decimals. Never falls as `raw` rises. */
export const rankOf = (quantiles: ArrayLike<number>, raw: number): number => {
  const last = quantiles.length - 1
  if (raw <= quantiles[0]!) return 0
  // Also what is no number, as absurd weights of a file from elsewhere make it: who knows nothing asks the strongest.
  if (!(raw < quantiles[last]!)) return 1
  let low = 0
  let high = last
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (quantiles[middle]! <= raw) low = middle
    else high = middle
  }
  const within = (raw - quantiles[low]!) / (quantiles[high]! - quantiles[low]!)
  return Math.round(((low + within) / last) * 10_000) / 10_000
}
