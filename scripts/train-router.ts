/**
 * Trains the model behind `model: "auto"` and says how good it is.
 *
 *   node --conditions=model-gateway-source scripts/train-router.ts [--check | --search | --time]
 *
 * Reads `router/` under `GATEWAY_DATA`, else `../shared/data`, and writes packages/gateway/src/router/DefaultModel.ts. `--check`
 * writes nothing and fails when the committed file is not what training gives. `--search` prints the table the settings were
 * chosen from, and never looks at the benchmark. `--time` prints how long one decision takes.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { gunzipSync } from "node:zlib"
import { apgr, apgrInterval, type Outcome, seededRandom } from "../packages/gateway/src/router/Evaluation.ts"
import { extract } from "../packages/gateway/src/router/Features.ts"
import { type Model, rawScore } from "../packages/gateway/src/router/Model.ts"
import { defaultSettings, type Example, train, type TrainingSettings } from "../packages/gateway/src/router/Training.ts"

const root = resolve(import.meta.dirname, "..")
const modelFile = join(root, "packages/gateway/src/router/DefaultModel.ts")

/** Where the labelled prompts are; undefined where they are not. */
export const dataFolder = (): string | undefined => {
  const folder = join(process.env.GATEWAY_DATA ?? resolve(root, "../shared/data"), "router")
  return existsSync(join(folder, "train_pool.jsonl.gz")) ? folder : undefined
}

/** Sources whose labels come from the benchmarks' own data sets: their prompts are in the reference mix, their labels nowhere. */
const benchmarkSources = new Set(["lr_mmlu", "lr_gsm8k"])

interface Labelled {
  readonly src: string
  readonly p: string
  readonly w: number
  readonly s: number
}

interface Benchmarked extends Labelled {
  readonly contaminated: number
}

const rowsOf = <Row>(folder: string, name: string): ReadonlyArray<Row> =>
  gunzipSync(readFileSync(join(folder, `${name}.jsonl.gz`)))
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

/** RouterBench prompts begin with worked examples, the same for a whole source; what is asked comes after the last of them. */
const withoutWorkedExamples = (prompt: string): string => prompt.split(/Answer:\n[A-J]\n\n/).at(-1)!

const readPool = (folder: string) => {
  const pool: ReadonlyArray<Example> = rowsOf<Labelled>(folder, "train_pool").map(({ src, p, s, w }) => ({
    source: src,
    features: extract(withoutWorkedExamples(p)),
    weak: w,
    strong: s
  }))
  const arena = rowsOf<{ readonly p: string }>(folder, "arenahard_prompts").map(({ p }) => extract(p))
  return {
    all: pool,
    examples: pool.filter(({ source }) => !benchmarkSources.has(source)),
    reference: [...pool.map(({ features }) => features), ...arena]
  }
}

/** The model that the data in `folder` give. The same for the same data. */
export const trainFrom = (folder: string): Model => {
  const { examples, reference } = readPool(folder)
  return train(examples, reference)
}

/** `lr_mbpp` and `rb_mbpp` are one data set: left out together. */
const familyOf = (source: string): string => source.replace(/^(lr|rb)_/, "")

/** APGR on sources that a model has not seen: by source, and of all of them mixed in equal parts. */
const leaveSourcesOut = (examples: ReadonlyArray<Example>, settings: TrainingSettings) => {
  const unseen = [...Map.groupBy(examples, ({ source }) => familyOf(source)).values()].flatMap((held) => {
    const others = examples.filter((example) => !held.includes(example))
    const model = train(
      others,
      others.map(({ features }) => features),
      settings
    )
    return held.map((example) => ({ ...example, score: rawScore(model, example.features) }))
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

/** One over the variance of an APGR, up to a factor; no source counts for more than 1,000 prompts. */
const trustOf = (rows: ReadonlyArray<Example>): number => {
  const gaps = rows.map(({ strong, weak }) => strong - weak)
  const gap = gaps.reduce((sum, each) => sum + each, 0) / gaps.length
  const variance = gaps.reduce((sum, each) => sum + (each - gap) ** 2, 0) / gaps.length
  return (Math.min(rows.length, 1000) * gap * gap) / variance
}

const search = (examples: ReadonlyArray<Example>): void => {
  console.log("penalty within / between, weight of between, clip: APGR within unseen sources, mixed, their mean")
  for (const withinPenalty of [10, 30, 100]) {
    for (const betweenPenalty of [0.3, 1, 3]) {
      for (const betweenWeight of [0.5, 1, 2]) {
        for (const clip of [2.5, 3, 4]) {
          const { mixed, within } = leaveSourcesOut(examples, { withinPenalty, betweenPenalty, betweenWeight, clip })
          const figures = [within, mixed, (within + mixed) / 2].map((figure) => figure.toFixed(4)).join(" ")
          console.log(`${withinPenalty} / ${betweenPenalty}, ${betweenWeight}, ${clip}: ${figures}`)
        }
      }
    }
  }
}

/** Protocol A: MMLU and GSM8K, with no label of theirs used. Prompts known to be in a model's training data are left out. */
const protocolA = (folder: string, rankings: Readonly<Record<string, (row: Benchmarked) => number>>): void => {
  const sets = ["routellm_mmlu", "routellm_gsm8k"].map((name) =>
    rowsOf<Benchmarked>(folder, name).filter((row) => row.contaminated === 0)
  )
  console.log(`\nprotocol A, APGR (95 % interval): MMLU (${sets[0]!.length} prompts), GSM8K (${sets[1]!.length}), mean`)
  for (const [name, scoreOf] of Object.entries(rankings)) {
    const random = seededRandom(7)
    const figures = sets.map((rows) => {
      const outcomes = rows.map((row): Outcome => ({ score: scoreOf(row), weak: row.w, strong: row.s }))
      const [low, high] = apgrInterval(outcomes, random)
      return { apgr: apgr(outcomes), text: `${apgr(outcomes).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})` }
    })
    const mean = figures.reduce((sum, figure) => sum + figure.apgr, 0) / figures.length
    console.log(`${name.padEnd(34)} ${figures.map((figure) => figure.text).join("  ")}  ${mean.toFixed(3)}`)
  }
}

/** Microseconds per decision of the committed classifier, after warming up, one prompt at a time. */
const time = async (folder: string): Promise<void> => {
  const { classify } = await import("../packages/gateway/src/router/Classifier.ts")
  const mix = [
    ...rowsOf<{ readonly p: string }>(folder, "train_pool"),
    ...rowsOf<{ readonly p: string }>(folder, "arenahard_prompts")
  ]
    .map(({ p }) => p)
    .filter((prompt) => prompt.length <= 8_000)
  const eightK = mix.filter((prompt) => prompt.length > 1_000).map((prompt) => prompt.repeat(8).slice(0, 8_000))
  const million = mix.filter((prompt) => prompt.length > 4_000).map((prompt) => prompt.repeat(250).slice(0, 1_000_000))
  for (const [name, prompts] of Object.entries({
    "the mix, up to 8,000 characters": mix,
    "8,000 characters": eightK,
    "1,000,000": million
  })) {
    for (const prompt of prompts) classify(prompt)
    const times = prompts.map((prompt) => {
      const start = performance.now()
      classify(prompt)
      return (performance.now() - start) * 1_000
    })
    const sorted = times.toSorted((a, b) => a - b)
    const [p50, p99] = [0.5, 0.99].map((share) => sorted[Math.floor(share * sorted.length)]!.toFixed(1))
    console.log(`${name}: p50 ${p50} µs, p99 ${p99} µs (${prompts.length} prompts)`)
  }
}

const write = (model: Model): void => {
  writeFileSync(
    modelFile,
    `/** The model that ships. Written by scripts/train-router.ts, not by hand. */
import type { Model } from "./Model.ts"

export const defaultModel: Model = ${JSON.stringify(model)}
`
  )
  execFileSync(join(root, "node_modules/.bin/oxfmt"), [modelFile], { cwd: root })
}

const main = async (): Promise<void> => {
  const folder = dataFolder()
  if (folder === undefined) {
    console.error("No router/train_pool.jsonl.gz under GATEWAY_DATA or ../shared/data: nothing to train on.")
    process.exitCode = 1
    return
  }
  const { all, examples, reference } = readPool(folder)
  if (process.argv.includes("--search")) return search(examples)
  if (process.argv.includes("--time")) return time(folder)

  const model = train(examples, reference)
  if (process.argv.includes("--check")) {
    const { defaultModel } = await import(modelFile)
    const same = isDeepStrictEqual(defaultModel, model)
    console.log(
      same ? "The committed model is what training gives." : "The committed model is NOT what training gives."
    )
    process.exitCode = same ? 0 : 1
    return
  }
  write(model)
  console.log(
    `wrote ${modelFile.slice(dirname(root).length + 1)}: ${examples.length} labels, ${reference.length} prompts in the mix`
  )

  const unseen = leaveSourcesOut(examples, defaultSettings)
  console.log(
    `\nleft out of training, APGR: within a source ${unseen.within.toFixed(3)}, mixed ${unseen.mixed.toFixed(3)}`
  )
  for (const { apgr: figure, rows, source } of unseen.bySource)
    console.log(`  ${source.padEnd(24)} ${rows} ${figure.toFixed(3)}`)

  const random = seededRandom(1)
  const kin = train(all, reference)
  protocolA(folder, {
    "this model": ({ p }) => rawScore(model, extract(p)),
    random: () => random(),
    "prompt length": ({ p }) => p.length,
    oracle: ({ s, w }) => s - w,
    "with lr_mmlu, lr_gsm8k (unshipped)": ({ p }) => rawScore(kin, extract(p))
  })
}

if (import.meta.main) await main()
