/** What is learnt from the rows of an outcomes file. */
import { createHash } from "node:crypto"
import { extract } from "@model-gateway/gateway/internal/classifier/features/PromptFeatures"
import type { LearnRow } from "./Learn.ts"
import type { OutcomeRow } from "./Outcomes.ts"
import { momentsOf, ridge } from "./Ridge.ts"
import type { Sides } from "./Sides.ts"
import { type PromptWords, wordsOf } from "@model-gateway/gateway/internal/classifier/features/Words"

/** What became of a prompt that need not be known. */
export interface Keyed {
  /** The same for the same prompt. */
  readonly key: string
  readonly outcomes: OutcomeRow["outcomes"]
}

export const keyOf = ({ features, prompt }: OutcomeRow): string =>
  createHash("sha256")
    .update(features === undefined ? prompt : JSON.stringify(Array.from(features)))
    .digest("base64")

/** What is kept of a row to learn from: no text. */
interface ReadRow extends Keyed {
  readonly features: Float64Array
  readonly words: PromptWords | null
}

/** Reduces a row of the file to what learning needs. */
export const reduceRow = (row: OutcomeRow): ReadRow => ({
  features: row.features ?? extract(row.prompt),
  words: row.features === undefined ? wordsOf(row.prompt) : null,
  key: keyOf(row),
  outcomes: row.outcomes
})

/** Quality and cost of a side that answered. Several deployments of a side, and several answers to a prompt, count with their mean. */
interface SideOutcome {
  readonly quality: number
  readonly costUsd: number | undefined
}

/** What became of a prompt, by side. */
interface BothSides {
  readonly weak: SideOutcome | undefined
  readonly strong: SideOutcome | undefined
}

/** A prompt and what became of it. */
export interface Sided extends BothSides {
  readonly features: Float64Array
  readonly words: PromptWords | null
}

/** The prompts for which at least one of `sides` is known. Rows of the same prompt are one: learning and measuring never share a prompt. */
export const sidedRows = <Row extends Keyed>(rows: ReadonlyArray<Row>, sides: Sides): ReadonlyArray<Row & BothSides> =>
  [...Map.groupBy(rows, ({ key }) => key).values()].flatMap((same) => {
    const weak = meanOutcome(same, sides.weak)
    const strong = meanOutcome(same, sides.strong)
    return weak === undefined && strong === undefined ? [] : [{ ...same[0]!, weak, strong }]
  })

const meanOutcome = (rows: ReadonlyArray<Keyed>, names: ReadonlyArray<string>): SideOutcome | undefined => {
  const found = rows.flatMap(({ outcomes }) => names.flatMap((name) => outcomes.get(name) ?? []))
  if (found.length === 0) return undefined
  const costs = found.flatMap(({ costUsd }) => costUsd ?? [])
  return {
    quality: found.reduce((sum, { quality }) => sum + quality, 0) / found.length,
    costUsd: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0) / costs.length
  }
}

/** A row of which one side is a guess. */
const GUESSED = 0.5
/** Rows of zero: few rows guess the mean of the side, many what the features say. */
const PENALTY = 100

/** What to learn from a prompt: both sides, where one may be a guess. */
export interface Completed extends LearnRow {
  readonly weak: number
  readonly strong: number
  /** Undefined where it, or its side, is unknown. */
  readonly weakCost: number | undefined
  readonly strongCost: number | undefined
}

/**
 * Both sides of each row. Where one is unknown, its quality is what a ridge regression on the features expects, learnt from the rows
 * that know that side, and the row counts half: the gateway sent that prompt one way for a reason, so the mean alone would be the
 * quality of other prompts. At least one row must know each side.
 */
export const completed = (rows: ReadonlyArray<Sided>): ReadonlyArray<Completed> => {
  const isWhole = rows.every(({ strong, weak }) => weak !== undefined && strong !== undefined)
  const expected = isWhole ? undefined : { weak: expectation(rows, "weak"), strong: expectation(rows, "strong") }
  return rows.map(({ features, strong, weak, words }) => {
    const qualities = {
      weak: weak?.quality ?? expected!.weak(features),
      strong: strong?.quality ?? expected!.strong(features)
    }
    return {
      features,
      words,
      ...qualities,
      weakCost: weak?.costUsd,
      strongCost: strong?.costUsd,
      gap: qualities.strong - qualities.weak,
      importance: weak === undefined || strong === undefined ? GUESSED : 1
    }
  })
}

const expectation = (rows: ReadonlyArray<Sided>, side: "weak" | "strong"): ((features: Float64Array) => number) => {
  const known = rows.flatMap((row) => {
    const outcome = row[side]
    return outcome === undefined ? [] : [{ features: row.features, quality: outcome.quality }]
  })
  const width = known[0]!.features.length
  const means = new Float64Array(width)
  const deviations = new Float64Array(width)
  for (const { features } of known) for (let i = 0; i < width; i++) means[i]! += features[i]! / known.length
  for (const { features } of known) {
    for (let i = 0; i < width; i++) deviations[i]! += (features[i]! - means[i]!) ** 2 / known.length
  }
  const standard = (features: Float64Array): Float64Array =>
    features.map((value, i) =>
      Math.max(-2.5, Math.min(2.5, (value - means[i]!) / Math.sqrt(Math.max(1e-12, deviations[i]!))))
    )
  const inputs = known.map(({ features }) => standard(features))
  const labels = known.map(({ quality }) => quality)
  const weights = ridge(momentsOf(inputs, labels), PENALTY / known.length)
  const centre = new Float64Array(width)
  for (const input of inputs) for (let i = 0; i < width; i++) centre[i]! += input[i]! / inputs.length
  const mean = labels.reduce((sum, label) => sum + label, 0) / labels.length
  return (features) => {
    const input = standard(features)
    let quality = mean
    for (let i = 0; i < width; i++) quality += weights[i]! * (input[i]! - centre[i]!)
    return Math.max(0, Math.min(1, quality))
  }
}
