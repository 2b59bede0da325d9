import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Credential from "../../src/core/Credential.ts"
import { KnownIds } from "../../src/core/KnownIds.ts"
import type { KeyRepository } from "../../src/core/Store.ts"

const ids = (count: number) => Array.from({ length: count }, () => Credential.generate().keyId)

describe("KnownIds", () => {
  it("denies no id that was added, however many more than it was made for", () => {
    for (const count of [0, 1, 5_000, 200_000]) {
      const added = Array.from({ length: count }, (_, n) => `key_${n.toString(36).padStart(12, "0")}`)
      const known = new KnownIds(0)
      for (const id of added) known.add(id)
      assert.isTrue(added.every((id) => known.mayHold(id)))
    }
  })

  it("denies nearly all others", () => {
    const known = new KnownIds(20_000)
    for (const id of ids(20_000)) known.add(id)
    const passed = ids(20_000).filter((id) => known.mayHold(id)).length
    assert.isBelow(passed, 100)
    assert.isFalse(new KnownIds(0).mayHold("key_000000000000"))
  })

  it.live("reads many of a repository beside other work, and denies none before it has read all", () =>
    Effect.gen(function* () {
      const all = ids(50_000).sort()
      const repository = {
        count: Effect.succeed(all.length),
        idsAfter: (id: string, limit: number) => {
          const from = all.findIndex((one) => one > id)
          return Effect.succeed(from < 0 ? [] : all.slice(from, from + limit))
        }
      } as Partial<KeyRepository["Service"]> as KeyRepository["Service"]
      const known = yield* KnownIds.of(repository)
      assert.isTrue(known.mayHold("key_made_up0000"))
      while (known.mayHold("key_made_up0000")) yield* Effect.yieldNow
      assert.isTrue(all.every((id) => known.mayHold(id)))
    })
  )
})
