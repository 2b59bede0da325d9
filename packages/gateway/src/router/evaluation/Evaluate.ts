/** How good a model is on outcomes that are known: all figures with their intervals, beside what anyone could do. */
import { Result } from "effect"
import { classify } from "../Classifier.ts"
import type { CompiledModel } from "../Model.ts"
import type { OutcomeRow } from "../Outcomes.ts"
import { bootstrap, DEFAULT_DRAWS, type Estimate, type Estimates, estimatesOf, lead } from "./Bootstrap.ts"
import { outcomeSetOf } from "./Metrics.ts"
import { type Pair, pairIn } from "./Pair.ts"
import { type Baseline, besideOthers } from "./Rankings.ts"

/** With fewer the intervals are wider than anything a router could gain. */
export const LEAST_ROWS = 50

export interface Evaluation {
  readonly pair: Pair
  /** Rows with outcomes of both. */
  readonly rows: number
  /** Mean quality, and mean cost of a request in USD: undefined unless every row says what both cost. */
  readonly weak: { readonly quality: number; readonly costUsd: number | undefined }
  readonly strong: { readonly quality: number; readonly costUsd: number | undefined }
  readonly rankings: Readonly<Record<Baseline | "ours", Estimates>>
  /** APGR of ours less that of prompt length. */
  readonly ahead: Estimate
}

export interface EvaluateOptions {
  readonly model: CompiledModel
  /** 0 ≤ x < 1. */
  readonly random: () => number
  readonly pair?: Partial<Pair>
  readonly draws?: number
}

/** Fails with a sentence that says why these rows don't do. */
export const evaluate = (
  all: ReadonlyArray<OutcomeRow>,
  { draws = DEFAULT_DRAWS, model, pair: named, random }: EvaluateOptions
): Result.Result<Evaluation, string> =>
  Result.flatMap(pairIn(all, named), (pair) => {
    const rows = all.flatMap(({ outcomes, prompt }) => {
      const [weak, strong] = [outcomes.get(pair.weak), outcomes.get(pair.strong)]
      return weak === undefined || strong === undefined ? [] : [{ prompt, weak, strong }]
    })
    if (rows.length < LEAST_ROWS) {
      return Result.fail(
        `${rows.length} of ${all.length} rows have outcomes of both ${pair.weak} and ${pair.strong}; at least ${LEAST_ROWS} are needed`
      )
    }
    const isPriced = rows.every(({ strong, weak }) => weak.costUsd !== undefined && strong.costUsd !== undefined)
    const set = outcomeSetOf(
      rows.map(({ strong, weak }) => ({
        weak: weak.quality,
        strong: strong.quality,
        weakCost: isPriced ? weak.costUsd! : 0,
        strongCost: isPriced ? strong.costUsd! : 0
      }))
    )
    const side = (quality: Float64Array, cost: Float64Array) => ({
      quality: meanOf(quality),
      costUsd: isPriced ? meanOf(cost) : undefined
    })
    const [weak, strong] = [side(set.weak, set.weakCost), side(set.strong, set.strongCost)]
    if (strong.quality <= weak.quality) {
      return Result.fail(
        `${pair.strong} is no better than ${pair.weak} on these ${rows.length} rows (mean quality ${strong.quality.toFixed(3)} and ${weak.quality.toFixed(3)}): there is nothing to route for. Another pair can be named`
      )
    }
    const prompts = rows.map(({ prompt }) => prompt)
    const rankings = besideOthers(set, prompts, { ours: prompts.map((prompt) => classify(prompt, model).score) })
    const found = bootstrap(set, rankings, { random, draws })
    return Result.succeed({
      pair,
      rows: rows.length,
      weak,
      strong,
      rankings: {
        random: estimatesOf(found.random),
        length: estimatesOf(found.length),
        ours: estimatesOf(found.ours),
        oracle: estimatesOf(found.oracle)
      },
      ahead: lead(found.ours, found.length)
    })
  })

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length
