import { assert, it } from "@effect/vitest"
import { formatUsd, readUsd, toNanoUsd, toUsd } from "../../src/spend/Money.ts"

it("whole nano-dollars survive the way through a number, up to four million dollars", () => {
  for (const nano of [0, 1, 41_550, 300_000_001, 999_999_999, 1_000_000_001, 3_999_999_999_999_999]) {
    const decimal = `${Math.floor(nano / 1e9)}.${String(nano % 1e9).padStart(9, "0")}`
    assert.strictEqual(toNanoUsd(readUsd(decimal)!), nano)
    assert.strictEqual(toNanoUsd(toUsd(nano)), nano)
  }
})

it("sums are exact where a sum of numbers would not be", () => {
  const costs = Array.from({ length: 10 }, () => 0.1)
  assert.notStrictEqual(
    costs.reduce((sum, cost) => sum + cost, 0),
    1
  )
  assert.strictEqual(toUsd(costs.reduce((sum, cost) => sum + toNanoUsd(cost), 0)), 1)
})

it("what is no amount is none", () => {
  for (const value of ["", "1e-7", "-1", "free", null, undefined, Number.NaN, {}]) {
    assert.isUndefined(readUsd(value))
  }
})

it("small amounts are told without an exponent", () => {
  assert.deepStrictEqual([0, 1e-9, 0.00004155, 1, 10, 2.5].map(formatUsd), [
    "0",
    "0.000000001",
    "0.00004155",
    "1",
    "10",
    "2.5"
  ])
})
