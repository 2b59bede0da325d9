import { assert, describe, it } from "@effect/vitest"
import { featureNames, featureSet } from "../../../gateway/src/classifier/features/PromptFeatures.ts"
import { describeProblem, readOutcomeLine } from "../../src/training/Outcomes.ts"

const outcomes = { small: { quality: 0.5, cost_usd: 0.001 }, large: { quality: 1 } }
const read = (row: object) => readOutcomeLine(JSON.stringify(row), 7)
const wrong = (raw: string): ReadonlyArray<string> => {
  const found = readOutcomeLine(raw, 7)
  return "problems" in found ? found.problems.map(describeProblem) : []
}

describe("readOutcomeLine", () => {
  it("reads a row, with costs where it has them, and leaves other fields alone", () => {
    const found = read({ prompt: "hi", outcomes, at: "x" })
    assert.deepStrictEqual(found, {
      row: {
        line: 7,
        prompt: "hi",
        outcomes: new Map([
          ["small", { quality: 0.5, costUsd: 0.001 }],
          ["large", { quality: 1, costUsd: undefined }]
        ])
      }
    })
    assert.deepStrictEqual(readOutcomeLine(`  ${JSON.stringify({ prompt: "hi", outcomes })}\r`, 7), found)
  })

  it("takes the features of this release in place of a prompt", () => {
    const features = featureNames.map((_, index) => index)
    const found = read({ features, feature_set: featureSet, outcomes })
    assert.deepStrictEqual("row" in found && [found.row?.prompt, [...(found.row?.features ?? [])]], ["", features])
    assert.match(
      wrong(JSON.stringify({ features, feature_set: "old", outcomes }))[0]!,
      /^line 7, feature_set: must be "/
    )
    assert.match(wrong(JSON.stringify({ features: [1], feature_set: featureSet, outcomes }))[0]!, /^line 7, features: /)
  })

  it("names the line and the field of everything that is wrong, and what would be right", () => {
    assert.deepStrictEqual(wrong("{"), ["line 7: is not JSON; each line must be one JSON object"])
    assert.deepStrictEqual(wrong("[1]"), ["line 7: must be a JSON object"])
    assert.deepStrictEqual(wrong(JSON.stringify({ outcomes })), [
      "line 7, prompt: must be the text of the prompt, but is missing"
    ])
    assert.deepStrictEqual(wrong(`{"prompt": " ", "outcomes": {}}`), [
      "line 7, prompt: must not be empty",
      "line 7, outcomes: must be an object with a field for each deployment that responded, not {}"
    ])
    const broken = { a: 3, b: { quality: 1.5, cost_usd: -1 }, c: { quality: "1", cost_usd: null } }
    assert.deepStrictEqual(wrong(JSON.stringify({ prompt: "x", outcomes: broken })), [
      'line 7, outcomes.a: must be an object like {"quality": 0.5, "cost_usd": 0.001}, not 3',
      "line 7, outcomes.b.quality: must be a number from 0 to 1, not 1.5",
      "line 7, outcomes.b.cost_usd: must be an amount in USD, 0 or more, or absent, not -1",
      'line 7, outcomes.c.quality: must be a number from 0 to 1, not "1"'
    ])
  })
})
