import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { rowOf, startAdmin } from "../AdminClient.ts"

/** Everything that takes a body. */
const endpoints = [
  ["POST", "/admin/keys"],
  ["PATCH", "/admin/keys/{id}"],
  ["POST", "/admin/keys/{id}/rotate"],
  ["PUT", "/admin/teams/research"],
  ["POST", "/admin/deployments/disable"],
  ["POST", "/admin/deployments/enable"]
] as const

const json = { headers: { "content-type": "application/json" } }

describe("a body with wrong fields", () => {
  it.effect("is refused with one list of the fields that there are", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const said = (body: string) => Effect.map(send("POST", "/admin/keys", body, json), ({ text }) => text)
      const unknown = yield* said('{ "name": "app", "rpm": 1, "budget": 5 }')
      assert.include(
        unknown,
        "`rpm`, `budget`: no such field; allowed: name, team, models, limits (rpm, tpm, max_parallel)"
      )
      assert.lengthOf(unknown.match(/allowed/g)!, 1)
      assert.include(yield* said("[]"), '"Expected a JSON object"')
      assert.include(
        yield* said('{ "limits": { "rpm": 0 } }'),
        "`limits.rpm`: Expected a whole number from 1 to 1000000"
      )
    })
  )
})

describe("a body that can't be read", () => {
  it.effect("is refused by every endpoint that takes one", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { id } = yield* createKey()
      for (const [method, path] of endpoints) {
        const refused = (body: string, given: object) =>
          Effect.map(send(method, path.replace("{id}", id), body, given), rowOf)
        const invalid = "invalid_request_error"
        for (const text of ["{", "{'a':1}", "[1", "\u0000", "{}{}", "nul"]) {
          assert.deepStrictEqual(yield* refused(text, json), [400, invalid, "invalid_json", null], `${path} ${text}`)
        }
        assert.deepStrictEqual(yield* refused(deep(65), json), [400, invalid, "invalid_json", null], path)
        for (const text of ["[]", "null", "1", '"x"', "true"]) {
          assert.deepStrictEqual(yield* refused(text, json), [400, invalid, "invalid_field", null], `${path} ${text}`)
        }
        const large = `{"name":"${"x".repeat(1024 * 1024)}"}`
        assert.deepStrictEqual(yield* refused(large, json), [413, invalid, "body_too_large", null], path)
        for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
          const headers = { "content-type": type }
          assert.deepStrictEqual(
            yield* refused("{}", { headers }),
            [415, invalid, "unsupported_media_type", null],
            path
          )
        }
        const headers = { "content-type": "application/json", "content-encoding": "gzip" }
        assert.deepStrictEqual(yield* refused("{}", { headers }), [415, invalid, "unsupported_media_type", null], path)
      }
    })
  )

  it.effect("is refused when it is not there, except where nothing is needed", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { id } = yield* createKey()
      for (const [method, path] of endpoints) {
        const answer = yield* send(method, path.replace("{id}", id))
        if (path.endsWith("/rotate")) assert.strictEqual(answer.status, 200)
        else assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "invalid_json", null], path)
      }
    })
  )

  it.effect("leaves the connection fit for the next request, or closes it", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const large = `{"name":"${"x".repeat(3 * 1024 * 1024)}"}`
      assert.strictEqual((yield* send("POST", "/admin/keys", large, json)).status, 413)
      assert.strictEqual((yield* send("GET", "/admin/keys")).json.data.length, 0)
      yield* createKey()
    })
  )
})

const deep = (levels: number): string => `{"metadata":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`

describe("a wrong field of a key", () => {
  const budgets = (budget: object) => ({ budgets: [{ usd: 1, ...budget }] })
  const rows: ReadonlyArray<readonly [body: object, param: string, words: string]> = [
    [{ nmae: "x" }, "nmae", "allowed: name, team, models, limits (rpm, tpm, max_parallel), budgets ("],
    [{ name: "" }, "name", "1 to 200 characters"],
    [{ name: " x" }, "name", "no spaces around"],
    [{ name: "x".repeat(201) }, "name", "1 to 200 characters"],
    [{ name: "a\nb" }, "name", "no control characters"],
    [{ name: 5 }, "name", "string"],
    [{ team: "a/b" }, "team", "1 to 100 letters"],
    [{ team: "x".repeat(101) }, "team", "1 to 100 letters"],
    [{ models: "auto" }, "models", "array"],
    [{ models: ["auto", ""] }, "models[1]", "name of a model"],
    [{ models: ["a b"] }, "models[0]", "no spaces"],
    [{ models: Array.from({ length: 501 }, (_, index) => `m${index}`) }, "models", "at most 500"],
    [{ limits: { rpm: 0 } }, "limits.rpm", "from 1 to"],
    [{ limits: { rpm: -1 } }, "limits.rpm", "from 1 to"],
    [{ limits: { tpm: 1.5 } }, "limits.tpm", "integer"],
    [{ limits: { tpm: "60" } }, "limits.tpm", "number"],
    [{ limits: { max_parallel: 1e9 } }, "limits.max_parallel", "from 1 to 100000"],
    [{ limits: { rps: 1 } }, "limits.rps", "allowed: rpm, tpm, max_parallel"],
    [budgets({ usd: 0 }), "budgets[0].usd", "above 0"],
    [budgets({ usd: -5 }), "budgets[0].usd", "above 0"],
    [budgets({ usd: 9_000_001 }), "budgets[0].usd", "at most 9000000"],
    [budgets({ usd: 1e-10 }), "budgets[0].usd", "9 decimals"],
    [budgets({ usd: "5" }), "budgets[0].usd", "number"],
    [budgets({ window: "year" }), "budgets[0].window", "hour"],
    [budgets({ time_zone: "Mars/Olympus" }), "budgets[0].time_zone", "IANA"],
    [budgets({ time_zone: "+02:00" }), "budgets[0].time_zone", "IANA"],
    [budgets({ amount: 5 }), "budgets[0].amount", "allowed: usd, window, time_zone"],
    [{ budgets: [{ window: "day" }] }, "budgets[0].usd", "missing"],
    [{ budgets: [{ usd: 1 }, { usd: 2, window: "total" }] }, "budgets", "different windows"],
    [{ budgets: [], budget_usd: 1 }, "budget_usd", "not both"],
    [{ budget_usd: 0 }, "budget_usd", "above 0"],
    [{ expires_at: "tomorrow" }, "expires_at", "RFC 3339"],
    [{ expires_at: "2027-02-30T00:00:00Z" }, "expires_at", "RFC 3339"],
    [{ expires_at: "2027-01-01T00:00:00" }, "expires_at", "RFC 3339"],
    [{ expires_at: "2026-11-21T12:00:00Z" }, "expires_at", "in the future"],
    [{ tags: ["a,b"] }, "tags[0]", "comma"],
    [{ tags: ["ä"] }, "tags[0]", "ASCII"],
    [{ tags: ["a", "a"] }, "tags", "differ"],
    [{ tags: Array.from({ length: 33 }, (_, index) => `t${index}`) }, "tags", "at most 32"],
    [{ metadata: [] }, "metadata", "object"],
    [{ metadata: { a: "x".repeat(8192) } }, "metadata", "8192"],
    [{ on_unknown_price: "ask" }, "on_unknown_price", "deny"]
  ]

  it.effect("is named, with what would be right, when the key is made and when it is changed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 12))
      const { createKey, send } = yield* startAdmin
      const { id } = yield* createKey()
      for (const [body, param, words] of rows) {
        for (const [method, path] of [
          ["POST", "/admin/keys"],
          ["PATCH", `/admin/keys/${id}`]
        ] as const) {
          const answer = yield* send(method, path, body)
          const label = `${method} ${JSON.stringify(body).slice(0, 80)}: ${answer.text}`
          assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "invalid_field", param], label)
          assert.include(answer.json.error.message, words, label)
          assert.isBelow(answer.json.error.message.length, 600, label)
        }
      }
      const { json: list } = yield* send("GET", "/admin/keys")
      assert.strictEqual(list.data.length, 1)
      assert.strictEqual(list.data[0].updated_at, list.data[0].created_at)
    })
  )

  it.effect("that only a change can have", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { id } = yield* createKey({ metadata: { a: "x".repeat(5000) } })
      for (const [body, param] of [
        [{ disabled: "yes" }, "disabled"],
        [{ id: "key_1" }, "id"],
        [{ status: "active" }, "status"],
        [{ metadata: { b: "x".repeat(5000) } }, "metadata"]
      ] as const) {
        const answer = yield* send("PATCH", `/admin/keys/${id}`, body)
        assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "invalid_field", param])
      }
      for (const grace_seconds of [-1, 1.5, 2_592_001, "60"]) {
        const answer = yield* send("POST", `/admin/keys/${id}/rotate`, { grace_seconds })
        assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "invalid_field", "grace_seconds"])
      }
    })
  )

  it.effect("does not hide the others", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const { json } = yield* send("POST", "/admin/keys", { nmae: "x", limits: { rpm: 0 }, budget_usd: -1 })
      for (const field of ["`nmae`", "`limits.rpm`", "`budget_usd`"]) assert.include(json.error.message, field)
    })
  )
})
