/** How long one decision takes, one prompt at a time, once V8 has compiled it. */
import { classify } from "../../packages/gateway/src/classifier/PromptScore.ts"
import { defaultModel } from "../../packages/gateway/src/classifier/model/Builtin.ts"
import { extract } from "../../packages/gateway/src/classifier/features/PromptFeatures.ts"
import { defaultSettings, fit } from "../../packages/router-lab/src/training/Learn.ts"
import { type CompiledModel, prepare } from "../../packages/gateway/src/classifier/model/Model.ts"
import { wordsOf } from "../../packages/gateway/src/classifier/features/Words.ts"
import { type Labelled, rowsOf } from "../../scripts/router/data.ts"
import { ladders, languages } from "./Prompts.ts"
import { atMost, type Section } from "./Report.ts"

const LONGEST = 8_000
const DECISIONS = 5_000
const ROUNDS = 15
/** So many rows make a learnt model as large as it gets. */
const LARGEST = defaultSettings.rowsPerTree * defaultSettings.trees.trees

const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!

const learnt = (folder: string): CompiledModel => {
  const rows = rowsOf<Labelled>(folder, "train_pool")
    .slice(0, LARGEST)
    .map(({ p, s, w }) => ({ features: extract(p), words: wordsOf(p), gap: s - w, importance: 1 }))
  return prepare({ ...defaultModel.file, tuned: fit(defaultModel, rows, 1, defaultSettings) })
}

const measure = (prompts: ReadonlyArray<string>, decisions: number, model: CompiledModel) => {
  // Flat strings, as they come out of JSON.parse: a rope made by repeat() would be flattened within the time.
  const flat = prompts.map((prompt) => JSON.parse(JSON.stringify(prompt)) as string)
  for (let i = 0; i < decisions; i++) classify(flat[i % flat.length]!, model)
  const rounds = Array.from({ length: ROUNDS }, () => {
    const micros = new Float64Array(decisions)
    for (let i = 0; i < decisions; i++) {
      const prompt = flat[i % flat.length]!
      const start = performance.now()
      classify(prompt, model)
      micros[i] = (performance.now() - start) * 1_000
    }
    return micros
  })
  // What else the machine does hits other decisions in each round, and what a prompt costs comes again in all.
  const medians = Float64Array.from({ length: decisions }, (_, i) =>
    quantile(Float64Array.from(rounds, (micros) => micros[i]!).sort(), 0.5)
  ).sort()
  return { p50: quantile(medians, 0.5), p99: quantile(medians, 0.99), decisions }
}

export const timing = (folder: string | undefined): Section => {
  const prompts =
    folder === undefined
      ? [
          ...ladders.flatMap(({ rungs }) => rungs),
          ...Object.values(languages).flatMap((levels) => Object.values(levels).flat())
        ]
      : [...rowsOf<Labelled>(folder, "train_pool"), ...rowsOf<{ readonly p: string }>(folder, "arenahard_prompts")].map(
          ({ p }) => p
        )
  const mix = prompts.filter((prompt) => prompt.length <= LONGEST)
  const longer = mix.toSorted((a, b) => b.length - a.length).slice(0, 300)
  const filled = (prompt: string, length: number): string =>
    prompt.repeat(Math.ceil(length / prompt.length)).slice(0, length)
  const measured = (model: CompiledModel) => ({
    mix: measure(mix, DECISIONS, model),
    full: measure(
      longer.map((prompt) => filled(prompt, LONGEST)),
      DECISIONS / 4,
      model
    ),
    megabyte: measure(
      longer.slice(0, 40).map((prompt) => filled(prompt, 1_048_576)),
      DECISIONS / 20,
      model
    )
  })
  const figures = measured(defaultModel)
  const own = folder === undefined ? undefined : measured(learnt(folder))
  const row = (name: string, { decisions, p50, p99 }: typeof figures.mix) => [
    name,
    p50.toFixed(1),
    p99.toFixed(1),
    String(decisions)
  ]
  const rows = (of: typeof figures, model: string) => [
    row(`a mix, up to ${LONGEST.toLocaleString("en-US")} characters${model}`, of.mix),
    row(`${LONGEST.toLocaleString("en-US")} characters each${model}`, of.full),
    row(`1 MB each${model}`, of.megabyte)
  ]
  return {
    tables: [
      {
        title: "Time per decision, µs",
        columns: ["prompts", "p50", "p99", "decisions"],
        rows: [...rows(figures, ""), ...(own === undefined ? [] : rows(own, ", a learnt model"))],
        note: `After as many for warming up; each decision by the median of ${ROUNDS} rounds.${own === undefined ? "" : ` A learnt model of the largest kind, from ${LARGEST.toLocaleString("en-US")} labels.`}`
      }
    ],
    targets: [
      atMost("time, up to 8 kB: p50, µs", 50, figures.mix.p50),
      atMost("time, up to 8 kB: p99, µs", 120, figures.mix.p99),
      atMost("time, 8 kB each: p99, µs", 300, figures.full.p99),
      atMost("time, 1 MB: p99, µs", 1_000, figures.megabyte.p99),
      ...(own === undefined
        ? []
        : [
            atMost("time, up to 8 kB, a learnt model: p50, µs", 70, own.mix.p50),
            atMost("time, up to 8 kB, a learnt model: p99, µs", 220, own.mix.p99)
          ])
    ],
    figures: own === undefined ? figures : { ...figures, learnt: own }
  }
}
