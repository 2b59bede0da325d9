import { assert, describe, it } from "@effect/vitest"
import { seededHash } from "../../../src/core/collections/SeededHash.ts"

describe("the seeded hash", () => {
  it("is HalfSipHash: with two and four rounds it has the values of its reference implementation", () => {
    const hash = seededHash(0x03020100, 0x07060504, 2, 4)
    const bytes = Uint8Array.from({ length: 5 }, (_, index) => index)
    const values = [0, 1, 2, 3, 4].map((length) => hash(bytes, 0, length) >>> 0)
    assert.deepStrictEqual(values, [0x5b9f35a9, 0xb85a4727, 0x03a662fa, 0x04e7fe8a, 0x89466e2a])
  })

  it("reads the bytes of its range alone, and differs by key", () => {
    const bytes = Buffer.from("..name..")
    const hash = seededHash(1, 2)
    assert.strictEqual(hash(bytes, 2, 6), hash(Buffer.from("name"), 0, 4))
    assert.notStrictEqual(hash(bytes, 2, 6), seededHash(1, 3)(bytes, 2, 6))
    assert.notStrictEqual(hash(bytes, 2, 6), seededHash(3, 2)(bytes, 2, 6))
  })
})
