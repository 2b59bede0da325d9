import { assert, describe, it } from "@effect/vitest"
import { seededRandom } from "../../src/SeededRandom.ts"
import { bootstrap, estimatesOf, intervalOf, lead, meanOf } from "../../src/evaluation/Bootstrap.ts"
import { outcomeSetOf } from "../../src/metrics/Metrics.ts"
import { besideOthers } from "../../src/evaluation/Rankings.ts"

const random = seededRandom(3)
const rows = Array.from({ length: 1_500 }, (_, index) => ({
  weak: index % 2,
  strong: random() < 0.9 ? 1 : 0,
  weakCost: 1,
  strongCost: 20,
  prompt: "x".repeat(1 + Math.floor(random() * 50)),
  score: (index % 2 === 0 ? 0.4 : 0) + random()
}))
const set = outcomeSetOf(rows)
const rankings = besideOthers(
  set,
  rows.map(({ prompt }) => prompt.length),
  { ours: rows.map(({ score }) => score) }
)
const draws = (seed: number) => bootstrap(set, rankings, { random: seededRandom(seed), draws: 300 })

describe("bootstrap", () => {
  it("gives intervals around the figures, and the same for the same seed", () => {
    const found = draws(1)
    const { apgr, costAtEqualQuality } = estimatesOf(found.ours)
    assert.isTrue(apgr.interval[0] < apgr.value && apgr.value < apgr.interval[1])
    assert.isBelow(apgr.interval[1] - apgr.interval[0], 0.1)
    assert.isTrue(costAtEqualQuality.interval[0] < costAtEqualQuality.interval[1])
    assert.deepStrictEqual(draws(1), found)
    assert.notDeepEqual(draws(2).ours.drawn, found.ours.drawn)
  })

  it("has chance at exactly a half, and rankings in their order", () => {
    const { length, oracle, ours, random: chance } = draws(1)
    assert.deepStrictEqual(estimatesOf(chance).apgr, { value: 0.5, interval: [0.5, 0.5] })
    assert.isTrue(ours.figures.apgr > length.figures.apgr && oracle.figures.apgr > ours.figures.apgr)
    const ahead = lead(ours, length)
    assert.isAbove(ahead.interval[0], 0)
    assert.isBelow(ahead.interval[1] - ahead.interval[0], 0.15)
  })

  it("covers the truth about as often as it says", () => {
    // The true APGR of a useless score is a half: of 60 sets, at most a handful of intervals may miss it.
    const stream = seededRandom(8)
    let missed = 0
    for (let trial = 0; trial < 60; trial++) {
      const some = outcomeSetOf(Array.from({ length: 300 }, (_, i) => ({ weak: i % 2, strong: 1 })))
      const useless = besideOthers(
        some,
        Array.from({ length: 300 }, () => 0),
        { ours: Array.from({ length: 300 }, () => stream()) }
      )
      const { interval } = estimatesOf(
        bootstrap(some, { ours: useless.ours }, { random: stream, draws: 200 }).ours
      ).apgr
      if (interval[0] > 0.5 || interval[1] < 0.5) missed++
    }
    assert.isAtMost(missed, 10)
  })

  it("averages independent sets draw by draw, which narrows the interval", () => {
    const one = draws(1).ours
    const both = meanOf([one, draws(2).ours])
    assert.approximately(both.figures.apgr, one.figures.apgr, 1e-12)
    const width = ([low, high]: readonly [number, number]) => high - low
    assert.isBelow(width(estimatesOf(both).apgr.interval), width(estimatesOf(one).apgr.interval))
  })
})

describe("intervalOf", () => {
  it("leaves out 2.5 % at each end, and draws that mean nothing, unless those are many", () => {
    const values = Array.from({ length: 1_000 }, (_, index) => (index * 7) % 1_000)
    assert.deepStrictEqual(intervalOf(values), [25, 974])
    assert.deepStrictEqual(intervalOf([...values, Number.NaN]), [25, 974])
    assert.deepStrictEqual(intervalOf([1, 2, Number.NaN]), [Number.NaN, Number.NaN])
  })
})
