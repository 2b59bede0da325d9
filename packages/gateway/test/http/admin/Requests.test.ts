import { assert, describe, it } from "@effect/vitest"
import { Receipt, ReceiptPage } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

const now = Date.UTC(2026, 10, 21, 12, 30)
const HOUR = 3_600_000

/** A gateway in which two keys asked, an hour apart: `ids` are those of the receipts, oldest first. */
const started = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  const admin = yield* startAdmin
  const one = yield* admin.createKey({ team: "research" })
  const two = yield* admin.createKey()
  const ask = (key: string, model: string) =>
    Effect.map(
      admin.send("POST", "/v1/chat/completions", { model, messages: [{ role: "user", content: "Hello" }] }, { key }),
      ({ headers }) => String(headers["x-gateway-receipt-id"])
    )
  const ids = [yield* ask(one.key, "auto"), yield* ask(one.key, "demo/large")]
  yield* TestClock.setTime(now + HOUR)
  ids.push(yield* ask(two.key, "fast"))
  const list = (query = "") => admin.send("GET", `/admin/requests${query}`)
  const idsOf = (query: string) =>
    Effect.map(list(query), ({ json }) => json.data.map((receipt: { readonly id: string }) => receipt.id))
  return { ...admin, one, two, ids, list, idsOf }
})

describe("requests", () => {
  it.effect("come newest first, in pages that new ones do not move", () =>
    Effect.gen(function* () {
      const { ids, list, send, two } = yield* started
      const first = yield* list("?limit=2")
      assert.strictEqual(first.status, 200)
      conforms(ReceiptPage, first.json)
      assert.deepStrictEqual(
        first.json.data.map((receipt: { readonly id: string }) => receipt.id),
        [ids[2], ids[1]]
      )
      assert.deepStrictEqual([first.json.has_more, first.json.next], [true, ids[1]])
      const hello = { model: "fast", messages: [{ role: "user", content: "Hello" }] }
      yield* send("POST", "/v1/chat/completions", hello, { key: two.key })
      const second = yield* list(`?limit=2&after=${first.json.next}`)
      assert.deepStrictEqual(
        [second.json.data.map((receipt: { readonly id: string }) => receipt.id), second.json.has_more],
        [[ids[0]], false]
      )
      assert.isNull(second.json.next)
      assert.strictEqual(first.headers["cache-control"], "no-store")
    })
  )

  it.effect("tell which budget refused one, and by how much, also after they are written", () =>
    Effect.gen(function* () {
      const { createKey, list, send } = yield* started
      yield* send("PUT", "/admin/teams/poor", { budgets: [{ usd: 0.000_000_003, window: "day" }] })
      const { id, key } = yield* createKey({ team: "poor", budgets: [{ usd: 5, window: "month" }] })
      const hello = { model: "fast", messages: [{ role: "user", content: "Hello" }] }
      const refused = yield* send("POST", "/v1/chat/completions", hello, { key })
      assert.strictEqual(refused.status, 429)
      const [receipt] = (yield* list(`?key=${id}`)).json.data
      conforms(Receipt, receipt)
      assert.deepInclude(receipt.refused_by, {
        limit: "budget",
        scope: "team",
        window: "day",
        limit_usd: 0.000_000_003,
        used_usd: 0
      })
      assert.include(refused.json.error.message, String(receipt.refused_by.needed_usd))
      assert.isNull((yield* list("?status=ok")).json.data[0].refused_by)
    })
  )

  it.effect("by key, team, model, status and time", () =>
    Effect.gen(function* () {
      const { ids, idsOf, one, two } = yield* started
      assert.deepStrictEqual(yield* idsOf(`?key=${two.id}`), [ids[2]])
      assert.deepStrictEqual(yield* idsOf(`?key=${one.id}&model=auto`), [ids[0]])
      assert.deepStrictEqual(yield* idsOf("?team=research"), [ids[1], ids[0]])
      // What was asked for, and what served it.
      assert.deepStrictEqual(yield* idsOf("?model=fast"), [ids[2]])
      assert.deepStrictEqual(yield* idsOf("?model=demo/mini"), [ids[2], ids[0]])
      assert.deepStrictEqual(yield* idsOf("?status=failed"), [])
      assert.lengthOf(yield* idsOf("?status=ok"), 3)
      assert.deepStrictEqual(yield* idsOf("?from=2026-11-21T13:30:00Z"), [ids[2]])
      assert.deepStrictEqual(yield* idsOf("?to=2026-11-21T13:30:00Z"), [ids[1], ids[0]])
    })
  )

  it.effect("by tag, bucket, deployment, endpoint, stream, error, cost, duration, feedback and part of an id", () =>
    Effect.gen(function* () {
      const { ids, idsOf, list, one, send, two } = yield* started
      const failing = { model: "failover", messages: [{ role: "user", content: "Hello" }], stream: true }
      const headers = { "x-gateway-tags": "nightly" }
      const answer = yield* send("POST", "/v1/chat/completions", failing, { key: two.key, headers })
      const id = String(answer.headers["x-gateway-receipt-id"])
      yield* send("POST", `/v1/receipts/${ids[2]}/feedback`, { score: 0.2 }, { key: two.key })
      const all = [id, ids[2], ids[1], ids[0]]
      for (const [query, found] of [
        ["tag=nightly", [id]],
        ["bucket=simple", [ids[0]]],
        ["bucket=none", [id, ids[2], ids[1]]],
        ["deployment=demo/status-500", [id]],
        ["deployment=demo/mini", [id, ids[2], ids[0]]],
        ["endpoint=/v1/chat/completions", all],
        ["endpoint=/v1/embeddings", []],
        ["stream=true", [id]],
        ["stream=false", [ids[2], ids[1], ids[0]]],
        ["error=unavailable", [id]],
        ["min_cost_usd=0.000000001", all],
        ["min_cost_usd=1", []],
        ["min_duration_ms=0", all],
        ["min_duration_ms=3600000", []],
        ["feedback=given", [ids[2]]],
        ["feedback=bad", [ids[2]]],
        ["feedback=good", []],
        ["feedback=none", [id, ids[1], ids[0]]],
        [`q=${ids[1]?.slice(8)}`, [ids[1]]],
        [`q=${one.id}`, [ids[1], ids[0]]],
        ["stream=false&bucket=none&model=fast", [ids[2]]]
      ] as const) {
        assert.deepStrictEqual(yield* idsOf(`?${query}`), found, query)
      }
      for (const [query, param] of [
        ["stream=maybe", "stream"],
        ["error=bad%20luck", "error"],
        ["min_cost_usd=x", "min_cost_usd"],
        ["min_duration_ms=1.5", "min_duration_ms"],
        ["feedback=fine", "feedback"],
        [`q=${"x".repeat(101)}`, "q"]
      ]) {
        assert.deepStrictEqual(rowOf(yield* list(`?${query}`)), [400, "invalid_request_error", "invalid_field", param])
      }
    })
  )

  it.effect("are looked at one by one, by either id", () =>
    Effect.gen(function* () {
      const { ids, one, send } = yield* started
      const { json, status } = yield* send("GET", `/admin/requests/${ids[0]}`)
      assert.strictEqual(status, 200)
      conforms(Receipt, json)
      assert.deepInclude(json, { id: ids[0], key_id: one.id, team: "research", at: "2026-11-21T12:30:00.000Z" })
      const byRequest = yield* send("GET", `/admin/requests/${ids[0]!.replace("rcpt_", "req_")}`)
      assert.deepStrictEqual(byRequest.json, json)
    })
  )

  it.effect("that there are none of are not found, and questions that make no sense are refused", () =>
    Effect.gen(function* () {
      const { list, send } = yield* startAdmin.pipe(
        Effect.map((admin) => ({ ...admin, list: (query: string) => admin.send("GET", `/admin/requests${query}`) }))
      )
      const unknown = yield* send("GET", "/admin/requests/rcpt_nobody")
      assert.deepStrictEqual(rowOf(unknown), [404, "invalid_request_error", "not_found", null])
      assert.match(unknown.json.error.message, /`rcpt_nobody`.*not over yet/)
      for (const [query, param] of [
        ["?limit=0", "limit"],
        ["?limit=1001", "limit"],
        ["?status=broken", "status"],
        ["?from=yesterday", "from"],
        ["?after=rcpt_nobody", "after"],
        ["?color=red", "color"]
      ] as const) {
        assert.deepStrictEqual(rowOf(yield* list(query)), [400, "invalid_request_error", "invalid_field", param], query)
      }
      const { json } = yield* list("")
      assert.deepStrictEqual(json, { object: "list", data: [], has_more: false, next: null })
    })
  )
})
