import { assert, describe, it } from "@effect/vitest"
import * as Credential from "../../../src/core/keys/Credential.ts"
import { seeded } from "../call/Support.ts"

const pepper = new Uint8Array(32).fill(7)
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

describe("Credential", () => {
  it("has a public id, a secret of 43 characters and a checksum, and names its key", () => {
    const { keyId, text } = Credential.generate()
    assert.match(text, /^mgw_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
    assert.deepStrictEqual(Credential.parse(text), { keyId })
    assert.strictEqual(keyId, `key_${text.slice(4, 16)}`)
    assert.notStrictEqual(Credential.generateFor(keyId), text)
    assert.deepStrictEqual(Credential.parse(Credential.generateFor(keyId)), { keyId })
  })

  it("refuses every credential with one character changed", () => {
    const chance = seeded(2)
    const { text } = Credential.generate()
    for (let index = 0; index < text.length; index++) {
      const other = chance.pick([...alphabet].filter((character) => character !== text[index]))
      assert.isUndefined(Credential.parse(text.slice(0, index) + other + text.slice(index + 1)), `character ${index}`)
    }
  })

  it("refuses what is too short, too long, of another alphabet or another kind", () => {
    const { text } = Credential.generate()
    for (const wrong of ["", "mgw_", text.slice(0, -1), `${text}0`, ` ${text}`, `${text}\n`, "sk-proj-abc", "mgw__"]) {
      assert.isUndefined(Credential.parse(wrong), JSON.stringify(wrong))
    }
  })

  it("uses every character of its alphabet about as often", () => {
    const counts = new Map<string, number>()
    for (let i = 0; i < 2_000; i++) {
      for (const character of Credential.generate().text.slice(17, 60)) {
        counts.set(character, (counts.get(character) ?? 0) + 1)
      }
    }
    const expected = (2_000 * 43) / 62
    assert.strictEqual(counts.size, 62)
    for (const [character, count] of counts) assert.closeTo(count, expected, expected * 0.2, character)
  })

  it("matches a secret that is current or in its grace, and no other", () => {
    const { text } = Credential.generate()
    const stored = Credential.hash(pepper, text)
    assert.match(stored, /^[0-9a-f]{64}$/)
    assert.isDefined(Credential.matching(pepper, text, [{ hash: stored, validUntil: null }], 1_000))
    assert.isDefined(Credential.matching(pepper, text, [{ hash: stored, validUntil: 1_001 }], 1_000))
    assert.isUndefined(Credential.matching(pepper, text, [{ hash: stored, validUntil: 1_000 }], 1_000))
    assert.isUndefined(Credential.matching(new Uint8Array(32), text, [{ hash: stored, validUntil: null }], 1_000))
    assert.isUndefined(Credential.matching(pepper, text, [], 1_000))
  })
})
