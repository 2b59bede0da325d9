/** The size of the product is a budget: a number grows only with a reason. */
import { assert, describe, it } from "@effect/vitest"
import { differences, measured, sizeTable } from "../../../../scripts/size.ts"

describe("the size of the product", () => {
  const tree = measured()

  it("is what scripts/size.json allows", () => assert.deepStrictEqual(differences(sizeTable(), tree), []))

  it("leaves the gateway below 80,000 lines, and all tests below 1.2 times the source", () => {
    assert.isBelow(tree["lines of packages/gateway"] ?? Infinity, 80_000)
    const sources = Object.entries(tree).filter(([name]) => name.startsWith("lines of packages/"))
    const source = sources.reduce((sum, [, number]) => sum + number, 0)
    assert.isBelow((tree["lines of tests"] ?? Infinity) / source, 1.2)
  })
})

describe("a table", () => {
  const why = "a reason"

  it("is refused where the tree is larger, smaller, or has something that it does not list", () => {
    const table = { "lines of a": { most: 1_000, why }, endpoints: { most: 3, why: "" }, gone: { most: 1, why } }
    const found = differences(table, { "lines of a": 1_001, endpoints: 3, metrics: 2 })
    assert.deepStrictEqual(
      found.map((one) => one.slice(0, one.indexOf(":"))),
      ["lines of a", "endpoints", "metrics", "gone"]
    )
  })

  it("has to be lowered when lines have gone, and at once when there is less of anything else", () => {
    const table = { "lines of a": { most: 1_000, why }, endpoints: { most: 3, why } }
    assert.deepStrictEqual(differences(table, { "lines of a": 700, endpoints: 3 }), [])
    assert.lengthOf(differences(table, { "lines of a": 500, endpoints: 2 }), 2)
  })
})
