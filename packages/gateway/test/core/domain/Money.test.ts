import { assert, describe, it } from "@effect/vitest"
import { MAX_BUDGET_USD, nanoToDecimal, nanoToUsd, usdToNano } from "../../../src/core/domain/Money.ts"
import { costOf, outputThatFits, worstCase } from "../../../src/core/domain/pricing/Pricing.ts"
import {
  eachClass,
  hasRare,
  inputTokens,
  isWhole,
  noUsage,
  outputTokens,
  plus,
  rareClasses,
  totalTokens,
  usageClasses
} from "../../../src/core/domain/Usage.ts"
import { oneAndTwo, priceSheet, rates, seeded } from "../call/Support.ts"

describe("Money", () => {
  it("writes plain decimals, never an exponent", () => {
    const cases: ReadonlyArray<readonly [number, string]> = [
      [0, "0"],
      [1, "0.000000001"],
      [1_500, "0.0000015"],
      [1_000_000_000, "1"],
      [1_200_000_000, "1.2"],
      [-1, "-0.000000001"],
      [usdToNano(MAX_BUDGET_USD), "9000000"],
      [8_999_999_999_999_999, "8999999.999999999"]
    ]
    for (const [nano, text] of cases) assert.strictEqual(nanoToDecimal(nano), text)
  })

  it("comes back from decimal and USD unchanged", () => {
    const chance = seeded(6)
    for (let i = 0; i < 5_000; i++) {
      const nano = Math.floor(chance.next() ** 4 * 1e15)
      assert.strictEqual(usdToNano(Number(nanoToDecimal(nano))), nano)
      assert.strictEqual(usdToNano(nanoToUsd(nano)), nano)
    }
  })
})

describe("Pricing", () => {
  it("adds all classes up exactly and rounds once, half up", () => {
    const price = priceSheet({ ...rates(0, 0), input: 37_500, output: 150_000 })
    // 13 × 37.5 = 487.5 nano
    assert.strictEqual(costOf(price, { ...noUsage, input: 13 }, 0), 488)
    assert.strictEqual(costOf(price, { ...noUsage, input: 13, output: 1 }, 0), 638)
    assert.strictEqual(costOf(price, noUsage, 0), 0)
  })

  it("charges every class its own rate", () => {
    let bit = 500
    const price = priceSheet(eachClass(() => (bit *= 2)))
    const each = usageClasses.map(({ name }) => costOf(price, { ...noUsage, [name]: 1 }, 0))
    assert.deepStrictEqual(
      each,
      usageClasses.map((_, index) => 2 ** index)
    )
    for (const { name, side, unit } of usageClasses) {
      const one = { ...noUsage, [name]: 1 }
      const isRead = unit === "token" && side === "in"
      const isProduced = unit === "token" && side === "out"
      assert.deepStrictEqual([inputTokens(one), outputTokens(one)], [isRead ? 1 : 0, isProduced ? 1 : 0], name)
      assert.deepStrictEqual(plus(one, one), { ...noUsage, [name]: 2 })
      assert.strictEqual(hasRare(one), rareClasses.includes(name), name)
      for (const wrong of [-1, 0.5, Number.NaN]) assert.isFalse(isWhole({ ...noUsage, [name]: wrong }), name)
      // What was not used may have no price.
      assert.strictEqual(costOf(priceSheet(eachClass((other) => (other.name === name ? 1000 : Number.NaN))), one, 0), 1)
      assert.isNaN(costOf(priceSheet(eachClass((other) => (other.name === name ? Number.NaN : 1000))), one, 0))
    }
    assert.isTrue(isWhole(eachClass(() => 3)))
    const all = eachClass(() => 1)
    assert.strictEqual(costOf(price, all, 0), 2 ** usageClasses.length - 1)
    assert.strictEqual(inputTokens(all), 8)
    assert.strictEqual(outputTokens(all), 4)
    assert.strictEqual(totalTokens(all), 12)
  })

  it("is in the tier of the whole input, and one more token is the next tier", () => {
    const price = priceSheet(rates(1, 1), [
      { above: 100, rates: rates(2, 2) },
      { above: 200, rates: rates(3, 3) }
    ])
    const cost = (input: number, cachedInput: number) => costOf(price, { ...noUsage, input, cachedInput, output: 1 }, 0)
    assert.strictEqual(cost(100, 0), 101)
    assert.strictEqual(cost(50, 51), 204)
    assert.strictEqual(cost(0, 201), 606)
  })

  it("never lets an answer within its limits cost more than the worst case", () => {
    const chance = seeded(8)
    const rate = () => chance.below(50_000)
    for (let i = 0; i < 3_000; i++) {
      const price = priceSheet(eachClass(rate))
      const isChat = (unit: string) => unit === "token" || unit === "call"
      const usage = eachClass(({ unit }) => (isChat(unit) ? chance.below(1_000) : 0))
      const input = inputTokens(usage) - usage.audioInput
      const most = { input, audioInput: usage.audioInput, output: outputTokens(usage), calls: usage }
      const worst = worstCase(price, most, 0)
      assert.isAtMost(costOf(price, usage, 0), worst)
    }
  })

  it("finds the most output that fits, and not one token more", () => {
    const chance = seeded(9)
    for (let i = 0; i < 3_000; i++) {
      const price = priceSheet({ ...rates(0, 0), input: chance.below(5_000), output: 1 + chance.below(5_000) })
      const input = chance.below(1_000)
      const room = chance.below(20_000)
      const output = outputThatFits(price, { input }, room, 0)
      if (output < 0) {
        assert.isAbove(price.ratesAt(0).base.input * input, room * 1_000)
        continue
      }
      assert.isAtMost(worstCase(price, { input, output }, 0), room)
      assert.isAtLeast(worstCase(price, { input, output: output + 1 }, 0), room)
    }
    assert.strictEqual(outputThatFits(priceSheet(rates(1, 0)), { input: 10 }, 9, 0), -1)
    assert.isAbove(outputThatFits(priceSheet(rates(1, 0)), { input: 10 }, 10, 0), 1e9)
    assert.strictEqual(outputThatFits(oneAndTwo, { input: 10 }, 20, 0), 5)
  })
})
