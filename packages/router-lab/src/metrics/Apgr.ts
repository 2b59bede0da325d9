/** One figure for how good a ranking is. `Metrics.ts` has the rest. */
import { figuresOf, outcomeSetOf, rank } from "./Metrics.ts"

export interface Outcome {
  readonly score: number
  readonly weak: number
  readonly strong: number
  /** How much the prompt counts; 1 when absent. */
  readonly weight?: number
}

/** RouteLLM's average performance gap recovered, see `Figures`. NaN when the strong model is no better. */
export const apgr = (outcomes: ReadonlyArray<Outcome>): number =>
  figuresOf(
    outcomeSetOf(outcomes),
    rank(outcomes.map(({ score }) => score)),
    outcomes.map(({ weight }) => weight ?? 1)
  ).apgr
