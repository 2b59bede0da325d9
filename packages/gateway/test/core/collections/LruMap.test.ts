import { assert, describe, it } from "@effect/vitest"
import { LruMap } from "../../../src/core/collections/LruMap.ts"

const HOUR_MS = 3_600_000

describe("RecentMap", () => {
  it("knows what it was told of within the last hour", () => {
    const map = new LruMap<string>()
    map.keep("a", "one", 0)
    assert.strictEqual(map.get("a", HOUR_MS - 1), "one")
    assert.isUndefined(map.get("a", HOUR_MS))
  })

  it("forgets what lies a month ahead, because the clock was set back", () => {
    const map = new LruMap<string>()
    map.keep("a", "one", 31 * 24 * HOUR_MS)
    assert.isUndefined(map.get("a", 0))
    map.keep("b", "two", 0)
    assert.strictEqual(map.size, 1)
    assert.strictEqual(map.get("b", 1), "two")
  })
})
