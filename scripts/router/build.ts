/**
 * Trains the model behind `model: "auto"` and says how good it is on sources it has not seen.
 *
 *   npm run router:build [-- --check]
 *
 * Reads `router/` under `GATEWAY_DATA`, else `../shared/data`, and writes packages/gateway/src/classifier/model/default-model.json. The same
 * data give the same file, bit by bit. `--check` writes nothing and fails when the committed file is not what training gives.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { featureSet } from "../../packages/gateway/src/classifier/features/PromptFeatures.ts"
import {
  type TrainingCard,
  encodeModelFile,
  FORMAT,
  type ModelFile,
  VERSION
} from "../../packages/gateway/src/classifier/model/ModelFile.ts"
import { make } from "../../packages/router-lab/src/training/PoolTraining.ts"
import { dataFolder, noData, type Pool, readPool, root } from "./data.ts"
import { leaveFamiliesOut } from "./leave-out.ts"

const modelFile = join(root, "packages/gateway/src/classifier/model/default-model.json")

const licences: Readonly<Record<string, string>> = {
  mmlupro: "Apache-2.0",
  arenabench: "Apache-2.0",
  rb: "MIT",
  lr: "MIT"
}

const cardOf = (pool: Pool): TrainingCard => {
  const { examples } = pool
  const unseen = leaveFamiliesOut(pool)
  const rounded = (figure: number): number => Number(figure.toFixed(3))
  return {
    name: "default",
    date: "2026-11-22",
    licence: "Apache-2.0",
    seed: 0,
    data: [...Map.groupBy(examples, ({ source }) => source)].map(([source, rows]) => ({
      source,
      rows: rows.length,
      licence: licences[source.split("_")[0]!]!
    })),
    evaluation: [
      {
        measure: "APGR within a source whose family was left out of training, mean",
        value: rounded(unseen.within),
        prompts: examples.length
      },
      {
        measure: "APGR of all sources mixed in equal parts, each scored without its family",
        value: rounded(unseen.mixed),
        prompts: examples.length
      },
      ...unseen.bySource.map(({ apgr, rows, source }) => ({
        measure: `APGR of ${source}, its family left out of training`,
        value: rounded(apgr),
        prompts: rows
      }))
    ],
    weaknesses: [
      "Nearly all labels are of English exam questions in the sciences, short code tasks and look-ups; long conversations and other languages have few or none.",
      "It counts forms and words, not meaning: a hard question in plain short words scores low, and other words for the same may move it.",
      "On MMLU and GSM8K, with no label of either, it ranks no better than prompt length does: a little better on the first, worse on the second.",
      "That proofs, designs and code go up rests on what the buckets mean; the labelled sources have no proofs.",
      "What lies between the first 4,000 and the last 2,000 characters is not read."
    ]
  }
}

/** The file that the data in `folder` give. The same for the same data. */
export const build = (folder: string): ModelFile => {
  const pool = readPool(folder)
  return {
    format: FORMAT,
    version: VERSION,
    features: featureSet,
    card: cardOf(pool),
    ...make(pool.examples, pool.questions, pool.reference),
    tuned: null
  }
}

const main = (): void => {
  const folder = dataFolder()
  if (folder === undefined) {
    console.error(noData)
    process.exitCode = 1
    return
  }
  const model = build(folder)
  const text = encodeModelFile(model)
  const name = modelFile.slice(dirname(root).length + 1)
  if (process.argv.includes("--check")) {
    const same = readFileSync(modelFile, "utf8") === text
    console.log(same ? `${name} is what training gives.` : `${name} is NOT what training gives.`)
    process.exitCode = same ? 0 : 1
    return
  }
  writeFileSync(modelFile, text)
  console.log(`wrote ${name}, ${text.length} bytes`)
  for (const { measure, prompts, value } of model.card.evaluation)
    console.log(`${value.toFixed(3)}  ${measure} (${prompts} prompts)`)
}

if (import.meta.main) main()
