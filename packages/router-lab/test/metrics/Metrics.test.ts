import { assert, describe, it } from "@effect/vitest"
import { seededRandom } from "../../src/SeededRandom.ts"
import { curveOf, type Figures, figuresOf, outcomeSetOf, rank } from "../../src/metrics/Metrics.ts"

const costs = { weakCost: 1, strongCost: 10 }
/** Two prompts need the strong model, two don't. */
const four = outcomeSetOf([
  { weak: 0, strong: 1, ...costs },
  { weak: 0, strong: 1, ...costs },
  { weak: 1, strong: 1, ...costs },
  { weak: 1, strong: 1, ...costs }
])
const once = (count: number) => new Uint8Array(count).fill(1)
const figures = (scores: ReadonlyArray<number>, set = four): Figures =>
  figuresOf(set, rank(scores), once(set.weak.length))

const assertFigures = (found: Figures, expected: Figures) => {
  for (const [name, value] of Object.entries(expected))
    assert.approximately(found[name as keyof Figures], value, 1e-12, name)
}

describe("figuresOf", () => {
  it("is what a hand computes for the right order, the wrong order and no order", () => {
    // Right: PGR climbs to 1 over the first half. 95 % of the quality is a gain of 1.8 of 2: 1.8 prompts at 9 more each, 20.2 of 40.
    assertFigures(figures([4, 3, 2, 1]), {
      apgr: 0.75,
      cpt50: 0.25,
      cpt80: 0.4,
      costAtEqualQuality: 20.2 / 40,
      qualityAtEqualCost: 1
    })
    // Wrong: nothing is gained until half the calls are spent.
    assertFigures(figures([1, 2, 3, 4]), {
      apgr: 0.25,
      cpt50: 0.75,
      cpt80: 0.9,
      costAtEqualQuality: (4 + 3.8 * 9) / 40,
      qualityAtEqualCost: 0.5
    })
    // By lot: every share of calls brings the same share of the gain.
    assertFigures(figures([7, 7, 7, 7]), {
      apgr: 0.5,
      cpt50: 0.5,
      cpt80: 0.8,
      costAtEqualQuality: (4 + 0.9 * 36) / 40,
      qualityAtEqualCost: 0.75
    })
  })

  it("takes the cheapest mix where the strong model does harm on some prompts", () => {
    const set = outcomeSetOf([
      { weak: 0, strong: 1, ...costs },
      { weak: 0, strong: 1, ...costs },
      { weak: 1, strong: 0, ...costs }
    ])
    const found = figuresOf(set, rank([3, 2, 1]), once(3), 1)
    // The strong model reaches 2 of 3, which one strong call with the weak model's one right answer does, too.
    assert.approximately(found.costAtEqualQuality, (3 + 9) / 30, 1e-12)
    assert.approximately(found.apgr, (0.5 + 1.5 + 1.5) / 3, 1e-12)
    assert.approximately(found.qualityAtEqualCost, (1 + 1.5) / 2, 1e-12)
  })

  it("costs what the weak model costs where that is good enough, and only the strong model's price where it is not", () => {
    assert.approximately(figuresOf(four, rank([1, 1, 1, 1]), once(4), 0.5).costAtEqualQuality, 4 / 40, 1e-12)
    assert.approximately(figuresOf(four, rank([1, 2, 3, 4]), once(4), 1).costAtEqualQuality, 1, 1e-12)
  })

  it("finds a random order in the middle and the oracle above all", () => {
    const random = seededRandom(5)
    const rows = Array.from({ length: 20_000 }, () => ({
      weak: random() < 0.6 ? 1 : 0,
      strong: random() < 0.8 ? 1 : 0,
      ...costs
    }))
    const set = outcomeSetOf(rows)
    const chance = figures(
      rows.map(() => random()),
      set
    )
    assert.approximately(chance.apgr, 0.5, 0.05)
    assert.approximately(chance.cpt50, 0.5, 0.08)
    assert.approximately(chance.qualityAtEqualCost, 0.875, 0.02)
    const oracle = figures(
      rows.map((row) => row.strong - row.weak),
      set
    )
    const noisy = figures(
      rows.map((row) => row.strong - row.weak + 4 * random()),
      set
    )
    assert.isAbove(oracle.apgr, noisy.apgr)
    assert.isAbove(noisy.apgr, chance.apgr)
    assert.isBelow(oracle.costAtEqualQuality, noisy.costAtEqualQuality)
  })

  it("counts a prompt of weight two as two prompts, and one of weight none not at all", () => {
    const rows = Array.from({ length: 60 }, (_, i) => ({ weak: (i % 5) / 8, strong: 1 - (i % 7) / 10, ...costs }))
    const scores = rows.map((_, i) => (i * 17) % 23)
    const weights = rows.map((_, i) => i % 3)
    const copies = rows.flatMap((row, i) => Array.from({ length: weights[i]! }, () => ({ row, score: scores[i]! })))
    assertFigures(
      figuresOf(outcomeSetOf(rows), rank(scores), weights),
      figures(
        copies.map(({ score }) => score),
        outcomeSetOf(copies.map(({ row }) => row))
      )
    )
  })

  it("has no figure where the strong model is no better, or costs the same", () => {
    const worse = outcomeSetOf([
      { weak: 1, strong: 0 },
      { weak: 1, strong: 1 }
    ])
    const found = figures([1, 2], worse)
    for (const name of ["apgr", "cpt50", "cpt80", "costAtEqualQuality", "qualityAtEqualCost"] as const)
      assert.isNaN(found[name], name)
  })

  it("ranks a score that is no number lowest", () => {
    assert.deepStrictEqual([...rank([1, Number.NaN, 2, 2]).order], [2, 3, 0, 1])
    assert.deepStrictEqual([...rank([1, Number.NaN, 2, 2]).ends], [2, 3, 4])
  })
})

describe("curveOf", () => {
  it("goes from the weak model to the strong one in equal steps", () => {
    const mixes = curveOf(four, rank([4, 3, 2, 2]), 8)
    assert.strictEqual(mixes.length, 9)
    assert.deepStrictEqual(
      mixes.map(({ quality }) => quality),
      [0.5, 0.625, 0.75, 0.875, 1, 1, 1, 1, 1]
    )
    assert.deepStrictEqual([mixes[0]!.cost, mixes[4]!.cost, mixes[8]!.cost], [1, 5.5, 10])
  })
})
