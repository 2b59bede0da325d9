import { assert, describe, it } from "@effect/vitest"
import { KeyPage } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

const now = Date.UTC(2026, 10, 21, 12)

describe("listing keys", () => {
  it.effect("goes newest first in pages that lose and repeat nothing while keys are made", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const { createKey, send } = yield* startAdmin
      const made: Array<string> = []
      for (let count = 0; count < 5; count++) {
        made.unshift((yield* createKey({ name: `key ${count}` })).id)
        yield* TestClock.adjust("1 second")
      }
      const seen: Array<string> = []
      let after = ""
      for (let page = 0; page < 3; page++) {
        const { json } = yield* send("GET", `/admin/keys?limit=2${after}`)
        conforms(KeyPage, json)
        seen.push(...json.data.map((key: { id: string }) => key.id))
        assert.strictEqual(json.has_more, page < 2)
        assert.strictEqual(json.next, page < 2 ? seen.at(-1) : null)
        after = `&after=${json.next}`
        yield* createKey()
      }
      assert.deepStrictEqual(seen, made)
    })
  )

  it.effect("never shows a secret", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { id, key } = yield* createKey()
      assert.notInclude((yield* send("GET", "/admin/keys")).text, key)
      assert.notInclude((yield* send("GET", `/admin/keys/${id}`)).text, "mgw_")
    })
  )

  it.effect("filters by team, status and part of a name or id", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const a = yield* createKey({ name: "Alpha", team: "one" })
      const b = yield* createKey({ name: "beta", team: "two" })
      yield* send("DELETE", `/admin/keys/${b.id}`)
      const ids = (query: string) =>
        Effect.map(send("GET", `/admin/keys?${query}`), ({ json }) => json.data.map((key: { id: string }) => key.id))
      assert.deepStrictEqual(yield* ids("team=one"), [a.id])
      assert.deepStrictEqual(yield* ids("status=revoked"), [b.id])
      assert.deepStrictEqual(yield* ids("q=LPHA"), [a.id])
      assert.deepStrictEqual(yield* ids(`q=${b.id.slice(4, 12)}`), [b.id])
      assert.deepStrictEqual(yield* ids("team=two&status=active"), [])
    })
  )

  it.effect("refuses parameters that it does not know or can't read", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      for (const [query, param] of [
        ["limit=0", "limit"],
        ["limit=1001", "limit"],
        ["limit=ten", "limit"],
        ["limit=1.5", "limit"],
        ["limit=1&limit=2", "limit"],
        ["status=gone", "status"],
        ["after=key_nobody", "after"],
        ["page=2", "page"]
      ]) {
        const answer = yield* send("GET", `/admin/keys?${query}`)
        assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "invalid_field", param], query)
      }
      const { json } = yield* send("GET", "/admin/keys?page=2")
      assert.include(json.error.message, "limit, after, team, status, owner, unused_since, expires_before, q")
      const noNumber = yield* send("GET", "/admin/keys?limit=ten")
      assert.strictEqual(noNumber.json.error.message, "`limit`: Expected a number")
    })
  )
})
