import { assert, describe, it } from "@effect/vitest"
import { IssuedKey, Key, KeyPage } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

const now = Date.UTC(2026, 10, 21, 12)

describe("creating a key", () => {
  it.effect("whose models lead nowhere is made, with a warning that names the nearest", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const all = (yield* send("GET", "/admin/deployments")).json.data as ReadonlyArray<{ id: string }>
      const [known] = all
      const slip = `${known!.id}x`
      const models = ["auto", "*", known!.id, `${known!.id.split("/")[0]}/*`, slip, "nope-nope-nope-nope", "no*pe"]
      const made = yield* send("POST", "/admin/keys", { models })
      assert.strictEqual(made.status, 201)
      conforms(IssuedKey, made.json)
      assert.deepStrictEqual(made.json.models, models)
      assert.lengthOf(made.json.warnings, 3)
      assert.include(made.json.warnings[0], `\`${slip}\` stands for nothing here. Did you mean \`${known!.id}\``)
      assert.strictEqual(made.json.warnings[1], "models: `nope-nope-nope-nope` stands for nothing here.")
      const path = `/admin/keys/${made.json.id}`
      assert.lengthOf((yield* send("PATCH", path, { models: ["nope"] })).json.warnings, 1)
      assert.notProperty((yield* send("PATCH", path, { name: "a" })).json, "warnings")
      assert.notProperty((yield* send("GET", path)).json, "warnings")
    })
  )

  it.effect("without a word gives an active key that may do everything, and its secret this once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const { send } = yield* startAdmin
      const { headers, json, status } = yield* send("POST", "/admin/keys", {})
      assert.strictEqual(status, 201)
      assert.strictEqual(headers["cache-control"], "no-store")
      conforms(IssuedKey, json)
      const { id, key, ...rest } = json
      assert.match(id, /^key_[0-9A-Za-z]{12}$/)
      assert.match(key, /^mgw_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
      assert.deepStrictEqual(rest, {
        object: "key",
        name: null,
        team: null,
        models: [],
        limits: { rpm: null, tpm: null, max_parallel: null },
        budgets: [],
        on_unknown_price: "allow",
        status: "active",
        tags: [],
        metadata: {},
        created_at: "2026-11-21T12:00:00.000Z",
        updated_at: "2026-11-21T12:00:00.000Z",
        expires_at: null,
        revoked_at: null,
        last_used_at: null
      })
    })
  )

  it.effect("keeps everything it is given, and counts what is left of its budgets", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const { createKey, send } = yield* startAdmin
      const created = yield* createKey({
        name: "CI für Ümläute",
        team: "research",
        models: ["auto", "demo/*"],
        limits: { rpm: 60, tpm: null, max_parallel: 4 },
        budgets: [{ usd: 0.1, window: "day", time_zone: "europe/berlin" }, { usd: 25 }],
        expires_at: "2027-01-01T00:00:00+01:00",
        tags: ["batch", "nightly"],
        metadata: { owner: { mail: "a@b.c" }, n: [1, null] }
      })
      const { key, ...record } = created
      assert.isString(key)
      assert.deepStrictEqual((yield* send("GET", `/admin/keys/${created.id}`)).json, record)
      assert.deepStrictEqual(record.limits, { rpm: 60, tpm: null, max_parallel: 4 })
      assert.deepStrictEqual(record.budgets, [
        {
          usd: 0.1,
          window: "day",
          time_zone: "Europe/Berlin",
          spent_usd: 0,
          reserved_usd: 0,
          remaining_usd: 0.1,
          resets_at: "2026-11-21T23:00:00.000Z"
        },
        {
          usd: 25,
          window: "total",
          time_zone: "UTC",
          spent_usd: 0,
          reserved_usd: 0,
          remaining_usd: 25,
          resets_at: null
        }
      ])
      assert.strictEqual(record.on_unknown_price, "deny")
      assert.strictEqual(record.expires_at, "2026-12-31T23:00:00.000Z")
      assert.deepStrictEqual(record.tags, ["batch", "nightly"])
      assert.deepStrictEqual(record.metadata, { owner: { mail: "a@b.c" }, n: [1, null] })
    })
  )

  it.effect("takes budget_usd for one budget that never resets", () =>
    Effect.gen(function* () {
      const { createKey } = yield* startAdmin
      const { budgets } = yield* createKey({ budget_usd: 12.000000001 })
      assert.strictEqual(budgets.length, 1)
      assert.strictEqual(budgets[0].usd, 12.000000001)
      assert.strictEqual(budgets[0].window, "total")
    })
  )

  it.effect("gives a key that works, and what it spends shows on it", () =>
    Effect.gen(function* () {
      const { createKey, gateway, send } = yield* startAdmin
      const { id, key } = yield* createKey({ budget_usd: 1, tags: ["t"] })
      const client = gateway.client(key)
      yield* Effect.promise(() =>
        client.chat.completions.create({ model: "demo/mini", messages: [{ role: "user", content: "Hello" }] })
      )
      const { json } = yield* send("GET", `/admin/keys/${id}`)
      assert.isAbove(json.budgets[0].spent_usd, 0)
      assert.strictEqual(json.budgets[0].remaining_usd + json.budgets[0].spent_usd, 1)
    })
  )

  it.effect("treats __proto__ as data", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const text = `{"metadata":{"__proto__":{"admin":true},"a":1}}`
      const { json, status } = yield* send("POST", "/admin/keys", text, {
        headers: { "content-type": "application/json" }
      })
      assert.strictEqual(status, 201)
      assert.strictEqual(JSON.stringify(json.metadata), `{"__proto__":{"admin":true},"a":1}`)
    })
  )
})

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
      assert.include(json.error.message, "limit, after, team, status, q")
      const noNumber = yield* send("GET", "/admin/keys?limit=ten")
      assert.strictEqual(noNumber.json.error.message, "`limit`: Expected a number")
    })
  )
})

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

describe("a key that is not there", () => {
  it.effect("is a 404, whatever is done to it", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      for (const [method, path, body] of [
        ["GET", "/admin/keys/key_000000000000", undefined],
        ["PATCH", "/admin/keys/key_000000000000", {}],
        ["DELETE", "/admin/keys/key_000000000000", undefined],
        ["POST", "/admin/keys/key_000000000000/rotate", {}],
        ["GET", "/admin/keys/%00%F0%9F%98%80", undefined]
      ] as const) {
        const answer = yield* send(method, path, body)
        assert.deepStrictEqual(rowOf(answer), [404, "invalid_request_error", "not_found", null], path)
      }
    })
  )
})
