import { assert, describe, it } from "@effect/vitest"
import * as Credential from "../../../src/core/keys/Credential.ts"
import { BloomFilter } from "../../../src/core/collections/BloomFilter.ts"

const ids = (count: number) => Array.from({ length: count }, () => Credential.generate().keyId)

describe("KnownIds", () => {
  it("denies no id that was added, however many more than it was made for", () => {
    for (const count of [0, 1, 5_000, 200_000]) {
      const added = Array.from({ length: count }, (_, n) => `key_${n.toString(36).padStart(12, "0")}`)
      const known = new BloomFilter(0)
      for (const id of added) known.add(id)
      assert.isTrue(added.every((id) => known.mayHold(id)))
    }
  })

  it("denies nearly all others", () => {
    const known = new BloomFilter(20_000)
    for (const id of ids(20_000)) known.add(id)
    const passed = ids(20_000).filter((id) => known.mayHold(id)).length
    assert.isBelow(passed, 100)
    assert.isFalse(new BloomFilter(0).mayHold("key_000000000000"))
  })
})
