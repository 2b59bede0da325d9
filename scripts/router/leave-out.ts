/** How good a way of training is on families of sources it has not seen: all that its settings are chosen by. */
import { apgr } from "../../packages/gateway/src/classifier/metrics/Apgr.ts"
import { rankOf } from "../../packages/gateway/src/classifier/model/Model.ts"
import { linearScore, prepareLinear } from "../../packages/gateway/src/classifier/model/LinearModel.ts"
import { scorerOf } from "../../packages/gateway/src/classifier/model/Tuned.ts"
import {
  defaultSettings,
  fitQuestions,
  make,
  type PoolSettings
} from "../../packages/gateway/src/classifier/training/PoolTraining.ts"
import {
  defaultSettings as sources,
  meanOfSources,
  trustOf
} from "../../packages/gateway/src/classifier/training/Training.ts"
import type { Pool } from "./data.ts"

const EXAM = "mmlupro"

/** `lr_mbpp` and `rb_mbpp` are one data set, and so are the subjects of MMLU-Pro: left out together. */
const familyOf = (source: string): string => (source.startsWith(EXAM) ? EXAM : source.replace(/^(lr|rb)_/, ""))

/** APGR on families that a model has not seen: by source, MMLU-Pro being one, and of all of them mixed in equal parts. */
export const leaveFamiliesOut = (
  { examples, questions }: Pick<Pool, "examples" | "questions">,
  settings: PoolSettings = defaultSettings
) => {
  // What it learns hangs on the questions alone, and they are there or not.
  const fitted = fitQuestions(meanOfSources(examples, sources), questions, settings)
  const unseen = [...Map.groupBy(examples, ({ source }) => familyOf(source))].flatMap(([family, held]) => {
    const others = examples.filter(({ source }) => familyOf(source) !== family)
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
