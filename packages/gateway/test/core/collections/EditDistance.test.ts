import { assert, describe, it } from "@effect/vitest"
import { editDistance } from "../../../src/core/collections/EditDistance.ts"

describe("edit distance", () => {
  it("counts letters added, left out, replaced and swapped, whatever their case", () => {
    assert.strictEqual(editDistance("openai", "OpenAI"), 0)
    assert.strictEqual(editDistance("opnai", "openai"), 1)
    assert.strictEqual(editDistance("openia", "openai"), 1)
    assert.strictEqual(editDistance("kitten", "sitting"), 3)
    assert.strictEqual(editDistance("", "abc"), 3)
  })
})
