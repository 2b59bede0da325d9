/** How good a way of training is on families of sources it has not seen: all that its settings are chosen by. */
import { apgr } from "../../packages/router-lab/src/metrics/Apgr.ts"
import { rankOf } from "../../packages/gateway/src/classifier/model/Model.ts"
import { linearScore, prepareLinear, scorerOf } from "../../packages/gateway/src/classifier/model/Tuned.ts"
import {
  defaultSettings,
  fitQuestions,
  make,
  type PoolSettings
} from "../../packages/router-lab/src/training/PoolTraining.ts"
import { mean } from "../../packages/router-lab/src/training/Ridge.ts"
import { type Example, regressionOn } from "../../packages/router-lab/src/training/Training.ts"
import { EXAM, type Pool } from "./data.ts"

/** APGR on families that a model has not seen: by source, MMLU-Pro being one, and of all of them mixed in equal parts. */
export const leaveFamiliesOut = (
  { examples, questions }: Pick<Pool, "examples" | "questions">,
  settings: PoolSettings = defaultSettings
) => {
  // What it learns hangs on the questions alone, and they are there or not.
  const fitted = fitQuestions(regressionOn(examples, settings.regression), questions, settings)
  const unseen = [...Map.groupBy(examples, ({ family }) => family)].flatMap(([family, held]) => {
    const others = examples.filter((example) => example.family !== family)
    const model = make(others, family === EXAM ? [] : questions, others, settings, fitted)
    const linear = prepareLinear(model.linear)
    const pool = model.pool === undefined ? undefined : scorerOf(model.pool, linear)
    return held.map((example) => {
      const { features, words } = example
      const score = linearScore(linear, features)
      return {
        ...example,
        source: family === EXAM ? EXAM : example.source,
        score: rankOf(model.quantiles, pool === undefined ? score : pool(score, features, words))
      }
    })
  })
  const groups = [...Map.groupBy(unseen, ({ source }) => source)]
  const mixed = groups.flatMap(([, rows]) => rows.map((row) => ({ ...row, weight: 1 / rows.length })))
  const bySource = groups.map(([source, rows]) => ({
    source,
    rows: rows.length,
    apgr: apgr(rows),
    trust: trustOf(rows)
  }))
  const trust = bySource.reduce((sum, row) => sum + row.trust, 0)
  return { bySource, within: bySource.reduce((sum, row) => sum + row.apgr * row.trust, 0) / trust, mixed: apgr(mixed) }
}

/**
 * What a source's word is worth: one over the variance of an APGR measured on it, up to a factor. No source counts for more than
 * 1,000 prompts, and one whose strong model is no better says nothing.
 */
const trustOf = (rows: ReadonlyArray<Pick<Example, "weak" | "strong">>): number => {
  const gaps = rows.map(({ strong, weak }) => strong - weak)
  const gap = mean(gaps)
  const variance = mean(gaps.map((each) => (each - gap) ** 2))
  return variance > 1e-12 ? (Math.min(rows.length, 1000) * gap * gap) / variance : rows.length
}
