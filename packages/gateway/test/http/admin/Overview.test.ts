import { assert, describe, it } from "@effect/vitest"
import { Overview } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

const NOON = Date.UTC(2026, 10, 21, 12)

const body = (model: string) => ({ model, messages: [{ role: "user", content: "Hello" }] })

const start = Effect.gen(function* () {
  yield* TestClock.setTime(NOON)
  const admin = yield* startAdmin
  const overview = (query = "") =>
    Effect.map(admin.send("GET", `/admin/overview${query}`), ({ json, status, text }) => {
      assert.strictEqual(status, 200, text)
      conforms(Overview, json)
      return json
    })
  const chat = (key: string, model: string, headers = {}) =>
    admin.send("POST", "/v1/chat/completions", body(model), { key, headers })
  return { ...admin, overview, chat }
})

const nano = (usd: number) => Math.round(usd * 1e9)

describe("the overview", () => {
  it.effect("is empty where nothing was asked", () =>
    Effect.gen(function* () {
      const { overview } = yield* start
      const { budgets, deployments, failures, keys, teams } = yield* overview()
      assert.deepStrictEqual([budgets, deployments, failures, keys, teams], [[], [], [], [], []])
    })
  )

  it.effect("names the dearest keys and teams, with what the ledger booked for them", () =>
    Effect.gen(function* () {
      const { chat, createKey, overview, send } = yield* start
      const dear = yield* createKey({ name: "dear", team: "red" })
      const cheap = yield* createKey({ name: "cheap", team: "red" })
      const alone = yield* createKey()
      for (const model of ["demo/large", "demo/large", "demo/mini"]) yield* chat(dear.key, model)
      yield* chat(cheap.key, "demo/mini")
      yield* chat(alone.key, "demo/standard")
      yield* send("DELETE", `/admin/keys/${cheap.id}`)
      const { keys, teams } = yield* overview()
      assert.deepStrictEqual(keys[0], {
        id: dear.id,
        name: "dear",
        requests: 3,
        cost_usd: keys[0].cost_usd,
        unpriced: 0
      })
      const spend = (yield* send("GET", "/admin/spend")).json
      const booked = (rows: ReadonlyArray<{ readonly cost_usd: number }>, name: string) =>
        rows.map((row) => [Object(row)[name], nano(row.cost_usd)])
      assert.deepStrictEqual(booked(keys, "id"), booked(spend.by_key, "key"))
      assert.deepStrictEqual(booked(teams, "team"), booked(spend.by_team, "team"))
      assert.strictEqual((yield* overview("?limit=1")).keys.length, 1)
      assert.deepStrictEqual((yield* overview("?from=2026-11-19&to=2026-11-20")).keys, [])
    })
  )

  it.effect("tells which deployments are not called or fail, the last failures, and the fullest budgets", () =>
    Effect.gen(function* () {
      const { chat, createKey, overview, send } = yield* start
      const { id, key } = yield* createKey({ budgets: [{ usd: 1, window: "day" }] })
      yield* send("POST", "/admin/deployments/disable", { deployment: "demo/mini" })
      yield* chat(key, "demo/large")
      yield* chat(key, "demo/status-500", { "x-gateway-no-fallback": "1" })
      const { budgets, deployments, failures } = yield* overview()
      const budget = (yield* send("GET", "/admin/budgets")).json.data[0]
      assert.deepStrictEqual([budgets[0], budgets[0].id], [budget, id])
      const states = deployments.map((one: { id: string; status: string }) => [one.id, one.status])
      assert.deepStrictEqual(states, [
        ["demo/mini", "out_of_rotation"],
        ["demo/status-500", "in_rotation"]
      ])
      assert.strictEqual(deployments[1].last_error.status, 500)
      assert.strictEqual(deployments[1].failure_rate_15m, 1)
      assert.strictEqual(failures.length, 1)
      assert.deepStrictEqual(failures[0], (yield* send("GET", `/admin/requests/${failures[0].id}`)).json)
    })
  )

  it.effect("calls a deployment unhealthy for 15 minutes after its calls failed, and not for a caller's fault", () =>
    Effect.gen(function* () {
      const { chat, createKey, overview, send } = yield* start
      const { key } = yield* createKey()
      yield* chat(key, "demo/status-500", { "x-gateway-no-fallback": "1" })
      yield* chat(key, "demo/mini")
      const unhealthy = Effect.map(overview(), ({ deployments }) => deployments.map((one: { id: string }) => one.id))
      yield* TestClock.adjust("14 minutes")
      assert.deepStrictEqual(yield* unhealthy, ["demo/status-500"])
      const { data } = (yield* send("GET", "/admin/deployments")).json
      const rates = new Map(data.map((one: { id: string; failure_rate_15m: number }) => [one.id, one.failure_rate_15m]))
      assert.deepStrictEqual(
        ["demo/status-500", "demo/mini", "demo/large"].map((id) => rates.get(id)),
        [1, 0, null]
      )
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* unhealthy, [])
    })
  )

  it.effect("says what it can't tell", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      for (const [query, param] of [
        ["limit=0", "limit"],
        ["limit=101", "limit"],
        ["tz=Mars", "tz"],
        ["from=2026-11-02&to=2026-11-01", "from"],
        ["colour=red", "colour"]
      ]) {
        const refused = yield* send("GET", `/admin/overview?${query}`)
        assert.deepStrictEqual(rowOf(refused), [400, "invalid_request_error", "invalid_field", param], query)
      }
    })
  )
})
