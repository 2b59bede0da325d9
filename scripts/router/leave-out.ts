/** How good a way of training is on sources it has not seen: all that its settings are chosen by. */
import { apgr } from "../../packages/gateway/src/classifier/metrics/Apgr.ts"
import { linearScore, prepareLinear } from "../../packages/gateway/src/classifier/model/LinearModel.ts"
import {
  type Example,
  train,
  type TrainingSettings,
  trustOf
} from "../../packages/gateway/src/classifier/training/Training.ts"

/** `lr_mbpp` and `rb_mbpp` are one data set: left out together. */
const familyOf = (source: string): string => source.replace(/^(lr|rb)_/, "")

/** APGR on sources that a model has not seen: by source, and of all of them mixed in equal parts. */
export const leaveSourcesOut = (examples: ReadonlyArray<Example>, settings: TrainingSettings) => {
  const unseen = [...Map.groupBy(examples, ({ source }) => familyOf(source)).values()].flatMap((held) => {
    const others = examples.filter((example) => !held.includes(example))
    const reference = others.map(({ features }) => features)
    const linear = prepareLinear(train(others, reference, settings).linear)
    return held.map((example) => ({ ...example, score: linearScore(linear, example.features) }))
  })
  const sources = [...Map.groupBy(unseen, ({ source }) => source)]
  const mixed = sources.flatMap(([, rows]) => rows.map((row) => ({ ...row, weight: 1 / rows.length })))
  const bySource = sources.map(([source, rows]) => ({
    source,
    rows: rows.length,
    apgr: apgr(rows),
    trust: trustOf(rows)
  }))
  const trust = bySource.reduce((sum, row) => sum + row.trust, 0)
  return { bySource, within: bySource.reduce((sum, row) => sum + row.apgr * row.trust, 0) / trust, mixed: apgr(mixed) }
}
