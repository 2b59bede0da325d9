import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { windowOf, amountOf } from "../../src/keys/LitellmBudgets.ts"
import { textOf } from "../../src/keys/DecodeText.ts"
import * as Values from "../../src/keys/ColumnValues.ts"

const value = <A>(read: Result.Result<A, string>) => Result.getOrUndefined(read)

describe("the values of a cell", () => {
  it.each([
    ["{}", []],
    ["[]", []],
    ['{gpt-4o,"claude-*"}', ["gpt-4o", "claude-*"]],
    ['{"a \\"b\\" \\\\c", d e }', ['a "b" \\c', "d e"]],
    ['["a","b,c"]', ["a", "b,c"]]
  ])("a list %s", (text, items) => {
    assert.deepStrictEqual(value(Values.list(text)), items)
  })

  it.each(["", "gpt-4o", "{a", '{"a}', "{a}b}", "[1]", '["a"', '{"a" b}', "{{a}}"])("no list %s", (text) => {
    assert.isUndefined(value(Values.list(text)))
  })

  it.each([
    ["2026-12-31 23:59:59.123", "2026-12-31T23:59:59.123Z"],
    ["2026-12-31T23:59:59+02", "2026-12-31T21:59:59.000Z"],
    ["2026-12-31 23:59:59+0530", "2026-12-31T18:29:59.000Z"],
    ["2026-12-31 23:59", "2026-12-31T23:59:00.000Z"],
    ["2026-12-31", "2026-12-31T00:00:00.000Z"]
  ])("a time %s", (text, expected) => {
    assert.strictEqual(value(Values.time(text)), Date.parse(expected))
  })

  it.each(["", "tomorrow", "31.12.2026", "1795372315", "2026-13-01", "2026-12-31 25:00"])("no time %s", (text) => {
    assert.isUndefined(value(Values.time(text)))
  })

  it("numbers, whole or not, and nothing else", () => {
    assert.strictEqual(value(Values.number(" 1e-7 ")), 1e-7)
    assert.strictEqual(value(Values.whole("60.0")), 60)
    for (const wrong of ["", "NaN", "Infinity", "1,5", "60.5", "1e400", "12345678901234567890"]) {
      assert.isUndefined(value(Values.whole(wrong)), wrong)
    }
  })
})

describe("budgets", () => {
  it.each([
    ["1h", "hour"],
    ["hourly", "hour"],
    ["24h", "day"],
    ["1d", "day"],
    ["7d", "week"],
    ["1w", "week"],
    ["30d", "month"],
    ["1mo", "month"],
    ["monthly", "month"]
  ])("%s is %s, as it was", (text, window) => {
    assert.deepStrictEqual(value(windowOf(text)), { window, change: "" })
  })

  it.each([
    ["30s", "hour"],
    ["12h", "day"],
    ["3d", "week"],
    ["14d", "month"],
    ["2mo", "total"],
    ["365d", "total"]
  ])("%s lasts longer here, as %s, and is told", (text, window) => {
    const mapped = value(windowOf(text))
    assert.strictEqual(mapped?.window, window)
    assert.isNotEmpty(mapped?.change)
  })

  it.each(["", "0d", "-1d", "soon", "1y", "d", "1.5d"])("%s is no duration", (text) => {
    assert.isUndefined(value(windowOf(text)))
  })

  it("never give more than was given", () => {
    for (const usd of [0.1, 1e-9, 1.0000000009, 33.333333333333, 8_999_999.125, 1e12]) {
      assert.isAtMost(amountOf(usd).limit / 1e9, usd)
    }
    assert.strictEqual(amountOf(10).limit, 10_000_000_000)
    assert.strictEqual(amountOf(1e-10).limit, 0)
  })
})

describe("the text of a file", () => {
  it.each([
    [[], /empty/],
    [[0xff, 0xfe, 0x74, 0], /UTF-16/],
    [[0x74, 0, 0x6f, 0], /UTF-16/],
    [[0x1f, 0x8b, 8, 0], /compressed/],
    [[0x50, 0x4b, 3, 4], /spreadsheet/],
    [[0x74, 0x6f, 0xe4, 0x0a], /no UTF-8/],
    [[0x74, 0x6f, 0x0a, 0x61, 0], /line 2 holds a zero byte/]
  ])("%j is none", (bytes, why) => {
    const text = textOf(Uint8Array.from(bytes))
    assert.match(Result.isFailure(text) ? text.failure : "", why)
  })
})
