import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parseCsv } from "../../src/keys/Csv.ts"

const rows = (text: string) =>
  Result.getOrThrow(Result.map(parseCsv(text), (found) => found.map((row) => row.map((cell) => cell.text))))

const problem = (text: string) => {
  const parsed = parseCsv(text)
  return Result.isFailure(parsed) ? parsed.failure : assert.fail("it was read")
}

describe("parseCsv", () => {
  it("reads cells in quotes with commas, quotes and lines, whatever ends a line", () => {
    assert.deepStrictEqual(rows('a,b\r\n"x,""y""","1\n2"\n"",\r\rlast,"end"'), [
      ["a", "b"],
      ['x,"y"', "1\n2"],
      ["", ""],
      ["last", "end"]
    ])
    assert.deepStrictEqual(rows("a,b,"), [["a", "b", ""]])
    assert.deepStrictEqual(rows(""), [])
    assert.deepStrictEqual(rows("\n\n"), [])
  })

  it("says where a cell begins, behind cells of several lines", () => {
    const parsed = Result.getOrThrow(parseCsv('a,b\n"1\n2\n3",x\ny,z\n'))
    assert.deepInclude(parsed[1]?.[1], { text: "x", line: 4, column: 4 })
    assert.deepInclude(parsed[2]?.[0], { text: "y", line: 5, column: 1 })
    assert.isTrue(parsed[1]?.[0]?.isQuoted)
  })

  it("names the place where the quotes go wrong", () => {
    assert.deepStrictEqual(problem('a,b\nc,"d'), { line: 2, column: 3, message: "these quotes are never closed" })
    assert.deepInclude(problem('a,b"c"'), { line: 1, column: 4 })
    assert.deepInclude(problem('a\n"b"c'), { line: 2, column: 4 })
  })
})
