import { assert, describe, it } from "@effect/vitest"
import { topLevelObject } from "../../../../src/providers/protocols/shared/TopLevelObject.ts"

const text = { type: "string" }
const number = { type: "number" }
const of = (properties: object, ...required: ReadonlyArray<string>) => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required })
})

describe("a schema whose top is no plain object", () => {
  it("is left alone where it is one", () => {
    const schema = of({ a: { anyOf: [text, number] } }, "a")
    assert.strictEqual(topLevelObject(schema), schema)
  })

  for (const name of ["anyOf", "oneOf"]) {
    it(`has all properties of ${name}, and requires what all require`, () => {
      const schema = { [name]: [of({ a: text, b: text }, "a", "b"), of({ a: number, c: text }, "a")] }
      const a = { anyOf: [text, number] }
      assert.deepStrictEqual(topLevelObject(schema), {
        type: "object",
        properties: { a, b: text, c: text },
        required: ["a"]
      })
    })
  }

  it("loses alternatives that only require", () => {
    const schema = {
      ...of({ a: text, b: text }, "a"),
      description: "x",
      anyOf: [{ required: ["a"] }, { required: ["b"] }]
    }
    assert.deepStrictEqual(topLevelObject(schema), { ...of({ a: text, b: text }, "a"), description: "x" })
  })

  it("requires all that parts of allOf require, and reads definitions", () => {
    const $defs = { A: of({ a: text }, "a") }
    const schema = { $defs, allOf: [{ $ref: "#/$defs/A" }, of({ b: text }, "b")] }
    assert.deepStrictEqual(topLevelObject(schema), { $defs, ...of({ a: text, b: text }, "a", "b") })
    assert.deepStrictEqual(topLevelObject({ $defs, $ref: "#/$defs/A" }), { $defs, ...of({ a: text }, "a") })
  })

  it("ends where a definition is its own part", () => {
    const $defs = { A: { $ref: "#/$defs/A" } }
    assert.deepStrictEqual(topLevelObject({ $defs, $ref: "#/$defs/A" }), { $defs, ...of({}) })
  })
})
