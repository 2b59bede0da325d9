import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { sealingWith } from "../../../src/core/admin/Sealing.ts"

const [a, b] = ["a", "b"].map((letter) => Redacted.make(letter.repeat(32)))

describe("sealing", () => {
  it("opens only for the same purpose and owner, and no changed text", () => {
    const { open, seal } = sealingWith([a!])
    const sealed = seal("refresh token", "user_1", "secret")
    assert.strictEqual(open("refresh token", "user_1", sealed), "secret")
    assert.isUndefined(open("sign-in", "user_1", sealed))
    assert.isUndefined(open("refresh token", "user_2", sealed))
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice(0, at) + (sealed[at] === "A" ? "B" : "A") + sealed.slice(at + 1)
      const text = open("refresh token", "user_1", changed)
      // The last character may hold bits that stand for nothing.
      if (text !== undefined) assert.strictEqual(Buffer.from(changed, "base64url").toString("base64url"), sealed)
    }
    for (const text of ["", "x", "%%%", "A".repeat(38)]) assert.isUndefined(open("refresh token", "user_1", text))
  })

  it("opens with every secret of the list and seals with the first", () => {
    const old = sealingWith([a!]).seal("x", "y", "text")
    const both = sealingWith([b!, a!])
    assert.strictEqual(both.open("x", "y", old), "text")
    assert.strictEqual(sealingWith([b!]).open("x", "y", both.seal("x", "y", "new")), "new")
    assert.isUndefined(sealingWith([b!]).open("x", "y", old))
  })
})
