/** The labelled prompts that the router is trained on and measured with. They are no part of the repository. */
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { gunzipSync } from "node:zlib"
import { extract } from "../../packages/gateway/src/classifier/features/PromptFeatures.ts"
import { wordsOf } from "../../packages/gateway/src/classifier/features/Words.ts"
import type { Question, Seen } from "../../packages/router-lab/src/training/PoolTraining.ts"
import type { Example } from "../../packages/router-lab/src/training/Training.ts"

export const root = resolve(import.meta.dirname, "../..")

/** `router/` under `GATEWAY_DATA`, else `../shared/data`; undefined where the data are not. */
export const dataFolder = (): string | undefined => {
  const folder = join(process.env.GATEWAY_DATA ?? resolve(root, "../shared/data"), "router")
  return existsSync(join(folder, "train_pool.jsonl.gz")) ? folder : undefined
}

export const noData = "No router/train_pool.jsonl.gz under GATEWAY_DATA or ../shared/data: nothing to train on."

/** Sources whose labels come from the benchmarks' own data sets (other questions of them, and other models): used nowhere. */
export const benchmarkSources = new Set(["lr_mmlu", "lr_gsm8k"])

/** MMLU-Pro: in the pool each of its subjects is a source. */
export const EXAM = "mmlupro"

/** `lr_mbpp` and `rb_mbpp` are one data set, and so are the subjects of MMLU-Pro. */
const familyOf = (source: string): string => (source.startsWith(EXAM) ? EXAM : source.replace(/^(lr|rb)_/, ""))

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
  readonly examples: ReadonlyArray<Example & Seen>
  /** The questions of MMLU-Pro again, all subjects together. */
  readonly questions: ReadonlyArray<Question>
  /** The prompts that a score is the rank in. */
  readonly reference: ReadonlyArray<Seen>
}

interface Answered {
  readonly p: string
  readonly cat: string
  /** `stemez-Physics`, `scibench-atkins`: the book that a question is from. */
  readonly src: string
  /** One digit a model, 1 where it was right. */
  readonly ok: string
}

const weakModels = [
  "Meta-Llama-3-8B",
  "Meta-Llama-3_1-8B",
  "Meta-Llama-3_1-8B-Instruct",
  "Mixtral-8x7B-Instruct-v0.1",
  "Mixtral-8x7B-v0.1",
  "Phi-3-mini-4k-instruct",
  "Yi-34B",
  "c4ai-command-r-v01",
  "gemma-7b"
]
const strongModels = [
  "DeepSeek-Coder-V2",
  "Meta-Llama-3_1-70B-Instruct",
  "gemini-1.5-flash-002",
  "gemini-1.5-pro-002",
  "gpt4o"
]

/** The fifteen that answered fewest of the questions. */
const weakest = (questions: ReadonlyArray<Answered>, models: number): ReadonlyArray<number> =>
  Array.from({ length: models }, (_, index) => ({
    index,
    right: questions.filter(({ ok }) => ok[index] === "1").length
  }))
    .toSorted((a, b) => a.right - b.right)
    .slice(0, 15)
    .map(({ index }) => index)

const shareRight = (ok: string, group: ReadonlyArray<number>): number =>
  group.filter((index) => ok[index] === "1").length / group.length

/**
 * The questions of MMLU-Pro by subject, each a source of its own, labelled by many models: the pool has them as one source with
 * few. The one question that MMLU has too is left out.
 */
const readMmluPro = (folder: string): Pick<Pool, "examples" | "questions"> => {
  const { model_order_of_ok_string: models } = JSON.parse(
    readFileSync(join(folder, "mmlupro_30models.models.json"), "utf8")
  ) as { readonly model_order_of_ok_string: ReadonlyArray<string> }
  const [weak, strong] = [weakModels, strongModels].map((names) => names.map((name) => models.indexOf(name)))
  const answered = rowsOf<Answered>(folder, "mmlupro_30models").filter(({ src }) => !src.startsWith("ori_mmlu"))
  const seen = answered.map(({ p }) => seenOf(p))
  const least = weakest(answered, models.length)
  return {
    examples: answered.map(({ cat, ok, src }, i) => {
      const book = src.split("-")[0]!
      return {
        source: `${EXAM}_${book === "stemez" ? cat.replaceAll(" ", "_") : book}`,
        family: EXAM,
        ...seen[i]!,
        weak: shareRight(ok, weak!),
        strong: shareRight(ok, strong!)
      }
    }),
    questions: answered.map(({ ok }, i) => ({ ...seen[i]!, difficulty: 1 - shareRight(ok, least) }))
  }
}

const seenOf = (prompt: string): Seen => ({ features: extract(prompt), words: wordsOf(prompt) })

/**
 * How often a prompt counts in the reference mix: real chats, all of them demanding, are half of it, look-ups two fifths, exam
 * questions the rest. With fewer chats most of them would be in one bucket, with fewer look-ups or more exams nearly all short
 * requests, and without exams long code would be taken for reasoning.
 */
const CHATS = 8
const LOOK_UPS = 7
const QUESTIONS = 1 / 4
const lookUps = new Set(["lr_natural_qa", "lr_trivia_qa"])

const often = <Row>(times: number, rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  Array.from({ length: times }, () => rows).flat()

export const readPool = (folder: string): Pool => {
  const pool = rowsOf<Labelled>(folder, "train_pool").map(({ p, s, src, w }) => ({
    source: src,
    family: familyOf(src),
    ...seenOf(withoutWorkedExamples(p)),
    weak: w,
    strong: s
  }))
  const arena = rowsOf<{ readonly p: string }>(folder, "arenahard_prompts").map(({ p }) => seenOf(p))
  const { examples, questions } = readMmluPro(folder)
  const others = pool.filter(({ source }) => source !== EXAM && !benchmarkSources.has(source))
  return {
    examples: [...others, ...examples],
    questions,
    reference: [
      ...questions.filter((_, i) => (i * QUESTIONS) % 1 === 0),
      ...often(CHATS, arena),
      ...often(
        LOOK_UPS,
        pool.filter(({ source }) => lookUps.has(source))
      )
    ]
  }
}
