import { readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { made } from "../../../scripts/wire/Made.ts"
import { readScenarios } from "../src/Render.ts"

const root = join(import.meta.dirname, "..", "..", "..")

describe("what is made from the API's description", () => {
  it("is what the description says: after a change run `npm run openapi`", () => {
    for (const [file, text] of made(root)) assert.strictEqual(readFileSync(file, "utf8"), text, relative(root, file))
  })

  it("has every operation that is marked for the clients, and no scenario asks for another", () => {
    const { operations } = JSON.parse(readFileSync(join(import.meta.dirname, "..", "wire.json"), "utf8"))
    const asked = new Set(readScenarios().flatMap(({ steps }) => steps.map(({ operation }) => operation)))
    asked.delete("construct")
    assert.deepStrictEqual([...asked].toSorted(), Object.keys(operations).toSorted())
  })
})
