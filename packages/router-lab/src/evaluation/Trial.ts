/** How much better what was learnt ranks prompts it has not seen than the model that ships. */
import { seededRandom } from "../SeededRandom.ts"
import { bootstrap, type Estimate, type Estimates, estimatesOf, lead } from "./Bootstrap.ts"
import { type FigureName, outcomeSetOf, rank } from "../metrics/Metrics.ts"
import type { Completed } from "../training/TrainingRows.ts"

export interface Comparison {
  /** Prompts it was measured on. */
  readonly rows: number
  /** One side of many of them is a guess, so the figures are, too. */
  readonly isGuess: boolean
  readonly before: Estimates
  readonly after: Estimates
  /** How far the APGR after is above the one before. */
  readonly lead: Estimate
}

export interface Measure {
  readonly key: FigureName
  readonly name: string
  readonly better: "higher" | "lower"
}

/** What is shown of a comparison, in this order. */
export const measures: ReadonlyArray<Measure> = [
  { key: "apgr", name: "APGR", better: "higher" },
  { key: "cpt50", name: "CPT50", better: "lower" },
  { key: "cpt80", name: "CPT80", better: "lower" },
  { key: "costAtEqualQuality", name: "cost at 95 % of the strong side's quality", better: "lower" }
]

/** Fewer prompts that know both sides can't be measured on alone. */
const LEAST = 20

/**
 * Compares two scores of each of `rows`: on those that know both sides, or where these are too few on all, guesses and all. Costs
 * count only where all of them say what both sides cost. `seed` is the bootstrap's.
 */
export const compare = (
  rows: ReadonlyArray<Completed>,
  before: ArrayLike<number>,
  after: ArrayLike<number>,
  seed: number
): Comparison => {
  const all = rows.map((row, index) => ({ ...row, index }))
  const whole = all.filter(({ importance }) => importance === 1)
  const isGuess = whole.length < LEAST
  const measured = isGuess ? all : whole
  const isPriced = measured.every(({ strongCost, weakCost }) => strongCost !== undefined && weakCost !== undefined)
  const set = outcomeSetOf(
    measured.map(({ strong, strongCost, weak, weakCost }) => ({
      weak,
      strong,
      ...(isPriced ? { weakCost: weakCost!, strongCost: strongCost! } : {})
    }))
  )
  const rankings = {
    before: rank(measured.map(({ index }) => before[index]!)),
    after: rank(measured.map(({ index }) => after[index]!))
  }
  const draws = bootstrap(set, rankings, { random: seededRandom(seed) })
  return {
    rows: measured.length,
    isGuess,
    before: estimatesOf(draws.before),
    after: estimatesOf(draws.after),
    lead: lead(draws.after, draws.before)
  }
}
