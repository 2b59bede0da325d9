import { assert, describe, it } from "@effect/vitest"
import { describeProblem, readOutcomes } from "../../src/router/Outcomes.ts"

const good = `{"prompt": "hi", "outcomes": {"small": {"quality": 0.5, "cost_usd": 0.001}, "large": {"quality": 1}}, "at": "x"}`

describe("readOutcomes", () => {
  it("reads rows with their lines, and skips blank lines and a byte order mark", () => {
    const { problems, rows } = readOutcomes(`\uFEFF\n${good}\r\n\n  \n${good}`)
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(
      rows.map(({ line }) => line),
      [2, 5]
    )
    assert.deepStrictEqual(
      [...rows[0]!.outcomes],
      [
        ["small", { quality: 0.5, costUsd: 0.001 }],
        ["large", { quality: 1, costUsd: undefined }]
      ]
    )
  })

  it("names the line and the field of everything that is wrong, and keeps the rows that are right", () => {
    const { problems, rows } = readOutcomes(
      [
        "{",
        "[1]",
        `{"outcomes": {"a": {"quality": 1}}}`,
        good,
        `{"prompt": " ", "outcomes": {}}`,
        `{"prompt": "x", "outcomes": {"a": 3, "b": {"quality": 1.5, "cost_usd": -1}, "c": {"quality": "1", "cost_usd": null}}}`
      ].join("\n")
    )
    assert.deepStrictEqual(
      rows.map(({ line }) => line),
      [4]
    )
    assert.deepStrictEqual(
      problems.map(({ field, line }) => `${line} ${field}`),
      [
        "1 ",
        "2 ",
        "3 prompt",
        "5 prompt",
        "5 outcomes",
        "6 outcomes.a",
        "6 outcomes.b.quality",
        "6 outcomes.b.cost_usd",
        "6 outcomes.c.quality"
      ]
    )
    assert.strictEqual(
      describeProblem(problems[6]!),
      "line 6, outcomes.b.quality: must be a number from 0 to 1, not 1.5"
    )
    assert.strictEqual(describeProblem(problems[0]!), "line 1: is not JSON; each line must be one JSON object")
  })
})
