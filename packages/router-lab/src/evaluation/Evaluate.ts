/** How good a model is on outcomes that are known: all figures with their intervals, beside what anyone could do. */
import { Result } from "effect"
import { classify } from "@model-gateway/gateway/internal/classifier/PromptScore"
import type { CompiledModel } from "@model-gateway/gateway/internal/classifier/model/Model"
import type { OutcomeRow } from "../training/Outcomes.ts"
import type { Sides } from "../training/Sides.ts"
import { type Keyed, keyOf, sidedRows } from "../training/TrainingRows.ts"
import { bootstrap, DEFAULT_DRAWS, type Estimate, type Estimates, estimatesOf, lead } from "./Bootstrap.ts"
import { outcomeSetOf } from "../metrics/Metrics.ts"
import { type Baseline, besideOthers } from "./Rankings.ts"

/** Prompts. With fewer the intervals are wider than anything a router could gain. */
const LEAST_PROMPTS = 50

/** What is kept of a row once its prompt is scored. */
interface ScoredRow extends Keyed {
  /** Characters; undefined where the row has features in place of a prompt. */
  readonly length: number | undefined
  readonly score: number
}

export const scoreRow =
  (model: CompiledModel) =>
  (row: OutcomeRow): ScoredRow => ({
    length: row.features === undefined ? row.prompt.length : undefined,
    score: row.features === undefined ? classify(row.prompt, model).score : 0,
    key: keyOf(row),
    outcomes: row.outcomes
  })

/** Means over the prompts of an evaluation. */
export interface SideMeans {
  readonly quality: number
  /** USD of a request; undefined unless it is known of every prompt what both sides cost. */
  readonly costUsd: number | undefined
}

export interface Evaluation {
  readonly sides: Sides
  /** Prompts whose text and both sides are known; rows of the same prompt are one. */
  readonly prompts: number
  readonly weak: SideMeans
  readonly strong: SideMeans
  readonly rankings: Readonly<Record<Baseline | "ours", Estimates>>
  /** APGR of ours less that of prompt length. */
  readonly ahead: Estimate
}

/** Fails with a sentence that says why these rows don't do. `random`: 0 ≤ x < 1. */
export const evaluate = (
  all: ReadonlyArray<ScoredRow>,
  sides: Sides,
  random: () => number,
  draws: number = DEFAULT_DRAWS
): Result.Result<Evaluation, string> => {
  const rows = sidedRows(all, sides).flatMap(({ length, score, strong, weak }) =>
    length === undefined || weak === undefined || strong === undefined ? [] : [{ length, score, weak, strong }]
  )
  const [weakNames, strongNames] = [sides.weak.join(", "), sides.strong.join(", ")]
  if (rows.length < LEAST_PROMPTS) {
    return Result.fail(
      `the ${all.length} rows have ${rows.length} different prompts whose outcomes on both sides (${weakNames} and ${strongNames}) are known; at least ${LEAST_PROMPTS} are needed`
    )
  }
  const isPriced = rows.every(({ strong, weak }) => weak.costUsd !== undefined && strong.costUsd !== undefined)
  const set = outcomeSetOf(
    rows.map(({ strong, weak }) => ({
      weak: weak.quality,
      strong: strong.quality,
      ...(isPriced ? { weakCost: weak.costUsd!, strongCost: strong.costUsd! } : {})
    }))
  )
  const means = (quality: Float64Array, cost: Float64Array): SideMeans => ({
    quality: meanOf(quality),
    costUsd: isPriced ? meanOf(cost) : undefined
  })
  const [weak, strong] = [means(set.weak, set.weakCost), means(set.strong, set.strongCost)]
  if (strong.quality <= weak.quality) {
    return Result.fail(
      `${strongNames} responded no better than ${weakNames} to these ${rows.length} prompts (mean quality ${strong.quality.toFixed(3)} and ${weak.quality.toFixed(3)}): routing gains nothing. Name other sides with --weak and --strong`
    )
  }
  const rankings = besideOthers(
    set,
    rows.map(({ length }) => length),
    { ours: rows.map(({ score }) => score) }
  )
  const found = bootstrap(set, rankings, { random, draws })
  return Result.succeed({
    sides,
    prompts: rows.length,
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
}

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length
