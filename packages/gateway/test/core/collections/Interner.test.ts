import { assert, describe, it } from "@effect/vitest"
import { Interner } from "../../../src/core/collections/Interner.ts"

describe("Shared", () => {
  it("gives equal values as one, and different ones as they are", () => {
    const shared = new Interner()
    const first = shared.of("limits", { rpm: 1 })
    assert.strictEqual(shared.of("limits", { rpm: 1 }), first)
    assert.deepStrictEqual(shared.of("limits", { rpm: 2 }), { rpm: 2 })
    assert.isNull(shared.of("team", null))
    assert.strictEqual(shared.of("team", "red"), "red")
  })

  it("keeps kinds apart whose JSON is the same", () => {
    const shared = new Interner()
    shared.of("limits", { rpm: undefined })
    assert.deepStrictEqual(Object.keys(shared.of("metadata", {})), [])
  })

  it("stays right when it forgets", () => {
    const shared = new Interner()
    for (let round = 0; round < 2; round++) {
      for (let number = 0; number < 15_000; number++) {
        assert.deepStrictEqual(shared.of("metadata", { number }), { number })
      }
    }
  })
})
