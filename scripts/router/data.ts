/** The labelled prompts that the router is trained on and measured with. They are no part of the repository. */
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { gunzipSync } from "node:zlib"
import { extract } from "../../packages/gateway/src/router/Features.ts"
import type { Example } from "../../packages/gateway/src/router/Training.ts"

export const root = resolve(import.meta.dirname, "../..")

/** `router/` under `GATEWAY_DATA`, else `../shared/data`; undefined where the data are not. */
export const dataFolder = (): string | undefined => {
  const folder = join(process.env.GATEWAY_DATA ?? resolve(root, "../shared/data"), "router")
  return existsSync(join(folder, "train_pool.jsonl.gz")) ? folder : undefined
}

export const noData = "No router/train_pool.jsonl.gz under GATEWAY_DATA or ../shared/data: nothing to train on."

/**
 * Sources whose labels come from the benchmarks' own data sets (other questions of them, and other models): their prompts are in
 * the reference mix, their labels nowhere.
 */
export const benchmarkSources = new Set(["lr_mmlu", "lr_gsm8k"])

/** A prompt with the quality, 0 to 1, of what a weak and a strong model answered. */
export interface Labelled {
  readonly src: string
  readonly p: string
  readonly w: number
  readonly s: number
}

export const rowsOf = <Row>(folder: string, name: string): ReadonlyArray<Row> =>
  gunzipSync(readFileSync(join(folder, `${name}.jsonl.gz`)))
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

/** RouterBench prompts begin with worked examples, the same for a whole source; what is asked comes after the last of them. */
export const withoutWorkedExamples = (prompt: string): string => prompt.split(/Answer:\n[A-J]\n\n/).at(-1)!

export interface Pool {
  /** What may be learnt from. */
  readonly examples: ReadonlyArray<Example>
  /** The features of the prompts that a score is the rank in. */
  readonly reference: ReadonlyArray<Float64Array>
}

export const readPool = (folder: string): Pool => {
  const pool = rowsOf<Labelled>(folder, "train_pool").map(({ src, p, s, w }) => ({
    source: src,
    features: extract(withoutWorkedExamples(p)),
    weak: w,
    strong: s
  }))
  const arena = rowsOf<{ readonly p: string }>(folder, "arenahard_prompts").map(({ p }) => extract(p))
  return {
    examples: pool.filter(({ source }) => !benchmarkSources.has(source)),
    reference: [...pool.map(({ features }) => features), ...arena]
  }
}
