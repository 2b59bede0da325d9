import { assert, describe, it } from "@effect/vitest"
import * as Text from "../../src/output/TextOutput.ts"

describe("money", () => {
  it("has cents from a dollar up and shows small amounts all the same", () => {
    const expected: ReadonlyArray<readonly [number, string]> = [
      [0, "$0.00"],
      [1234567.891, "$1,234,567.89"],
      [10, "$10.00"],
      [0.996, "$1.00"],
      [0.5, "$0.50"],
      [0.0123456, "$0.0123"],
      [0.000_001_5, "$0.0000015"],
      [0.000_000_001, "$0.000000001"],
      [-2.5, "-$2.50"]
    ]
    for (const [usd, text] of expected) assert.strictEqual(Text.money(usd), text)
  })

  it("is a dash where it is unknown, never a zero", () => {
    assert.strictEqual(Text.money(null), "-")
  })
})

describe("time", () => {
  it("is UTC to the minute", () => {
    assert.strictEqual(Text.time("2026-10-01T14:30:59.123+02:00"), "2026-10-01 12:30")
    assert.strictEqual(Text.time(null), "-")
    assert.strictEqual(Text.time("soon"), "soon")
  })
})

describe("numbers", () => {
  it("are grouped", () => {
    assert.deepStrictEqual([0, 999, 1000, 1234567].map(Text.count), ["0", "999", "1,000", "1,234,567"])
  })

  it("milliseconds turn into seconds", () => {
    assert.deepStrictEqual([0.4, 85, 1250].map(Text.milliseconds), ["0 ms", "85 ms", "1.3 s"])
  })

  it("shares are percent", () => {
    assert.deepStrictEqual([0, 0.025, 1].map(Text.percent), ["0 %", "2.5 %", "100 %"])
  })
})

describe("names of others", () => {
  it("can't steer the terminal", () => {
    assert.strictEqual(Text.orNothing("a\u001b[31mb\r\nc\u202ed"), "a�[31mb��c�d")
    assert.strictEqual(Text.list(["a", "b\u0007"]), "a, b�")
  })

  it("are a dash where there are none", () => {
    assert.deepStrictEqual([Text.orNothing(null), Text.orNothing(""), Text.list([])], ["-", "-", "-"])
  })
})
