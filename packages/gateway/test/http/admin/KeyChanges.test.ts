import { assert, describe, it } from "@effect/vitest"
import { IssuedKey, Key } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

const now = Date.UTC(2026, 10, 21, 12)

describe("updating a key", () => {
  it.effect("changes what is named and nothing else", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const { createKey, send } = yield* startAdmin
      const { key: _, ...before } = yield* createKey({
        name: "a",
        team: "t",
        models: ["auto"],
        limits: { rpm: 1, tpm: 2 },
        budget_usd: 5,
        tags: ["x"],
        metadata: { a: 1, b: { c: 2, d: 3 } },
        expires_at: "2027-01-01T00:00:00Z"
      })
      yield* TestClock.adjust("1 minute")
      const { json, status } = yield* send("PATCH", `/admin/keys/${before.id}`, {
        limits: { tpm: null, max_parallel: 3 },
        metadata: { a: null, b: { c: null, e: 4 } }
      })
      assert.strictEqual(status, 200)
      conforms(Key, json)
      assert.deepStrictEqual(json, {
        ...before,
        limits: { rpm: 1, tpm: null, max_parallel: 3 },
        metadata: { b: { d: 3, e: 4 } },
        updated_at: "2026-11-21T12:01:00.000Z"
      })
    })
  )

  it.effect("null goes back to the default", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const given = { name: "a", team: "t", models: ["auto"], limits: { rpm: 1 }, budget_usd: 5, tags: ["x"] }
      const { id } = yield* createKey({ ...given, metadata: { a: 1 }, expires_at: "2027-01-01T00:00:00Z" })
      const { json } = yield* send("PATCH", `/admin/keys/${id}`, {
        name: null,
        team: null,
        models: null,
        limits: null,
        budgets: null,
        tags: null,
        metadata: null,
        expires_at: null
      })
      assert.deepStrictEqual(
        [json.name, json.team, json.models, json.limits, json.budgets, json.tags, json.metadata, json.expires_at],
        [null, null, [], { rpm: null, tpm: null, max_parallel: null }, [], [], {}, null]
      )
    })
  )

  it.effect("is a merge patch by media type too", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { id } = yield* createKey()
      const { json } = yield* send("PATCH", `/admin/keys/${id}`, `{"name":"b"}`, {
        headers: { "content-type": "application/merge-patch+json; charset=utf-8" }
      })
      assert.strictEqual(json.name, "b")
    })
  )

  it.effect("disables and enables, at once", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { id, key } = yield* createKey()
      const own = Effect.map(
        send("GET", "/v1/key", undefined, { key }),
        ({ json, status }) => json.error?.code ?? status
      )
      assert.strictEqual(yield* own, 200)
      assert.strictEqual((yield* send("PATCH", `/admin/keys/${id}`, { disabled: true })).json.status, "disabled")
      assert.strictEqual(yield* own, "disabled_api_key")
      assert.strictEqual((yield* send("PATCH", `/admin/keys/${id}`, { disabled: false })).json.status, "active")
      assert.strictEqual(yield* own, 200)
    })
  )

  it.effect("null goes back to the default, for every field that has one", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { id } = yield* createKey()
      const patch = (body: object) =>
        Effect.map(send("PATCH", `/admin/keys/${id}`, body), ({ json }) => [json.status, json.on_unknown_price])
      assert.deepStrictEqual(yield* patch({ disabled: true, on_unknown_price: "deny" }), ["disabled", "deny"])
      assert.deepStrictEqual(yield* patch({ disabled: null }), ["active", "deny"])
      assert.deepStrictEqual(yield* patch({ on_unknown_price: null }), ["active", "allow"])
      // The default of a key with a budget.
      assert.deepStrictEqual(yield* patch({ on_unknown_price: "allow", budget_usd: 1 }), ["active", "allow"])
      assert.deepStrictEqual(yield* patch({ on_unknown_price: null }), ["active", "deny"])
    })
  )

  it.effect("a first budget is not got around by models without a price", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { id, on_unknown_price } = yield* createKey()
      assert.strictEqual(on_unknown_price, "allow")
      const patch = (body: object) =>
        Effect.map(send("PATCH", `/admin/keys/${id}`, body), ({ json }) => json.on_unknown_price)
      assert.strictEqual(yield* patch({ budget_usd: 1 }), "deny")
      assert.strictEqual(yield* patch({ on_unknown_price: "allow" }), "allow")
      assert.strictEqual(yield* patch({ budget_usd: 2 }), "allow")
    })
  )

  it.effect("shows what a budget of the team alone makes of models without a price", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { id, on_unknown_price } = yield* createKey({ team: "red" })
      assert.strictEqual(on_unknown_price, "allow")
      yield* send("PUT", "/admin/teams/red", { budget_usd: 5 })
      assert.strictEqual((yield* send("GET", `/admin/keys/${id}`)).json.on_unknown_price, "deny")
      const chosen = yield* createKey({ team: "red", on_unknown_price: "allow" })
      assert.strictEqual(chosen.on_unknown_price, "allow")
    })
  )

  it.effect("two at once both take effect", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { id } = yield* createKey()
      const fields = ["rpm", "tpm", "max_parallel"]
      yield* Effect.forEach(fields, (field) => send("PATCH", `/admin/keys/${id}`, { limits: { [field]: 7 } }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual((yield* send("GET", `/admin/keys/${id}`)).json.limits, { rpm: 7, tpm: 7, max_parallel: 7 })
    })
  )
})

describe("revoking a key", () => {
  it.effect("works from the moment it answers, is harmless to repeat, and can't be undone", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const { createKey, send } = yield* startAdmin
      const { id, key } = yield* createKey()
      assert.strictEqual((yield* send("GET", "/v1/key", undefined, { key })).status, 200)
      const first = yield* send("DELETE", `/admin/keys/${id}`)
      assert.strictEqual(first.status, 200)
      assert.strictEqual(first.json.status, "revoked")
      assert.strictEqual(first.json.revoked_at, "2026-11-21T12:00:00.000Z")
      assert.strictEqual((yield* send("GET", "/v1/key", undefined, { key })).json.error.code, "revoked_api_key")
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual((yield* send("DELETE", `/admin/keys/${id}`)).json, first.json)
      for (const [method, path] of [
        ["PATCH", ""],
        ["POST", "/rotate"]
      ]) {
        const refused = yield* send(method!, `/admin/keys/${id}${path}`, {})
        assert.deepStrictEqual(rowOf(refused), [400, "invalid_request_error", "invalid_field", "id"])
      }
      assert.strictEqual((yield* send("GET", `/admin/keys/${id}`)).json.status, "revoked")
    })
  )
})

describe("rotating a key", () => {
  it.effect("gives a new secret; the old one works until the grace ends", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { id, key: old } = yield* createKey({ name: "a" })
      const { json, status } = yield* send("POST", `/admin/keys/${id}/rotate`, { grace_seconds: 60 })
      assert.strictEqual(status, 200)
      conforms(IssuedKey, json)
      assert.strictEqual(json.id, id)
      assert.notStrictEqual(json.key, old)
      const worksWith = (key: string) =>
        Effect.map(send("GET", "/v1/key", undefined, { key }), (answer) => answer.status)
      assert.deepStrictEqual([yield* worksWith(old), yield* worksWith(json.key)], [200, 200])
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual([yield* worksWith(old), yield* worksWith(json.key)], [401, 200])
    })
  )

  it.effect("without a body has no grace", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const { id, key: old } = yield* createKey()
      assert.strictEqual((yield* send("POST", `/admin/keys/${id}/rotate`)).status, 200)
      assert.strictEqual((yield* send("GET", "/v1/key", undefined, { key: old })).status, 401)
    })
  )
})
