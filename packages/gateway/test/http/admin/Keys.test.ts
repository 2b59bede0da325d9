import { assert, describe, it } from "@effect/vitest"
import { IssuedKey } from "@model-gateway/protocol"
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
        unknown_fields: "remove",
        require: { region: [], zdr: false },
        allow_from: [],
        kind: "service",
        owner: null,
        created_by: null,
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
