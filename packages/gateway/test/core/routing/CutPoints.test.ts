import { assert, describe, it } from "@effect/vitest"
import { bucketIndexOf, cutPointsOf } from "../../../src/core/routing/CutPoints.ts"
import { seeded } from "../call/Support.ts"

const moved = (cutPoints: ReadonlyArray<number>, preferShift: number) =>
  cutPointsOf({ buckets: [], cutPoints, preferShift, model: undefined, shadow: false })

describe("cutPointsOf", () => {
  it("moves all by the same, and less where that would leave the scale", () => {
    assert.deepStrictEqual(moved([0.35, 0.65, 0.85], 0.15), {
      none: [0.35, 0.65, 0.85],
      cost: [0.5, 0.8, 0.99],
      quality: [0.2, 0.5, 0.7]
    })
    assert.deepStrictEqual(moved([0.35, 0.65, 0.85], 0.5).cost, [0.85, 0.98, 0.99])
    assert.deepStrictEqual(moved([0.35, 0.65, 0.85], 0.5).quality, [0.01, 0.15, 0.35])
    assert.deepStrictEqual(moved([], 0.15), { none: [], cost: [], quality: [] })
  })

  it("keeps the order, inside the scale, and moves nothing the wrong way", () => {
    const { below } = seeded(1)
    for (let round = 0; round < 500; round++) {
      const drawn = new Set(Array.from({ length: 1 + below(6) }, () => (1 + below(999)) / 1000))
      const none = [...drawn].toSorted((a, b) => a - b)
      const { cost, quality } = moved(none, below(501) / 1000)
      for (const [index, point] of none.entries()) {
        assert.isAtLeast(cost[index]!, point)
        assert.isAtMost(quality[index]!, point)
        for (const list of [cost, quality]) {
          assert.isAbove(list[index]!, index === 0 ? 0 : list[index - 1]!)
          assert.isBelow(list[index]!, 1)
        }
      }
    }
  })
})

describe("bucketIndexOf", () => {
  it("puts a score that equals a cut point into the bucket above", () => {
    assert.deepStrictEqual(
      [0, 0.3499, 0.35, 0.85, 1].map((score) => bucketIndexOf(score, [0.35, 0.65, 0.85])),
      [0, 0, 1, 3, 3]
    )
    assert.strictEqual(bucketIndexOf(1, []), 0)
  })
})
