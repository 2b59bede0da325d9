import { assert, describe, it } from "@effect/vitest"
import { mismatches } from "../src/Match.ts"
import type { Json } from "../src/Scenario.ts"

const fits = (expected: Json, actual: unknown): boolean => mismatches(expected, actual).length === 0

describe("the judge's rules", () => {
  it("an object must hold what is expected and may hold more", () => {
    assert.isTrue(fits({ a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 }))
    assert.isFalse(fits({ a: { b: 1 } }, { a: { c: 1 } }))
    assert.isFalse(fits({ a: 1 }, null))
    assert.isFalse(fits({ toString: 1 }, {}))
  })

  it("a list must be equal item by item", () => {
    assert.isTrue(fits([{ a: 1 }], [{ a: 1, b: 2 }]))
    assert.isFalse(fits([{ a: 1 }], [{ a: 1 }, { a: 1 }]))
    assert.isFalse(fits([], undefined))
  })

  it.each<[Json, unknown, unknown]>([
    [{ $type: "null" }, null, 0],
    [{ $type: "integer" }, 1, 1.5],
    [{ $match: "^a.c$" }, "a\nc", "abcd"],
    [{ $above: 0 }, 1e-9, 0],
    [{ $least: 1 }, 1, 0.9],
    [{ $most: 1 }, 1, 1.1],
    [{ $length: 2 }, [1, 2], [1]],
    [{ $length: { $above: 0 } }, "a", ""],
    [{ $has: { a: 1 } }, [{ b: 1 }, { a: 1, c: 1 }], [{ a: 2 }]],
    [{ $absent: true }, undefined, "here"],
    [{ $any: [1, { $type: "null" }] }, null, 2],
    [{ $not: 1 }, 2, 1]
  ])("%j", (expected, right, wrong) => {
    assert.isTrue(fits(expected, right))
    assert.isFalse(fits(expected, wrong))
  })

  it("a rule that does not exist is a mistake in a scenario", () => {
    assert.throws(() => fits({ $atleast: 1 }, 1), "$atleast")
  })

  it("says where and what", () => {
    assert.deepStrictEqual(mismatches({ a: [{ b: 1 }] }, { a: [{ b: 2 }] }), ["a[0].b: expected 1, came 2"])
  })
})
