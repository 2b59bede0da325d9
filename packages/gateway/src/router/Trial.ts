/** How much better what was learnt ranks prompts it has not seen than the model that ships. */
import { seededRandom } from "./Evaluation.ts"
import { bootstrap, type Estimate, type Estimates, estimatesOf, lead } from "./evaluation/Bootstrap.ts"
import { type FigureName, outcomeSetOf, rank } from "./evaluation/Metrics.ts"
import type { SideOutcome } from "./TrainingRows.ts"

export interface Comparison {
  /** Rows that know both sides: only they can be measured on. */
  readonly rows: number
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

/**
 * Compares two scores of each of `rows`. Costs count only where all rows say what both sides cost. `seed` is the bootstrap's.
 */
export const compare = (
  rows: ReadonlyArray<{ readonly weak: SideOutcome | undefined; readonly strong: SideOutcome | undefined }>,
  before: ArrayLike<number>,
  after: ArrayLike<number>,
  seed: number
): Comparison => {
  const known = rows.flatMap(({ strong, weak }, index) =>
    strong === undefined || weak === undefined ? [] : [{ strong, weak, index }]
  )
  const isPriced = known.every(({ strong, weak }) => strong.costUsd !== undefined && weak.costUsd !== undefined)
  const set = outcomeSetOf(
    known.map(({ strong, weak }) => ({
      weak: weak.quality,
      strong: strong.quality,
      ...(isPriced ? { weakCost: weak.costUsd!, strongCost: strong.costUsd! } : {})
    }))
  )
  const rankings = {
    before: rank(known.map(({ index }) => before[index]!)),
    after: rank(known.map(({ index }) => after[index]!))
  }
  const draws = bootstrap(set, rankings, { random: seededRandom(seed) })
  return {
    rows: known.length,
    before: estimatesOf(draws.before),
    after: estimatesOf(draws.after),
    lead: lead(draws.after, draws.before)
  }
}
