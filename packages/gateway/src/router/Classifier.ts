/**
 * How demanding a prompt is: the score that `model: "auto"` routes by, and the words that explain it. Pure, in process, and
 * without state: the same prompt always gets the same score.
 */
import { defaultModel } from "./DefaultModel.ts"
import { extract } from "./Features.ts"
import { contribution, type Model, rankOf } from "./Model.ts"
import { isBlank } from "./Scan.ts"

export interface Classification {
  /** Rank of the prompt within the reference mix, 0 to 1, at most four decimals: 0.7 means 30 % of the mix needs a strong model more. */
  readonly score: number
  /** The features that moved it most, strongest first, with what each added, in ranks: `code marks +0.12`. */
  readonly reasons: ReadonlyArray<string>
}

const REASONS = 4
/** Smaller contributions are noise to a reader. */
const WORTH_SAYING = 0.01

/** Classifies the text of one user message. Reads its first 4,000 and last 2,000 characters. */
export const classify = (prompt: string, model: Model = defaultModel): Classification => {
  if (isBlank(prompt)) return { score: 0, reasons: ["no text"] }
  const values = extract(prompt)
  const added = new Float64Array(values.length)
  let raw = 0
  for (let i = 0; i < values.length; i++) {
    added[i] = contribution(model, i, values[i]!)
    raw += added[i]!
  }
  return { score: rankOf(model, raw), reasons: strongest(model, added) }
}

const strongest = (model: Model, added: Float64Array): ReadonlyArray<string> => {
  const top: Array<number> = []
  for (let i = 0; i < added.length; i++) {
    const size = Math.abs(added[i]!)
    if (size < WORTH_SAYING) continue
    let place = top.length
    while (place > 0 && Math.abs(added[top[place - 1]!]!) < size) place--
    if (place < REASONS) top.splice(place, 0, i)
    if (top.length > REASONS) top.pop()
  }
  return top.map((i) => `${model.features[i]!.name} ${added[i]! < 0 ? "-" : "+"}${Math.abs(added[i]!).toFixed(2)}`)
}

/**
 * The bucket of a score. `buckets` are lowest first, `cutPoints` ascending and one fewer; a score equal to a cut point is in the
 * bucket above it.
 */
export const bucketOf = (score: number, buckets: ReadonlyArray<string>, cutPoints: ReadonlyArray<number>): string => {
  let index = 0
  while (index < cutPoints.length && index < buckets.length - 1 && score >= cutPoints[index]!) index++
  return buckets[index]!
}
