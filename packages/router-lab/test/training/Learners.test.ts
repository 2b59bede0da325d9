import { askedIn } from "../../../gateway/src/classifier/features/PromptScan.ts"
import { assert, describe, it } from "@effect/vitest"
import { seededRandom } from "../../src/SeededRandom.ts"
import type { OutcomeRow } from "../../src/training/Outcomes.ts"
import { deploymentsOf, divide } from "../../src/training/Sides.ts"
import { rarity, sparseRidge } from "../../src/training/SparseRidge.ts"
import { topicsOf } from "../../src/training/Topics.ts"
import { boost } from "../../src/training/Boosting.ts"
import { compileTrees } from "../../../gateway/src/classifier/model/Tuned.ts"
import { readWords, weigh, wordsOf } from "../../../gateway/src/classifier/features/Words.ts"

describe("boosted trees", () => {
  const random = seededRandom(1)
  const inputs = Array.from({ length: 600 }, () => Float64Array.from([random(), random(), random()]))
  const settings = {
    trees: 100,
    depth: 2,
    rate: 0.1,
    leastRows: 5,
    penalty: 1,
    rowShare: 0.7,
    featureShare: 0.9
  }
  /** Neither feature says anything on its own. */
  const label = (row: Float64Array): number => (row[0]! > 0.5 === row[1]! > 0.5 ? 1 : -1)
  const ones = new Float64Array(inputs.length).fill(1)

  it("learn what hangs on two features together", () => {
    const say = compileTrees(boost(inputs, Float64Array.from(inputs, label), ones, settings, 3))
    const fresh = Array.from({ length: 300 }, () => Float64Array.from([random(), random(), random()]))
    const right = fresh.filter((row) => say(row) > 0 === label(row) > 0).length
    assert.isAbove(right, 270)
  })

  it("rows that count nothing are not learnt from", () => {
    const weights = Float64Array.from(inputs, (row) => (row[2]! > 0.5 ? 1 : 0))
    const labels = Float64Array.from(inputs, (row) => (row[2]! > 0.5 ? 1 : -1))
    const say = compileTrees(boost(inputs, labels, weights, settings, 3))
    for (const row of inputs.slice(0, 50)) assert.isAbove(say(row), 0.5)
  })

  it("what is unknown goes left, and nothing to split is no trouble", () => {
    const same = Array.from({ length: 20 }, () => Float64Array.from([1, Number.NaN]))
    const say = compileTrees(boost(same, new Float64Array(20).fill(1), new Float64Array(20).fill(1), settings, 1))
    assert.isAbove(say([1, Number.NaN]), 0.8)
  })
})

describe("words", () => {
  it("the same words give the same buckets, whatever the case, the numbers' digits and the courtesies around them", () => {
    assert.deepStrictEqual(wordsOf("What is 42, black Sun?"), wordsOf("what IS 17,\n black sun?"))
    assert.deepStrictEqual(wordsOf("what is 42, black sun?"), wordsOf("Hi! what is 42, black sun? Thanks a lot!"))
    assert.notDeepEqual(wordsOf("what is 421 black sun").words, wordsOf("what is 42 black sun").words)
    assert.deepStrictEqual(wordsOf("black sun").words, wordsOf("sun black").words)
    assert.notDeepEqual(wordsOf("black sun").pairs, wordsOf("sun black").pairs)
  })

  it("buckets are distinct and ascending, and a decision finds the same ones, whatever was read before", () => {
    const prompt = "the cat and the dog, and the cow: 12 cats, 34 dogs"
    const read = readWords(prompt, askedIn(prompt).parts)
    const found = { words: new Set(read.words), pairs: new Set(read.pairs) }
    assert.strictEqual(found.words.size, read.words.length)
    readWords("quite another prompt", askedIn("quite another prompt").parts)
    const { pairs, words } = wordsOf(prompt)
    assert.deepStrictEqual(
      [...words],
      [...found.words].toSorted((a, b) => a - b)
    )
    assert.deepStrictEqual(
      [...pairs],
      [...found.pairs].toSorted((a, b) => a - b)
    )
  })

  it("marks and what stands beside them are read with the pairs, those of other scripts as the same", () => {
    assert.deepStrictEqual(wordsOf("what is x?").words, wordsOf("what is x").words)
    assert.notDeepEqual(wordsOf("what is x = y").pairs, wordsOf("what is x y").pairs)
    assert.notDeepEqual(wordsOf("(a) x b").pairs, wordsOf("a (x) b").pairs)
    assert.deepStrictEqual(wordsOf("say “what”？"), wordsOf('say "what"?'))
  })

  it("reads scripts without spaces sign by sign, and no more than the ends of a long prompt", () => {
    assert.lengthOf(wordsOf("证明根号二").words, 5)
    assert.deepStrictEqual(wordsOf(""), wordsOf(" \u00a0\n "))
    const long = (middle: string) => `${"alpha ".repeat(700)}${middle}${" omega".repeat(700)}`
    assert.deepStrictEqual(wordsOf(long("")), wordsOf(long("beta gamma")))
  })
})

describe("sparse ridge", () => {
  const rows = Array.from({ length: 200 }, (_, i) => [i % 2, 2 + (i % 5), 7 + (i % 3)])
  const labels = Float64Array.from(rows, ([first]) => (first === 0 ? 1 : -1))
  const ones = new Float64Array(rows.length).fill(1)

  it("gives weight to the bucket that tells, and less with a larger penalty", () => {
    const scales = rarity(rows, 10, { least: 2, power: 0.5 })
    const fitted = (penalty: number) => {
      const { centre, weights } = sparseRidge({ rows, scales }, labels, ones, penalty)
      return (row: ReadonlyArray<number>) => weigh(row, weights) - centre
    }
    assert.closeTo(fitted(0.01)([0, 3, 8]), 1, 0.01)
    assert.closeTo(fitted(0.01)([1, 3, 8]), -1, 0.01)
    assert.isBelow(fitted(1_000)([0, 3, 8]), 0.2)
    assert.strictEqual(weigh([], Float64Array.from([1])), 0)
  })

  it("topics tell apart what never turns up together", () => {
    const two = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? [0, 1, 2] : [3, 4, 5]))
    const scales = new Float64Array(6).fill(1)
    const [first, second, third] = topicsOf({ rows: two, scales }, 3, 1)
    const place = (row: ReadonlyArray<number>) => [weigh(row, first!), weigh(row, second!)]
    const [a, b] = [place([0, 1]), place([4, 5])]
    assert.isAbove(Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!), 0.5)
    for (const value of third!) assert.closeTo(value, 0, 1e-6)
  })
})

describe("sides", () => {
  const row = (outcomes: Readonly<Record<string, readonly [quality: number, cost?: number]>>): OutcomeRow => ({
    line: 1,
    prompt: "x",
    outcomes: new Map(
      Object.entries(outcomes).map(([name, [quality, costUsd]]) => [name, { quality, costUsd }] as const)
    )
  })

  it("are divided at the largest step in cost, in quality where costs are unknown", () => {
    const priced = deploymentsOf([row({ huge: [0.9, 1], tiny: [0.5, 0.01], small: [0.95, 0.02], large: [0.8, 0.5] })])
    assert.deepStrictEqual(divide(priced), { weak: ["tiny", "small"], strong: ["large", "huge"] })
    const unpriced = deploymentsOf([row({ a: [0.9], b: [0.3, 9], c: [0.4] }), row({ a: [0.8] })])
    assert.deepStrictEqual(divide(unpriced), { weak: ["b", "c"], strong: ["a"] })
    assert.deepInclude(unpriced.at(-1), { name: "a", rows: 2, costUsd: undefined })
    assert.closeTo(unpriced.at(-1)!.quality, 0.85, 1e-12)
  })
})
