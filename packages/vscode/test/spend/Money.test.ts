import { assert, describe, it } from "@effect/vitest"
import { costText, dollars, percent } from "../../src/spend/Money.ts"

describe("an amount", () => {
  it("has cents, and two figures that count where it is less", () => {
    for (const [usd, text] of [
      [0, "$0.00"],
      [19.944, "$19.94"],
      [1234.5, "$1234.50"],
      [0.999, "$1.00"],
      [0.42, "$0.42"],
      [0.0561, "$0.056"],
      [0.000021, "$0.000021"],
      [0.000000001, "$0.000000001"],
      [-0.5, "-$0.50"]
    ] as const) {
      assert.strictEqual(dollars(usd), text)
    }
  })

  it("that is no number is not shown as one", () => {
    assert.strictEqual(dollars(Number.NaN), "$?")
  })

  it("that nobody knows is not 0", () => {
    assert.strictEqual(costText(null), "price unknown")
    assert.strictEqual(costText(0), "$0.00")
  })
})

describe("a share", () => {
  it("is not rounded up to a budget that is used up", () => {
    assert.strictEqual(percent(0.999), "99 %")
    assert.strictEqual(percent(1), "100 %")
  })
})
