import { assert, describe, it } from "@effect/vitest"
import { Team, TeamPage } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

describe("a team", () => {
  it.effect("is what was put last, and only that", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 12))
      const { send } = yield* startAdmin
      const first = yield* send("PUT", "/admin/teams/research", {
        limits: { rpm: 600 },
        budgets: [{ usd: 500, window: "month", time_zone: "Europe/Berlin" }]
      })
      assert.strictEqual(first.status, 200)
      conforms(Team, first.json)
      assert.deepStrictEqual(first.json, {
        object: "team",
        team: "research",
        limits: { rpm: 600, tpm: null, max_parallel: null },
        budgets: [
          {
            usd: 500,
            window: "month",
            time_zone: "Europe/Berlin",
            spent_usd: 0,
            reserved_usd: 0,
            remaining_usd: 500,
            resets_at: "2026-11-30T23:00:00.000Z"
          }
        ],
        keys: 0,
        updated_at: "2026-11-21T12:00:00.000Z"
      })
      assert.deepStrictEqual((yield* send("GET", "/admin/teams/research")).json, first.json)
      const second = yield* send("PUT", "/admin/teams/research", { budget_usd: 1 })
      assert.isNull(second.json.limits.rpm)
      assert.strictEqual(second.json.budgets.length, 1)
      assert.deepStrictEqual((yield* send("GET", "/admin/teams/research")).json, second.json)
    })
  )

  it.effect("that nobody configured is found and listed while keys name it", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      const missing = yield* send("GET", "/admin/teams/named%20only")
      assert.deepStrictEqual(rowOf(missing), [404, "invalid_request_error", "not_found", null])
      const { id } = yield* createKey({ team: "named only" })
      const found = yield* send("GET", "/admin/teams/named%20only")
      conforms(Team, found.json)
      assert.deepStrictEqual(found.json, {
        object: "team",
        team: "named only",
        limits: { rpm: null, tpm: null, max_parallel: null },
        budgets: [],
        keys: 1,
        updated_at: null
      })
      assert.deepStrictEqual((yield* send("GET", "/admin/teams")).json.data, [found.json])
      yield* send("DELETE", `/admin/keys/${id}`)
      assert.deepStrictEqual((yield* send("GET", "/admin/teams")).json.data, [])
    })
  )

  it.effect("without limits or budgets is a warning on the key that names it, with the nearest names", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      assert.notProperty((yield* send("POST", "/admin/keys", { team: "label" })).json, "warnings")
      yield* send("PUT", "/admin/teams/research", { budget_usd: 1 })
      const slip = yield* send("POST", "/admin/keys", { team: "reserach" })
      assert.deepStrictEqual(slip.json.warnings, [
        "team: `reserach` has no limits or budgets, so none hold for this key. Did you mean `research`?"
      ])
      const path = `/admin/keys/${slip.json.id}`
      assert.notProperty((yield* send("PATCH", path, { name: "ci" })).json, "warnings")
      assert.notProperty((yield* send("PATCH", path, { team: "research" })).json, "warnings")
      const other = yield* send("PATCH", path, { team: "sales" })
      assert.deepStrictEqual(other.json.warnings, [
        "team: `sales` has no limits or budgets, so none hold for this key."
      ])
    })
  )

  it.effect("counts what its keys spend together, and refuses in the name of key and team", () =>
    Effect.gen(function* () {
      const { createKey, gateway, send } = yield* startAdmin
      const path = `/admin/teams/${encodeURIComponent("R.D @ 5")}`
      yield* send("PUT", path, { budget_usd: 1, limits: { rpm: 2 } })
      for (let count = 0; count < 2; count++) {
        const { key } = yield* createKey({ team: "R.D @ 5" })
        const messages = [{ role: "user" as const, content: "Hello" }]
        yield* Effect.promise(() => gateway.client(key).chat.completions.create({ model: "demo/mini", messages }))
      }
      const { json } = yield* send("GET", path)
      const spend = yield* send("GET", "/admin/spend?group_by=team")
      assert.isAbove(json.budgets[0].spent_usd, 0)
      assert.strictEqual(spend.json.rows[0].team, "R.D @ 5")
      assert.strictEqual(spend.json.rows[0].cost_usd, json.budgets[0].spent_usd)

      const { id, key } = yield* createKey({ team: "R.D @ 5" })
      const body = { model: "demo/mini", messages: [{ role: "user", content: "Hello" }] }
      const refused = yield* send("POST", "/v1/chat/completions", body, { key })
      assert.deepStrictEqual(rowOf(refused), [429, "rate_limit_exceeded", "rate_limit_exceeded", null])
      assert.strictEqual(refused.json.error.scope, "team")
      assert.include(refused.json.error.message, id)
      assert.include(refused.json.error.message, "R.D @ 5")
    })
  )

  it.effect("is listed by name, in pages, with its keys", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      for (const name of ["red", "green", "Blue"]) yield* send("PUT", `/admin/teams/${name}`, { budget_usd: 1 })
      const { id } = yield* createKey({ team: "red" })
      yield* createKey({ team: "red" })
      yield* createKey({ team: "named only" })
      yield* send("DELETE", `/admin/keys/${id}`)
      const list = (query: string) => Effect.map(send("GET", `/admin/teams${query}`), ({ json }) => json)
      const all = yield* list("")
      conforms(TeamPage, all)
      const named = (page: { data: ReadonlyArray<{ team: string; keys: number }> }) =>
        page.data.map(({ keys, team }) => [team, keys])
      assert.deepStrictEqual(named(all), [
        ["Blue", 0],
        ["green", 0],
        ["named only", 1],
        ["red", 1]
      ])
      const first = yield* list("?limit=2")
      assert.deepStrictEqual([first.has_more, first.next], [true, "green"])
      const rest = [
        ["named only", 1],
        ["red", 1]
      ]
      assert.deepStrictEqual(named(yield* list(`?limit=2&after=${first.next}`)), rest)
      assert.deepStrictEqual(named(yield* list("?q=BL")), [["Blue", 0]])
      assert.deepStrictEqual(named(yield* list("?q=e")).length, 4)
    })
  )

  it.effect("is deleted when no key names it, or by force; its spend stays", () =>
    Effect.gen(function* () {
      const { createKey, gateway, send } = yield* startAdmin
      yield* send("PUT", "/admin/teams/red", { limits: { rpm: 1 } })
      const { id, key } = yield* createKey({ team: "red" })
      const messages = [{ role: "user" as const, content: "Hello" }]
      const ask = Effect.promise(() => gateway.client(key).chat.completions.create({ model: "demo/mini", messages }))
      yield* ask
      const refused = yield* send("DELETE", "/admin/teams/red")
      assert.deepStrictEqual(rowOf(refused), [409, "invalid_request_error", "team_in_use", null])
      assert.include(refused.json.error.message, "1 key names")
      assert.strictEqual((yield* send("GET", "/admin/teams/red")).status, 200)
      const gone = yield* send("DELETE", "/admin/teams/red?force=true")
      assert.deepStrictEqual([gone.status, gone.json.team, gone.json.keys], [200, "red", 1])
      // Its limit of one request a minute does not hold any more.
      yield* ask
      assert.isNull((yield* send("GET", "/admin/teams/red")).json.updated_at)
      assert.strictEqual((yield* send("DELETE", "/admin/teams/red?force=true")).status, 404)
      assert.strictEqual((yield* send("GET", "/admin/spend?group_by=team")).json.rows[0].requests, 2)
      yield* send("PUT", "/admin/teams/red", {})
      yield* send("DELETE", `/admin/keys/${id}`)
      assert.strictEqual((yield* send("DELETE", "/admin/teams/red")).status, 200)
    })
  )

  it.effect("has a name that is fit for a path, and fields that are known", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      for (const name of ["a%2Fb", "%20a", "%00", "x".repeat(101), "a%3Fb"]) {
        for (const method of ["GET", "PUT"]) {
          const answer = yield* send(method, `/admin/teams/${name}`, method === "PUT" ? {} : undefined)
          assert.include([400, 404], answer.status, name)
          assert.strictEqual(answer.json.error.type, "invalid_request_error", name)
        }
      }
      for (const [body, param] of [
        [{ limit: { rpm: 1 } }, "limit"],
        [{ limits: { rpm: 0 } }, "limits.rpm"],
        [{ budgets: [{ usd: 0 }] }, "budgets[0].usd"],
        [{ budgets: [], budget_usd: 1 }, "budget_usd"]
      ] as const) {
        const answer = yield* send("PUT", "/admin/teams/research", body)
        assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "invalid_field", param])
      }
      assert.strictEqual((yield* send("GET", "/admin/teams/research")).status, 404)
    })
  )
})
