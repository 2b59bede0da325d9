/** Documents that are written from data: the configuration reference from the schema, the providers from the vendors' files. */
import { assert, describe, it } from "@effect/vitest"
import { generatedPages } from "../../../../scripts/docs/Generated.ts"
import { readDocument } from "../support/DocumentFiles.ts"

describe("what `npm run docs -- --pages` writes", () => {
  for (const { file, write } of generatedPages) {
    it(`equals ${file}`, () => assert.strictEqual(readDocument(file), write()))
  }
})

describe("the configuration reference", () => {
  const rows = readDocument("docs/configuration.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"))

  it("describes every field in one sentence", () => {
    assert.isAbove(rows.length, 100)
    for (const row of rows) assert.match(row, /[^|] \| (?:reload|restart) \| .{10,}\. \|$/)
  })

  it("says what applies where a field is left out", () => {
    const silent = rows.filter((row) => /\|\s+\| (?:reload|restart) \|/.test(row))
    assert.deepStrictEqual(silent, [])
  })
})
