/** A model made ready: numbers in typed arrays. */
import { type CompiledLinear, linearScore, prepareLinear, type Scorer, scorerOf } from "./Tuned.ts"
import type { ModelFile } from "./ModelFile.ts"
import { type Edition, LATEST } from "../features/Lexicon.ts"
import { editionOf, extract } from "../features/PromptFeatures.ts"
import { askedIn } from "../features/PromptScan.ts"
import { withoutCourtesy } from "../small-talk/Courtesy.ts"
import { partOf } from "./Pools.ts"
import { readWords, type PromptWords } from "../features/Words.ts"

export interface CompiledModel {
  readonly file: ModelFile
  readonly edition: Edition
  readonly linear: CompiledLinear
  readonly pool: Scorer | null
  readonly tuned: Scorer | null
  /** Whether the words of a prompt say anything. */
  readonly readsWords: boolean
  readonly quantiles: Float64Array
}

export const prepare = (file: ModelFile): CompiledModel => {
  const linear = prepareLinear(file.linear)
  const pool = partOf(file.pool)
  return {
    file,
    edition: editionOf(file.features) ?? LATEST,
    linear,
    pool: pool === undefined ? null : scorerOf(pool, linear),
    tuned: file.tuned === null ? null : scorerOf(file.tuned, linear),
    readsWords: (pool !== undefined && pool.words !== null) || (file.tuned !== null && file.tuned.words !== null),
    quantiles: Float64Array.from(file.quantiles)
  }
}

/** A prompt as `model` looks at it. The words are null where they say nothing, and else valid until the next call. */
export const read = (
  { edition, readsWords }: CompiledModel,
  prompt: string
): { readonly features: Float64Array; readonly words: PromptWords | null } => {
  const asked = askedIn(prompt, edition)
  const features = extract(prompt, edition, asked)
  // The first edition's words were also those of what is given.
  return {
    features,
    words: readsWords ? readWords(prompt, edition === 1 ? [withoutCourtesy(prompt)] : asked.parts) : null
  }
}

/** The score before anything was learnt from an operator's own outcomes: what learning starts from. */
export const poolScore = (
  { linear, pool }: Pick<CompiledModel, "linear" | "pool">,
  features: Float64Array,
  words: PromptWords | null
): number => {
  const score = linearScore(linear, features)
  return pool === null ? score : pool(score, features, words)
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
