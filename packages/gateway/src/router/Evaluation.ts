/** One figure for how good a ranking is, and the random numbers of everything that is seeded. `evaluation/` has the rest. */
import { figuresOf, outcomeSetOf, rank } from "./evaluation/Metrics.ts"

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

/** A stream of numbers 0 ≤ x < 1 that is the same for the same seed (mulberry32). */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
