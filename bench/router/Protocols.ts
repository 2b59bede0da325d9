/**
 * Rankings of prompts whose answers by a weak and a strong model are known, by three protocols. No setting of the router may be
 * chosen by looking at what they say.
 *
 * A: the default model, which has seen no label of MMLU or GSM8K, on both. B: a model that learnt from 1,531 labels of MMLU, as
 * many as RouteLLM's routers did, on the rest; ten splits. C: a model that learnt from 70 % of MMLU, GSM8K, ARC, MBPP and WinoGrande,
 * on the rest; twenty splits. Weak is Mixtral-8x7B, strong is gpt-4-1106-preview throughout.
 */
import { classify } from "../../packages/gateway/src/classifier/PromptScore.ts"
import { defaultModel } from "../../packages/gateway/src/classifier/model/Builtin.ts"
import {
  bootstrap,
  type Draws,
  type Estimates,
  estimatesOf,
  lead,
  meanOf
} from "../../packages/router-lab/src/evaluation/Bootstrap.ts"
import { outcomeSetOf, type WeakAndStrong } from "../../packages/router-lab/src/metrics/Metrics.ts"
import { besideOthers } from "../../packages/router-lab/src/evaluation/Rankings.ts"
import { seededRandom } from "../../packages/router-lab/src/SeededRandom.ts"
import { type CompiledModel, prepare } from "../../packages/gateway/src/classifier/model/Model.ts"
import { make } from "../../packages/router-lab/src/training/PoolTraining.ts"
import { readPool, rowsOf, withoutWorkedExamples } from "../../scripts/router/data.ts"
import type { Random } from "./Prose.ts"
import { atLeast, atMost, decimal, percent, type Section, type Table, withInterval } from "./Report.ts"
import { shuffled } from "./Shuffle.ts"

/** A prompt and what came of it. */
export interface Labelled extends WeakAndStrong {
  readonly prompt: string
  readonly source: string
}

/** Learns from `rows` on top of `prior`; gives the score of a prompt. The same for the same seed. */
export type Fit = (rows: ReadonlyArray<Labelled>, prior: CompiledModel, seed: number) => (prompt: string) => number

/** USD per million tokens that RouteLLM counts with (arXiv 2406.18665, section 4); the data have no costs of their own. */
const routellmPrices = { weakCost: 0.24, strongCost: 24.7 }

/**
 * The subject of MMLU whose labels are broken: gpt-4-1106 has 8 of its 231 questions right, 3 %, where guessing gives 25 %. It is left
 * out of protocol A, and its figures with it are shown beside.
 */
const BROKEN = "high_school_mathematics"

interface Row {
  readonly p: string
  readonly w: number
  readonly s: number
  readonly subject?: string
  readonly contaminated: number
}

export const readRoutellm = (
  folder: string,
  name: "mmlu" | "gsm8k",
  { withBroken = false, withContaminated = false } = {}
): ReadonlyArray<Labelled> =>
  rowsOf<Row>(folder, `routellm_${name}`)
    .filter((row) => withContaminated || row.contaminated === 0)
    .filter(({ subject }) => withBroken || subject !== BROKEN)
    .map(({ p, s, w }) => ({ prompt: p, source: name, weak: w, strong: s, ...routellmPrices }))

const WEAK = "mistralai/mixtral-8x7b-chat"
const STRONG = "gpt-4-1106-preview"

/** ARC, MBPP and WinoGrande of RouterBench, with what each answer cost in USD. */
export const readRouterBench = (folder: string): ReadonlyArray<Labelled> =>
  rowsOf<{
    readonly set: string
    readonly p: string
    readonly ok: Readonly<Record<string, number>>
    readonly cost: Readonly<Record<string, number>>
  }>(folder, "routerbench_slice")
    // A few answers were never graded.
    .filter(({ cost, ok }) => [ok[WEAK], ok[STRONG], cost[WEAK], cost[STRONG]].every(Number.isFinite))
    .map(({ cost, ok, p, set }) => ({
      prompt: withoutWorkedExamples(p),
      source: set,
      weak: ok[WEAK]!,
      strong: ok[STRONG]!,
      weakCost: cost[WEAK]!,
      strongCost: cost[STRONG]!
    }))

/** The default model as it would be without any label of what RouterBench is about: for being measured on it. */
export const modelWithoutRouterBench = (folder: string): CompiledModel => {
  const { examples, questions, reference } = readPool(folder)
  const seen = /arc_challenge|mbpp|winograde/
  return prepare({
    ...defaultModel.file,
    ...make(
      examples.filter(({ source }) => !seen.test(source)),
      questions,
      reference
    )
  })
}

export const scoresOf = (rows: ReadonlyArray<Labelled>, model: CompiledModel = defaultModel): Float64Array =>
  Float64Array.from(rows, ({ prompt }) => classify(prompt, model).score)

const drawsOf = <Router extends string>(
  rows: ReadonlyArray<Labelled>,
  scores: Readonly<Record<Router, ArrayLike<number>>>,
  random: Random,
  draws: number
) => {
  const set = outcomeSetOf(rows)
  const rankings = besideOthers(
    set,
    rows.map(({ prompt }) => prompt.length),
    scores
  )
  return bootstrap(set, rankings, { random, draws })
}

const columns = ["", "APGR", "CPT50", "CPT80", "cost at 95 % quality", "quality at equal cost"]

const rowOf = (name: string, estimates: Estimates): ReadonlyArray<string> => [
  name,
  withInterval(estimates.apgr, decimal),
  ...([estimates.cpt50, estimates.cpt80, estimates.costAtEqualQuality, estimates.qualityAtEqualCost] as const).map(
    (estimate) => withInterval(estimate, percent)
  )
]

const tableOf = (title: string, draws: Readonly<Record<string, Draws>>, note?: string): Table => ({
  title,
  columns,
  rows: Object.entries(draws).map(([name, each]) => rowOf(name, estimatesOf(each))),
  ...(note === undefined ? {} : { note })
})

const figuresOf = (draws: Readonly<Record<string, Draws>>): object =>
  Object.fromEntries(Object.entries(draws).map(([name, each]) => [name, estimatesOf(each)]))

const combined = <Name extends string>(
  sets: ReadonlyArray<Readonly<Record<Name, Draws>>>,
  combine: (draws: ReadonlyArray<Draws>) => Draws
): Readonly<Record<Name, Draws>> =>
  Object.fromEntries(
    Object.keys(sets[0]!).map((name) => [name, combine(sets.map((set) => set[name as Name]))])
  ) as Record<Name, Draws>

/** Splits of the same prompts are no independent sets: the figures are averaged, the draws put together. */
const overSplits = (splits: ReadonlyArray<Draws>): Draws => ({
  figures: meanOf(splits).figures,
  drawn: splits.flatMap(({ drawn }) => drawn)
})

export const protocolA = (folder: string, random: Random, draws: number): Section => {
  const measured = (how: Parameters<typeof readRoutellm>[2], times: number) =>
    (["mmlu", "gsm8k"] as const).map((name) => {
      const rows = readRoutellm(folder, name, how)
      return { name, rows, draws: drawsOf(rows, { ours: scoresOf(rows) }, random, times) }
    })
  const meanOver = (sets: ReturnType<typeof measured>) =>
    combined(
      sets.map((set) => set.draws),
      meanOf
    )
  const sets = measured({}, draws)
  const mean = meanOver(sets)
  const everything = meanOver(measured({ withContaminated: true }, 1))
  const [broken] = measured({ withBroken: true }, draws)
  const ahead = lead(mean.ours, mean.length)
  const leadOn = (set: (typeof sets)[number]) => withInterval(lead(set.draws.ours, set.draws.length), decimal)
  return {
    tables: [
      ...sets.map((set) =>
        tableOf(
          `A, ${set.name.toUpperCase()}, ${set.rows.length} prompts`,
          set.draws,
          `Ours above prompt length: ${leadOn(set)}.${
            set.name === "mmlu"
              ? ` Without the subject \`${BROKEN}\`, whose labels are broken: the strong model has 8 of its 231 questions right, 3 %, where guessing gives 25 %. With it: ours ${decimal(broken!.draws.ours.figures.apgr)}, length ${decimal(broken!.draws.length.figures.apgr)}, above length ${leadOn(broken!)}.`
              : ""
          }`
        )
      ),
      tableOf(
        "A, mean of both",
        mean,
        `Ours above prompt length, on the same draws: ${withInterval(ahead, decimal)}. With the prompts known to be in a model's training data: ours ${decimal(everything.ours.figures.apgr)}, length ${decimal(everything.length.figures.apgr)}. Costs by RouteLLM's prices per token.`
      )
    ],
    targets: [
      atLeast("A: mean APGR above prompt length", 0.02, ahead.value),
      atLeast("A: the same, lower end of its interval", 0, ahead.interval[0])
    ],
    figures: {
      ...Object.fromEntries(sets.map(({ draws: each, name }) => [name, figuresOf(each)])),
      mean: figuresOf(mean),
      withBroken: figuresOf(broken!.draws),
      ahead
    }
  }
}

const LABELS = 1_531
const FEW_LABELS = 500

/** The seeds of `count` splits from `first` on, and how often to draw from each. Splits are the same whatever else is drawn. */
const splitsOf = (count: number, draws: number, first: number) => ({
  seeds: Array.from({ length: count }, (_, i) => first + i),
  each: Math.ceil(draws / count)
})

export const protocolB = (folder: string, fit: Fit, random: Random, draws: number, firstSplit: number): Section => {
  const rows = readRoutellm(folder, "mmlu", { withBroken: true })
  const { each, seeds } = splitsOf(10, draws, firstSplit)
  const splits = seeds.map((seed) => {
    const order = shuffled(rows, seededRandom(seed))
    const score = fit(order.slice(0, LABELS), defaultModel, seed)
    const test = order.slice(LABELS)
    const trained = test.map(({ prompt }) => score(prompt))
    const few = fit(order.slice(0, FEW_LABELS), defaultModel, seed)
    return drawsOf(
      test,
      { "default model": scoresOf(test), "trained, 500 labels": test.map(({ prompt }) => few(prompt)), trained },
      random,
      each
    )
  })
  const mean = combined(splits, overSplits)
  const { apgr, cpt50, cpt80 } = mean.trained.figures
  return {
    tables: [
      tableOf(`B, MMLU, learnt from ${LABELS} labels, ${rows.length - LABELS} prompts, mean of 10 splits`, mean)
    ],
    targets: [
      atLeast("B: APGR", 0.66, apgr),
      atMost("B: CPT50, %", 28.5, 100 * cpt50),
      atMost("B: CPT80, %", 61, 100 * cpt80),
      atLeast("B: APGR from 500 labels", 0.63, mean["trained, 500 labels"].figures.apgr)
    ],
    figures: figuresOf(mean)
  }
}

export const protocolC = (folder: string, fit: Fit, random: Random, draws: number, firstSplit: number): Section => {
  const rows = [
    ...readRoutellm(folder, "mmlu", { withBroken: true }),
    ...readRoutellm(folder, "gsm8k"),
    ...readRouterBench(folder)
  ]
  const sources = [...Map.groupBy(rows, ({ source }) => source).values()]
  const prior = modelWithoutRouterBench(folder)
  const { each, seeds } = splitsOf(20, draws, firstSplit)
  const splits = seeds.map((seed) => {
    const chance = seededRandom(seed)
    const parts = sources.map((own) => {
      const order = shuffled(own, chance)
      const cut = Math.round(own.length * 0.7)
      return { train: order.slice(0, cut), test: order.slice(cut) }
    })
    const score = fit(
      parts.flatMap(({ train: own }) => own),
      prior,
      seed
    )
    const measure = (test: ReadonlyArray<Labelled>) =>
      drawsOf(
        test,
        { "default model": scoresOf(test, prior), trained: test.map(({ prompt }) => score(prompt)) },
        random,
        each
      )
    const test = parts.flatMap((part) => part.test)
    return {
      all: measure(test),
      dollars: measure(test.filter(({ source }) => source !== "mmlu" && source !== "gsm8k"))
    }
  })
  const all = combined(
    splits.map((split) => split.all),
    overSplits
  )
  const dollars = combined(
    splits.map((split) => split.dollars),
    overSplits
  )
  const withoutLabels =
    "The default model is trained without any label of ARC, MBPP and WinoGrande here, and so is what learning starts from."
  return {
    tables: [
      tableOf(
        `C, MMLU, GSM8K, ARC, MBPP and WinoGrande, ${rows.length} prompts, 30 % of them held out, mean of 20 splits`,
        all,
        withoutLabels
      ),
      tableOf("C, of these ARC, MBPP and WinoGrande, by what each answer cost in USD", dollars)
    ],
    targets: [atLeast("C: APGR, mean of 20 splits", 0.67, all.trained.figures.apgr)],
    figures: { all: figuresOf(all), dollars: figuresOf(dollars) }
  }
}
