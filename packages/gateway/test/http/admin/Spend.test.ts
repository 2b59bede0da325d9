import { assert, describe, it } from "@effect/vitest"
import { SpendReport } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

const now = Date.UTC(2026, 10, 21, 12, 30)

/** A gateway in which a key of a team asked twice, on two days, and one without asked once. */
const started = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  const admin = yield* startAdmin
  const one = yield* admin.createKey({ team: "research" })
  const two = yield* admin.createKey()
  const ask = (key: string, model: string, tags = "") =>
    admin.send(
      "POST",
      "/v1/chat/completions",
      { model, messages: [{ role: "user", content: "Hello" }] },
      { key, headers: tags === "" ? {} : { "x-gateway-tags": tags } }
    )
  const answers = [yield* ask(one.key, "demo/mini", "a,b")]
  yield* TestClock.setTime(now + 11 * 3_600_000)
  answers.push(yield* ask(one.key, "demo/large"), yield* ask(two.key, "demo/mini", "b"))
  assert.deepStrictEqual(
    answers.map(({ status }) => status),
    [200, 200, 200]
  )
  const costs = answers.map(({ headers }) => Number(headers["x-gateway-cost-usd"]))
  return { ...admin, ask, one, two, costs }
})

const near = (actual: number, expected: number) => assert.closeTo(actual, expected, 1e-12)

describe("spend", () => {
  it.effect("is that of this month in UTC, per key, team and model", () =>
    Effect.gen(function* () {
      const { costs, one, send, two } = yield* started
      const { json, status } = yield* send("GET", "/admin/spend")
      assert.strictEqual(status, 200)
      conforms(SpendReport, json)
      assert.deepStrictEqual(
        [json.object, json.from, json.to, json.time_zone],
        ["spend", "2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z", "UTC"]
      )
      const [first = 0, second = 0, third = 0] = costs
      near(json.total.cost_usd, first + second + third)
      assert.deepStrictEqual([json.total.requests, json.total.failed_requests], [3, 0])
      assert.isAbove(json.total.input_tokens, 0)
      assert.isAbove(json.total.output_tokens, 0)
      assert.strictEqual(json.total.estimated_cost_usd, 0)
      const by = (rows: ReadonlyArray<{ cost_usd: number }>, name: string) =>
        new Map(rows.map((row) => [row[name as "cost_usd"] as unknown, row.cost_usd]))
      near(by(json.by_key, "key").get(one.id) ?? 0, first + second)
      near(by(json.by_key, "key").get(two.id) ?? 0, third)
      near(by(json.by_team, "team").get("research") ?? 0, first + second)
      near(by(json.by_team, "team").get(null) ?? 0, third)
      near(by(json.by_model, "model").get("mini") ?? 0, first + third)
      assert.strictEqual(json.by_key.length + json.by_team.length + json.by_model.length, 6)
      assert.isUndefined(json.rows)
    })
  )

  it.effect("of any other cut names its dimensions, and nothing else", () =>
    Effect.gen(function* () {
      const { one, send, two } = yield* started
      const { json } = yield* send("GET", "/admin/spend?group_by=key,model,day,provider")
      conforms(SpendReport, json)
      assert.deepStrictEqual(json.group_by, ["key", "model", "day", "provider"])
      assert.isUndefined(json.by_key)
      const names = json.rows.map(({ day, key, model, provider }: Record<string, string>) => [
        key,
        model,
        day,
        provider
      ])
      assert.sameDeepMembers(names, [
        [one.id, "mini", "2026-11-21", "demo"],
        [one.id, "large", "2026-11-21", "demo"],
        [two.id, "mini", "2026-11-21", "demo"]
      ])
      assert.notProperty(json.rows[0], "team")
    })
  )

  it.effect("has the dearest rows, as many as were asked for, and says when there are more", () =>
    Effect.gen(function* () {
      const { costs, one, send } = yield* started
      const [first = 0, second = 0, third = 0] = costs
      const { json } = yield* send("GET", "/admin/spend?limit=1")
      conforms(SpendReport, json)
      assert.deepStrictEqual(
        [json.by_key, json.by_team, json.by_model].map((rows) => rows.length),
        [1, 1, 1]
      )
      assert.isAbove(first + second, third)
      assert.strictEqual(json.by_key[0].key, one.id)
      near(json.total.cost_usd, first + second + third)
      assert.isTrue(json.has_more)
      assert.isFalse((yield* send("GET", "/admin/spend?limit=2")).json.has_more)
      assert.strictEqual((yield* send("GET", "/admin/spend?limit=0")).status, 400)
    })
  )

  it.effect("has what auto saved in its total and in every row, and nothing of requests that name their model", () =>
    Effect.gen(function* () {
      const { ask, costs, send, two } = yield* started
      const cost = Number((yield* ask(two.key, "auto")).headers["x-gateway-cost-usd"])
      const { json } = yield* send("GET", "/admin/spend")
      conforms(SpendReport, json)
      assert.strictEqual(json.total.auto_requests, 1)
      assert.deepStrictEqual([json.total.requests, json.total.auto_cost_usd], [4, cost])
      assert.isAbove(json.total.auto_baseline_usd, cost)
      near(
        json.total.cost_usd,
        costs.reduce((sum, one) => sum + one, cost)
      )
      const auto = json.by_key.map((row: Record<string, unknown>) => [row["auto_requests"], row["auto_cost_usd"]])
      assert.sameDeepMembers(auto, [
        [0, 0],
        [1, cost]
      ])
    })
  )

  it.effect("counts a request in each of its tags", () =>
    Effect.gen(function* () {
      const { send } = yield* started
      const { json } = yield* send("GET", "/admin/spend?group_by=tag")
      const counts = json.rows.map(({ requests, tag }: { requests: number; tag: string | null }) => [tag, requests])
      assert.sameDeepMembers(counts, [
        ["a", 1],
        ["b", 2],
        [null, 1]
      ])
      assert.strictEqual(json.total.requests, 3)
    })
  )

  it.effect("is cut by time where an interval is named, in the time zone asked for", () =>
    Effect.gen(function* () {
      const { send } = yield* started
      const { json } = yield* send("GET", "/admin/spend?interval=day&tz=Asia/Tokyo")
      conforms(SpendReport, json)
      assert.strictEqual(json.from, "2026-10-31T15:00:00.000Z")
      assert.strictEqual(json.time_zone, "Asia/Tokyo")
      const days = json.by_model.map(({ day, model }: Record<string, string>) => [model, day])
      assert.sameDeepMembers(days, [
        ["mini", "2026-11-21"],
        ["mini", "2026-11-22"],
        ["large", "2026-11-22"]
      ])
      const hours = yield* send("GET", "/admin/spend?group_by=hour&interval=hour")
      assert.deepStrictEqual(hours.json.group_by, ["hour"])
      assert.strictEqual(hours.json.rows.length, 2)
    })
  )

  it.effect("is filtered by key, team, model and provider", () =>
    Effect.gen(function* () {
      const { one, send } = yield* started
      const requests = (query: string) =>
        Effect.map(send("GET", `/admin/spend?${query}`), ({ json }) => json.total.requests)
      assert.strictEqual(yield* requests(`key=${one.id}`), 2)
      assert.strictEqual(yield* requests("team=research&model=mini"), 1)
      assert.strictEqual(yield* requests("provider=demo"), 3)
      assert.strictEqual(yield* requests("provider=nobody"), 0)
    })
  )

  it.effect("takes times and days, from inclusive, to exclusive", () =>
    Effect.gen(function* () {
      const { send } = yield* started
      const got = (query: string) =>
        Effect.map(send("GET", `/admin/spend?${query}`), ({ json }) => [json.from, json.to, json.total.requests])
      assert.deepStrictEqual(yield* got("from=2026-11-21&to=2026-11-22"), [
        "2026-11-21T00:00:00.000Z",
        "2026-11-22T00:00:00.000Z",
        3
      ])
      assert.deepStrictEqual(yield* got("from=2026-11-22&tz=Asia/Tokyo"), [
        "2026-11-21T15:00:00.000Z",
        "2026-11-30T15:00:00.000Z",
        2
      ])
      assert.deepStrictEqual(yield* got("from=2026-11-21T12:30:00Z&to=2026-11-21T12:30:00.001Z"), [
        "2026-11-21T12:30:00.000Z",
        "2026-11-21T12:30:00.001Z",
        1
      ])
      assert.deepStrictEqual(yield* got("to=2026-11-01"), ["2026-10-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z", 0])
      assert.deepStrictEqual(yield* got("from=2026-11-21T14:30:00%2B02:00&to=2026-11-21T12:31:00Z"), [
        "2026-11-21T12:30:00.000Z",
        "2026-11-21T12:31:00.000Z",
        1
      ])
    })
  )

  it.effect("without any is nothing, not an error", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const { json } = yield* send("GET", "/admin/spend")
      conforms(SpendReport, json)
      assert.deepStrictEqual([json.total.cost_usd, json.total.last_at, json.by_key], [0, null, []])
    })
  )

  it.effect("asked for in a way that can't be read is refused, naming the parameter", () =>
    Effect.gen(function* () {
      const { send } = yield* started
      for (const [query, param] of [
        ["from=yesterday", "from"],
        ["from=2026-02-30", "from"],
        ["to=2026-11-21T12:00:00", "to"],
        ["tz=Mars/Olympus", "tz"],
        ["group_by=colour", "group_by"],
        ["group_by=key,key", "group_by"],
        ["group_by=", "group_by"],
        ["interval=week", "interval"],
        ["from=2026-11-22&to=2026-11-21", "from"],
        ["from=2027-01-01", "from"],
        ["from=2026-01-01&interval=hour", "interval"],
        ["from=2026-01-01&group_by=hour", "group_by"],
        ["since=2026-11-01", "since"]
      ]) {
        const answer = yield* send("GET", `/admin/spend?${query}`)
        assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "invalid_field", param], query)
      }
    })
  )
})
