import { assert, describe, it } from "@effect/vitest"
import { defaultModel } from "../../../src/classifier/model/Builtin.ts"
import { contribution, linearScore, prepareLinear } from "../../../src/classifier/model/Tuned.ts"
import { rankOf } from "../../../src/classifier/model/Model.ts"

const small = prepareLinear({
  clip: 2,
  features: [
    { name: "one", mean: 10, deviation: 2, weight: 0.5 },
    { name: "two", mean: 0, deviation: 1, weight: -1 }
  ]
})
const steps = [-1, 0, 0, 1, 3]

describe("linearScore", () => {
  it("adds up weighted deviations, none of them past the clip", () => {
    assert.strictEqual(contribution(small, 0, 12), 0.5)
    assert.strictEqual(contribution(small, 0, 1_000), 1)
    assert.strictEqual(contribution(small, 1, -1_000), 2)
    assert.strictEqual(linearScore(small, [12, 1]), -0.5)
  })
})

describe("rankOf", () => {
  it("interpolates between the quantiles and stops at 0 and 1", () => {
    assert.deepStrictEqual(
      [-9, -1, -0.5, 0, 0.5, 2, 3, 9].map((raw) => rankOf(steps, raw)),
      [0, 0, 0.125, 0.5, 0.625, 0.875, 1, 1]
    )
  })

  it("is a rank whatever the weights of a model come to", () => {
    assert.deepStrictEqual(
      [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NaN].map((raw) => rankOf(steps, raw)),
      [0, 1, 1]
    )
  })

  it("never falls as the raw score rises, and uses the whole range", () => {
    const quantiles = [...defaultModel.quantiles]
    assert.deepStrictEqual(
      quantiles,
      quantiles.toSorted((a, b) => a - b)
    )
    const [from, to] = [quantiles[0]! - 1, quantiles.at(-1)! + 1]
    const ranks = Array.from({ length: 5_001 }, (_, i) => rankOf(quantiles, from + ((to - from) * i) / 5_000))
    assert.deepStrictEqual(
      ranks,
      ranks.toSorted((a, b) => a - b)
    )
    assert.strictEqual(ranks[0], 0)
    assert.strictEqual(ranks.at(-1), 1)
  })

  it("gives each quantile its own rank", () => {
    const quantiles = [...defaultModel.quantiles]
    for (const [step, quantile] of quantiles.entries()) {
      assert.approximately(rankOf(quantiles, quantile), step / (quantiles.length - 1), 0.011)
    }
  })
})
