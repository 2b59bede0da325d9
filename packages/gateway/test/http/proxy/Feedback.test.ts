/** Scores for answers, through the real port and on a real disk. */
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Feedback, Receipt } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call } from "../../support/RawHttp.ts"
import {
  demoYaml,
  limits,
  masterKey,
  type RunningGateway,
  startGateway,
  temporaryStore
} from "../../support/RunningGateway.ts"
import { conforms, rowOf } from "../AdminClient.ts"

const NOW = Date.UTC(2026, 10, 21, 12)

/** Asks, and knows the receipt by its id. */
const asked = Effect.fnUntraced(function* ({ url }: RunningGateway, key: string, stream = false) {
  const body = { model: "auto", stream, messages: [{ role: "user", content: "Hello" }] }
  const { headers, status } = yield* call(url, { path: "/v1/chat/completions", key, body })
  assert.strictEqual(status, 200)
  return String(headers["x-gateway-receipt-id"])
})

const rate = ({ url }: RunningGateway, key: string, id: string, body: unknown) =>
  call(url, { path: `/v1/receipts/${id}/feedback`, key, body })

const read = ({ url }: RunningGateway, key: string, id: string) =>
  call(url, { method: "GET", path: `/v1/receipts/${id}`, key })

/** A gateway, a key, and a request of it that was answered just now. */
const started = Effect.fnUntraced(function* (yaml = "", store?: string) {
  const gateway = yield* startGateway({ yaml: demoYaml + yaml, ...(store === undefined ? {} : { store }) })
  const { secret } = yield* gateway.createKey()
  return { gateway, secret, id: yield* asked(gateway, secret) }
})

const rows = (store: string, table: string) =>
  Effect.sync(() => {
    const db = new DatabaseSync(store, { readOnly: true })
    const { count } = db.prepare(`SELECT count(*) AS count FROM ${table}`).get()!
    db.close()
    return Number(count)
  })

describe("feedback", () => {
  it.effect("is taken right after the answer, stands in the receipt for caller and administrator, over a restart", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const store = yield* temporaryStore
      const first = Effect.gen(function* () {
        const { gateway, id, secret } = yield* started("", store)
        assert.isNull((yield* read(gateway, secret, id)).json.feedback)
        const { json, status } = yield* rate(gateway, secret, id, { score: 0.1 })
        assert.strictEqual(status, 200)
        conforms(Feedback, json)
        const at = "2026-11-21T12:00:00.000Z"
        assert.deepStrictEqual(json, { object: "receipt.feedback", receipt_id: id, score: 0.1, at })
        const streamed = yield* asked(gateway, secret, true)
        assert.strictEqual((yield* rate(gateway, secret, streamed.replace("rcpt_", "req_"), { score: 1 })).status, 200)
        return { id, secret, streamed }
      })
      const { id, secret, streamed } = yield* Effect.scoped(first)
      const gateway = yield* startGateway({ store })
      const receipt = (yield* read(gateway, secret, id)).json
      conforms(Receipt, receipt)
      assert.deepStrictEqual(receipt.feedback, { score: 0.1, at: "2026-11-21T12:00:00.000Z" })
      assert.deepStrictEqual((yield* gateway.admin("GET", `/admin/requests/${id}`)).json, receipt)
      const { data } = (yield* gateway.admin("GET", "/admin/requests")).json
      assert.deepStrictEqual(
        data.map((one: Receipt) => [one.id, one.feedback?.score]),
        [
          [streamed, 1],
          [id, 0.1]
        ]
      )
    })
  )

  it.effect("given again takes the place of the one before; the same again changes nothing", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { gateway, id, secret } = yield* started()
      const first = (yield* rate(gateway, secret, id, { score: 0 })).json
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual((yield* rate(gateway, secret, id, { score: 0 })).json, first)
      const second = (yield* rate(gateway, secret, id, { score: 1 })).json
      assert.deepInclude(second, { score: 1, at: "2026-11-21T12:01:00.000Z" })
      assert.deepStrictEqual((yield* read(gateway, secret, id)).json.feedback, { score: 1, at: second.at })
    })
  )

  it.effect("that is none is refused with what would be right, and loses nothing", () =>
    Effect.gen(function* () {
      const { gateway, id, secret } = yield* started()
      const range = /a number from 0 \(useless\) to 1/
      const cases: ReadonlyArray<readonly [body: unknown, param: string | null, message: RegExp]> = [
        [{}, "score", /missing/],
        [{ score: "0.5" }, "score", /number/],
        [{ score: null }, "score", /number/],
        [{ score: -0.001 }, "score", range],
        [{ score: 1.001 }, "score", range],
        [{ score: 0.5, comment: "nice" }, "comment", /no such field.*score/],
        [[0.5], null, /an object such as/],
        [new TextEncoder().encode("0.5"), null, /an object such as/]
      ]
      yield* rate(gateway, secret, id, { score: 0.25 })
      for (const [body, param, message] of cases) {
        const answer = yield* rate(gateway, secret, id, body)
        const row = [400, "invalid_request_error", "invalid_field", param]
        assert.deepStrictEqual(rowOf(answer), row, JSON.stringify(body))
        assert.match(answer.json.error.message, message)
      }
      assert.deepStrictEqual((yield* rate(gateway, secret, id, "{nope")).json.error.code, "invalid_json")
      assert.strictEqual((yield* rate(gateway, secret, id, { score: 1, x: "x".repeat(5000) })).status, 413)
      assert.strictEqual((yield* read(gateway, secret, id)).json.feedback.score, 0.25)
    })
  )

  it.effect("is nobody's but the caller's", () =>
    Effect.gen(function* () {
      const { gateway, id, secret } = yield* started()
      const other = yield* gateway.createKey()
      for (const [key, name] of [
        [other.secret, id],
        [secret, "rcpt_nobody"],
        [secret, id.replace(/.$/, (last) => (last === "0" ? "1" : "0"))],
        [secret, "x%2Fy"]
      ] as const) {
        const answer = yield* rate(gateway, key, name, { score: 1 })
        assert.strictEqual(answer.status, 404, name)
        assert.match(answer.json.error.message, /receipt/)
      }
      assert.isNull((yield* read(gateway, secret, id)).json.feedback)
      assert.strictEqual((yield* rate(gateway, masterKey, id, { score: 1 })).status, 403)
      const wrong = yield* call(gateway.url, { method: "GET", path: `/v1/receipts/${id}/feedback`, key: secret })
      assert.deepStrictEqual([wrong.status, wrong.headers["allow"]], [405, "POST"])
    })
  )

  it.effect("takes nothing of the requests per minute, and is limited to as many itself", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const gateway = yield* startGateway({ yaml: demoYaml })
      yield* gateway.keys.putTeam("red", { limits: limits({ rpm: 3 }), budgets: [] })
      const [one, two] = [
        yield* gateway.createKey({ team: "red", limits: limits({ rpm: 2 }) }),
        yield* gateway.createKey({ team: "red" })
      ]
      const ids = [yield* asked(gateway, one.secret), yield* asked(gateway, one.secret)] as const
      for (const id of ids) assert.strictEqual((yield* rate(gateway, one.secret, id, { score: 1 })).status, 200)
      yield* TestClock.adjust("20 seconds")
      const refused = yield* rate(gateway, one.secret, ids[0], { score: 0 })
      assert.deepStrictEqual(rowOf(refused), [429, "rate_limit_exceeded", "rate_limit_exceeded", null])
      const detail = { kind: "feedback", scope: "key", limit: 2, used: 2, retry_after_seconds: 40 }
      assert.deepInclude(refused.json.error, detail)
      assert.include(refused.json.error.message, "2 scores per minute")
      assert.strictEqual(refused.headers["retry-after"], "40")
      assert.strictEqual((yield* read(gateway, one.secret, ids[0])).json.feedback.score, 1)
      // What is wrong or nobody's uses nothing up; the team's share is used by all of its keys.
      assert.strictEqual((yield* rate(gateway, two.secret, ids[0], { score: 1 })).status, 404)
      const other = yield* asked(gateway, two.secret)
      assert.strictEqual((yield* rate(gateway, two.secret, other, { score: 2 })).status, 400)
      assert.strictEqual((yield* rate(gateway, two.secret, other, { score: 1 })).status, 200)
      const shared = yield* rate(gateway, two.secret, other, { score: 0 })
      assert.deepInclude(shared.json.error, { kind: "feedback", scope: "team", limit: 3, used: 3 })
      yield* TestClock.adjust("40 seconds")
      assert.strictEqual((yield* rate(gateway, one.secret, ids[0], { score: 0 })).status, 200)
    })
  )

  it.effect("goes with its receipt, whose time is over to the millisecond", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const store = yield* temporaryStore
      const { gateway, id, secret } = yield* started("\nreceipts: { keep: 12h }\n", store)
      yield* TestClock.adjust("12 hours")
      assert.strictEqual((yield* rate(gateway, secret, id, { score: 1 })).status, 200)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* rate(gateway, secret, id, { score: 1 })).status, 404)
      assert.strictEqual((yield* read(gateway, secret, id)).status, 404)
      assert.deepStrictEqual((yield* gateway.admin("GET", "/admin/requests?status=ok")).json.data, [])
      // The page of the two requests that were refused with 404 took it away.
      assert.strictEqual(yield* rows(store, "feedback"), 0)
      assert.strictEqual((yield* rate(gateway, secret, yield* asked(gateway, secret), { score: 0 })).status, 200)
      assert.deepStrictEqual([yield* rows(store, "receipts"), yield* rows(store, "feedback")], [2, 1])
    })
  )

  it.effect("finds no receipt where none are kept", () =>
    Effect.gen(function* () {
      const { gateway, id, secret } = yield* started("\nreceipts: { keep: off }\n")
      assert.strictEqual((yield* rate(gateway, secret, id, { score: 1 })).status, 404)
    })
  )
})
