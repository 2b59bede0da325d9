/** A model made ready: numbers in typed arrays, once, so that a decision only adds and multiplies. */
import { type CompiledLinear, linearScore, prepareLinear } from "./LinearModel.ts"
import type { ModelFile } from "./ModelFile.ts"
import { compileTuned, type Tuned } from "./Tuned.ts"

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
