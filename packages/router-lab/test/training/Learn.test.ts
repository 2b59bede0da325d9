import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { classify, explain } from "../../../gateway/src/classifier/PromptScore.ts"
import { defaultModel } from "../../../gateway/src/classifier/model/Builtin.ts"
import { apgr } from "../../src/metrics/Apgr.ts"
import { seededRandom } from "../../src/SeededRandom.ts"
import { extract } from "../../../gateway/src/classifier/features/PromptFeatures.ts"
import { defaultSettings, fit, learn, type LearnRow } from "../../src/training/Learn.ts"
import { SHIPPED } from "../../../gateway/src/classifier/model/Pools.ts"
import { linearScore } from "../../../gateway/src/classifier/model/Tuned.ts"
import { poolScore, prepare, rankOf } from "../../../gateway/src/classifier/model/Model.ts"
import {
  decodeModel,
  decodeModelFile,
  encodeModelFile,
  type ModelFile
} from "../../../gateway/src/classifier/model/ModelFile.ts"
import { wordsOf } from "../../../gateway/src/classifier/features/Words.ts"

const subjects = ["tides", "engines", "harvests", "bridges", "markets", "rivers", "lanterns", "glaciers"]
const hardWords = ["gasket", "camshaft", "tappet"]
const easyWords = ["sunset", "meadow", "pebble"]

/** Whether the strong model is needed hangs on one word out of six, and a tenth of the labels is wrong. */
const rowsOf = (count: number, seed: number, withWords = true): ReadonlyArray<LearnRow> => {
  const random = seededRandom(seed)
  const pick = (words: ReadonlyArray<string>): string => words[Math.floor(random() * words.length)]!
  return Array.from({ length: count }, () => {
    const isHard = random() < 0.4
    const prompt = `What does the ${pick(subjects)} say about the ${pick(isHard ? hardWords : easyWords)} and the ${pick(subjects)}?`
    const isWrong = random() < 0.1
    return {
      features: extract(prompt),
      words: withWords ? wordsOf(prompt) : null,
      gap: isHard !== isWrong ? 1 : 0,
      importance: 1
    }
  })
}

const modelOf = (rows: ReadonlyArray<LearnRow>, seed = 1): ModelFile => {
  const { quantiles, tuned } = learn(defaultModel, rows, seed)
  return { ...defaultModel.file, pool: SHIPPED, tuned, quantiles }
}

const HARD = "What does the river say about the tappet and the market?"
const EASY = "What does the river say about the pebble and the market?"

describe("learn", () => {
  it("lets trees say more where there are rows for more of them than a model has", () => {
    const largest = (rowsPerTree: number): number => {
      const settings = {
        ...defaultSettings,
        rowsPerTree,
        leastTrees: 1,
        trees: { ...defaultSettings.trees, trees: 20 }
      }
      const { trees } = fit(defaultModel, rowsOf(400, 1), 1, settings).trees
      assert.strictEqual(trees.leaves.length, 20 * 2 ** trees.depth)
      return Math.max(...trees.leaves)
    }
    const asMany = largest(20)
    assert.strictEqual(largest(20.1), asMany)
    assert.isAbove(largest(4), 2 * asMany)
  })

  it("finds the words that tell, and ranks rows that it has not seen by them", () => {
    const rows = rowsOf(400, 1)
    const { unseen } = learn(defaultModel, rows, 1)
    const quality = (scores: ArrayLike<number>) =>
      apgr(rows.map(({ gap }, i) => ({ score: scores[i]!, weak: 0, strong: gap })))
    const before = quality(rows.map(({ features, words }) => poolScore(defaultModel, features, words)))
    assert.isBelow(before, 0.57)
    assert.isAbove(quality(unseen), 0.68)
    const model = prepare(modelOf(rows))
    assert.isAbove(classify(HARD, model).score, classify(EASY, model).score)
    assert.include(
      explain(HARD, model).contributions.map(({ name }) => name),
      "learnt from outcomes"
    )
  })

  it("learns nothing from labels that follow nothing", () => {
    const random = seededRandom(3)
    const rows = rowsOf(400, 2).map((row) => ({ ...row, gap: random() < 0.3 ? 1 : 0 }))
    const { unseen } = learn(defaultModel, rows, 1)
    const figure = apgr(rows.map(({ gap }, i) => ({ score: unseen[i]!, weak: 0, strong: gap })))
    assert.closeTo(figure, 0.5, 0.07)
  })

  it("the same rows and seed give the same file, another seed another one", () => {
    const rows = rowsOf(120, 4)
    const text = encodeModelFile(modelOf(rows))
    assert.strictEqual(encodeModelFile(modelOf(rowsOf(120, 4))), text)
    assert.notStrictEqual(encodeModelFile(modelOf(rows, 2)), text)
  })

  it("a file reads back as what was written, below 400 kB, with the same scores", () => {
    const file = modelOf(rowsOf(300, 5))
    const text = encodeModelFile(file)
    assert.isBelow(text.length, 400_000)
    const back = Result.getOrThrow(decodeModelFile(text))
    assert.deepStrictEqual(back, file)
    for (const prompt of [HARD, EASY, "x".repeat(9_000), "证明根号二是无理数", ""]) {
      assert.deepStrictEqual(classify(prompt, prepare(back)), classify(prompt, prepare(file)))
    }
  })

  it("keeps the meaning of a score: as many of the rows are as demanding as before", () => {
    const rows = rowsOf(500, 6)
    const { quantiles, unseen } = learn(defaultModel, rows, 1)
    const sorted = (ranks: Iterable<number>) => Float64Array.from(ranks).sort()
    const before = sorted(
      rows.map(({ features, words }) => rankOf(defaultModel.quantiles, poolScore(defaultModel, features, words)))
    )
    const after = sorted(unseen.map((score) => rankOf(quantiles, score)))
    for (const share of [0.1, 0.5, 0.9]) {
      assert.closeTo(after[share * rows.length]!, before[share * rows.length]!, 0.02)
    }
  })

  it("learns from features alone, and then reads no words", () => {
    const rows = rowsOf(100, 7, false).map((row, i) => ({ ...row, gap: row.features[0]! + i * 1e-6 }))
    const { tuned } = learn(defaultModel, rows, 1)
    assert.isNull(tuned.words)
    const model = prepare(modelOf(rows))
    assert.isTrue(Number.isFinite(classify(HARD, model).score))
  })

  it("takes what the pool knows for one more input, and does without where there is no pool", () => {
    const rows = rowsOf(120, 11)
    const { tuned } = learn(defaultModel, rows, 1)
    assert.isDefined(tuned.known)
    assert.isDefined(tuned.added)
    const { features, words } = rows[0]!
    assert.notStrictEqual(
      poolScore(defaultModel, features, words),
      poolScore({ ...defaultModel, pool: null }, features, words)
    )
    const { tuned: without } = learn({ ...defaultModel, pool: null }, rows, 1)
    assert.isUndefined(without.known)
    assert.isUndefined(without.added)
  })

  it("learns by what questions taught apart from the score before: worth most in the middle, or at one end", () => {
    const rows = rowsOf(200, 12)
    const taught = rows.map(
      ({ features, words }) => poolScore(defaultModel, features, words) - linearScore(defaultModel.linear, features)
    )
    const sorted = taught.toSorted((a, b) => a - b)
    const learnt = (gap: (value: number) => boolean) =>
      learn(
        defaultModel,
        rows.map((row, i) => ({ ...row, gap: gap(taught[i]!) ? 1 : 0 })),
        1
      ).tuned.added!
    assert.isBelow(learnt((value) => value > sorted[60]! && value < sorted[140]!).square, -0.05)
    assert.isAbove(learnt((value) => value > sorted[100]!).weight, 0.2)
    assert.isBelow(learnt((value) => value < sorted[100]!).weight, -0.2)
  })

  it("two rows, equal rows and equal labels are no trouble", () => {
    for (const rows of [rowsOf(2, 8), Array.from({ length: 60 }, () => rowsOf(1, 9)[0]!)]) {
      const { score } = classify(HARD, prepare(modelOf(rows)))
      assert.isTrue(score >= 0 && score <= 1)
    }
  })

  it("a file whose tuned part doesn't fit is refused with what is wrong", () => {
    const file = JSON.parse(encodeModelFile(modelOf(rowsOf(60, 10))))
    const messageOf = (change: (tuned: typeof file.tuned) => void) => {
      const copy = structuredClone(file)
      change(copy.tuned)
      const result = decodeModel(copy)
      return Result.isFailure(result) ? result.failure.message : "accepted"
    }
    assert.strictEqual(
      messageOf(() => {}),
      "accepted"
    )
    assert.include(
      messageOf((tuned) => tuned.weights.pop()),
      "`tuned.weights` has"
    )
    assert.include(
      messageOf((tuned) => tuned.trees.trees.leaves.pop()),
      "`tuned.trees` has"
    )
    assert.include(
      messageOf((tuned) => (tuned.trees.trees.features[0] = 900)),
      "looks at feature 900"
    )
    assert.include(
      messageOf((tuned) => (tuned.words.buckets = "AAAA")),
      "`tuned.words.buckets`"
    )
    assert.include(
      messageOf((tuned) => (tuned.slope = 0)),
      "`tuned.slope`"
    )
  })
})
