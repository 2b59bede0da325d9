import { assert, describe, it } from "@effect/vitest"
import { apgr, type Outcome } from "../../src/metrics/Apgr.ts"
import { seededRandom } from "../../src/SeededRandom.ts"

/** Half the prompts need the strong model. */
const outcomes = (scoreOf: (needed: boolean, index: number) => number): ReadonlyArray<Outcome> =>
  Array.from({ length: 1_000 }, (_, index) => {
    const needed = index % 2 === 0
    return { score: scoreOf(needed, index), weak: needed ? 0 : 1, strong: 1 }
  })

describe("apgr", () => {
  it("is a half for chance and for equal scores, and the largest and least possible for the right and the wrong order", () => {
    assert.strictEqual(apgr(outcomes(() => 0)), 0.5)
    const random = seededRandom(11)
    assert.approximately(apgr(outcomes(() => random())), 0.5, 0.03)
    // All that is gained is gained in the first half: the area under a ramp and a plateau.
    assert.approximately(apgr(outcomes((needed) => (needed ? 1 : 0))), 0.75, 1e-9)
    assert.approximately(apgr(outcomes((needed) => (needed ? 0 : 1))), 0.25, 1e-9)
  })

  it("doesn't depend on the order of the rows", () => {
    const rows = outcomes((needed, index) => (index % 3) + (needed ? 0.5 : 0))
    assert.approximately(apgr(rows.toReversed()), apgr(rows), 1e-12)
  })

  it("counts a prompt of weight two as two prompts", () => {
    const rows = outcomes((_, index) => index % 7).slice(0, 100)
    const doubled = rows.flatMap((row, index) => (index < 10 ? [row, row] : [row]))
    assert.approximately(apgr(rows.map((row, index) => ({ ...row, weight: index < 10 ? 2 : 1 }))), apgr(doubled), 1e-12)
  })
})
