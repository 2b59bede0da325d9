/** Prompts as people write them: what each kind gets in each language, and the same request in words of other people's choosing. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { classify } from "../../packages/gateway/src/classifier/PromptScore.ts"
import { type Estimate, intervalOf } from "../../packages/router-lab/src/evaluation/Bootstrap.ts"
import type { Random } from "./Prose.ts"
import { atLeast, atMost, percent, type Section, withInterval } from "./Report.ts"
import { bucketIndex, cuts } from "./Stability.ts"

const shipped = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8"))

/** Written by hand, by kind and language. */
export const chats: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>> = shipped("chats.json")

/** A request, and the same in other words; written by hand, with no rule behind them. How features are counted was chosen by them. */
export const reworded: ReadonlyArray<ReadonlyArray<string>> = shipped("reworded.json")
/**
 * As `reworded`, and nothing was chosen by them: longer requests; as many kinds as there are, written when the model was being changed;
 * and some that were written, and first measured, when nearly all was chosen.
 */
const long: ReadonlyArray<ReadonlyArray<string>> = shipped("reworded-unseen.json")
const fresh: ReadonlyArray<ReadonlyArray<string>> = shipped("reworded-fresh.json")
const held: ReadonlyArray<ReadonlyArray<string>> = shipped("reworded-held.json")
export const unseen: ReadonlyArray<ReadonlyArray<string>> = [...long, ...fresh, ...held]

const buckets = ["simple", "standard", "complex", "reasoning"]
/** Kinds that may well be all in one bucket. */
const ofOneBucket = new Set(["greeting", "look-up", "mathematics", "proof"])

const sharesOf = (prompts: ReadonlyArray<string>): ReadonlyArray<number> => {
  const found = prompts.map((prompt) => bucketIndex(classify(prompt).score, cuts.four))
  return buckets.map((_, index) => found.filter((bucket) => bucket === index).length / prompts.length)
}

export const asPeopleWrite = (): Section => {
  const rows = Object.entries(chats).flatMap(([kind, byLanguage]) => [
    ...Object.entries(byLanguage).map(([language, prompts]) => ({ kind, language, prompts })),
    { kind, language: "all", prompts: Object.values(byLanguage).flat() }
  ])
  const shares = rows.map((row) => ({ ...row, shares: sharesOf(row.prompts) }))
  const whole = shares.filter(({ kind, language }) => language === "all" && !ofOneBucket.has(kind))
  const chinese = shares.find(({ kind, language }) => kind === "mathematics" && language === "zh")!
  return {
    tables: [
      {
        title: "Prompts as people write them, share in each bucket",
        columns: ["kind", "language", "prompts", ...buckets],
        rows: shares.map(({ kind, language, prompts, shares: each }) => [
          kind,
          language,
          String(prompts.length),
          ...each.map(percent)
        ]),
        note: "Written by hand. These prompts were used to choose the weights of designs, puzzles, limits and East Asian scripts, and the reference mix, so the figures are optimistic. A few prompts per language only show a tendency."
      }
    ],
    targets: [
      atMost(
        "a kind of chat prompt in one bucket, the most, %",
        60,
        100 * Math.max(...whole.flatMap(({ shares: each }) => each))
      ),
      atMost(
        "a kind of chat prompt in reasoning, the most, %",
        30,
        100 * Math.max(...whole.map((row) => row.shares[3]!))
      ),
      atMost("Chinese mathematics in simple, %", 15, 100 * chinese.shares[0]!)
    ],
    figures: Object.fromEntries(shares.map(({ kind, language, shares: each }) => [`${kind} ${language}`, each]))
  }
}

const DRAWS = 1000

export const otherWords = (random: Random): Section => {
  const sets = [
    { name: "looked at", requests: reworded },
    { name: "not looked at", requests: unseen },
    { name: "of these the longer", requests: long },
    { name: "the others", requests: fresh },
    { name: "and those written last", requests: held }
  ].map(({ name, requests }) => ({ name, requests, shares: sameIn(requests, random) }))
  const [, unlooked] = sets
  return {
    tables: [
      {
        title: "Same bucket in other words, each request said in two other ways by hand",
        columns: ["buckets", ...sets.map(({ name, requests }) => `${name}, ${requests.length} requests`)],
        rows: ways.map(({ name }, way) => [name, ...sets.map(({ shares }) => withInterval(shares[way]!, percent))]),
        note: "Equal size: the same number of these prompts in each bucket. Settings were chosen with the requests that were looked at, and with no others. Those written last were first measured when nearly all settings were chosen."
      }
    ],
    targets: ways.map(({ least, name }, way) =>
      atLeast(`other words, not looked at: ${name}, %`, least, 100 * unlooked!.shares[way]!.value, 1)
    ),
    figures: Object.fromEntries(
      sets.map(({ name, shares }) => [name, Object.fromEntries(ways.map((way, i) => [way.name, shares[i]]))])
    )
  }
}

/** How scores are cut into buckets, and the share of pairs that should stay in theirs. */
const ways = [
  { name: "2 buckets, cut at 0.5", least: 90, points: () => cuts.two },
  { name: "4 buckets, cut at 0.35, 0.65 and 0.85", least: 82, points: () => cuts.four },
  { name: "2 buckets of equal size", least: 88, points: (sorted: ReadonlyArray<number>) => equal(sorted, 2) },
  { name: "4 buckets of equal size", least: 74, points: (sorted: ReadonlyArray<number>) => equal(sorted, 4) }
]

const equal = (sorted: ReadonlyArray<number>, count: number): ReadonlyArray<number> =>
  Array.from({ length: count - 1 }, (_, i) => sorted[Math.floor((sorted.length * (i + 1)) / count)]!)

/** For each of `ways`, how many pairs of a request and the same in other words stay in their bucket. */
const sameIn = (requests: ReadonlyArray<ReadonlyArray<string>>, random: Random): ReadonlyArray<Estimate> => {
  const scores = requests.map((group) => group.map((prompt) => classify(prompt).score))
  const sorted = scores.flat().toSorted((a, b) => a - b)
  return ways.map(({ points: pointsOf }) => {
    const points = pointsOf(sorted)
    // Of each request, the first against the others.
    const shares = scores.map(([first, ...others]) => {
      const bucket = bucketIndex(first!, points)
      return others.filter((score) => bucketIndex(score, points) === bucket).length / others.length
    })
    const mean = (index: (i: number) => number): number =>
      shares.reduce((sum, _, i) => sum + shares[index(i)]!, 0) / shares.length
    const drawn = Array.from({ length: DRAWS }, () => mean(() => Math.floor(random() * shares.length)))
    return { value: mean((i) => i), interval: intervalOf(drawn) }
  })
}
