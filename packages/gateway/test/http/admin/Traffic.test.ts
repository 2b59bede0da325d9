import { assert, describe, it } from "@effect/vitest"
import { TrafficReport } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call } from "../../support/RawHttp.ts"
import { noUsage as usage } from "../../../src/core/domain/Usage.ts"
import { startGateway, temporaryStore } from "../../support/RunningGateway.ts"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

const NOON = Date.UTC(2026, 10, 21, 12)

const nano = (usd: number) => Math.round(usd * 1e9)

const ask = (model: string, more: object = {}) => ({ model, messages: [{ role: "user", content: "Hello" }], ...more })

// oxlint-disable-next-line typescript/no-explicit-any -- rows as they came
type Rows = ReadonlyArray<any>

const start = Effect.gen(function* () {
  yield* TestClock.setTime(NOON)
  const admin = yield* startAdmin
  const { id, key } = yield* admin.createKey({ team: "red", tags: ["nightly", "batch"] })
  const chat = (model: string, more: object = {}, headers = {}) =>
    admin.send("POST", "/v1/chat/completions", ask(model, more), { key, headers })
  const traffic = (query: string) =>
    Effect.map(admin.send("GET", `/admin/traffic?${query}`), ({ json, status, text }) => {
      assert.strictEqual(status, 200, text)
      conforms(TrafficReport, json)
      return json
    })
  return { ...admin, id, key, chat, traffic }
})

/** Of a stream. */
const report = (firstTokenMs: number | null, durationMs: number, index: number) => ({
  requestId: `req_${index}`,
  at: NOON,
  durationMs,
  keyId: "key_1",
  team: null,
  endpoint: "/v1/chat/completions",
  requestedModel: "auto",
  deployment: "demo/mini",
  provider: "demo",
  model: "mini",
  bucket: "simple",
  score: 0,
  reasons: [],
  status: "ok" as const,
  stream: true,
  priced: true,
  priceSource: null,
  priceVersion: null,
  tags: [],
  attempts: [
    {
      deployment: "demo/mini",
      provider: "demo",
      model: "mini",
      outcome: "ok" as const,
      httpStatus: 200,
      startedMs: 0,
      firstTokenMs,
      durationMs: durationMs - 2,
      cost: 5,
      usage: { ...usage, output: 100 },
      estimated: false
    }
  ]
})

describe("traffic", () => {
  it.effect("tells how long answers took as histograms, where one asks for them", () =>
    Effect.gen(function* () {
      const { chat, traffic } = yield* start
      for (let count = 0; count < 3; count++) yield* chat("demo/mini")
      for (let count = 0; count < 2; count++) yield* chat("demo/mini", { stream: true })
      assert.notProperty(yield* traffic("group_by=deployment"), "histograms")
      const { histograms, total } = yield* traffic("histograms=true")
      const of = (name: "latency_ms" | "first_token_ms") =>
        histograms[name] as ReadonlyArray<{ from: number; to: number; count: number }>
      const sum = (name: Parameters<typeof of>[0]) => of(name).reduce((all, { count }) => all + count, 0)
      assert.deepStrictEqual([sum("latency_ms"), sum("first_token_ms")], [5, 2])
      for (const name of ["latency_ms", "first_token_ms"] as const) {
        for (const { from, to } of of(name)) assert.isBelow(from, to)
        assert.isAtMost(of(name).at(-1)?.from ?? 0, total[name].max)
      }
      const refused = yield* (yield* start).send("GET", "/admin/traffic?histograms=yes")
      assert.deepStrictEqual(rowOf(refused), [400, "invalid_request_error", "invalid_field", "histograms"])
    })
  )

  it.effect("counts how requests ended, where and what they cost, without delay and after the rows are written", () =>
    Effect.gen(function* () {
      const { chat, send, traffic } = yield* start
      yield* chat("demo/mini")
      yield* chat("demo/mini", { stream: true })
      yield* chat("failover")
      yield* chat("demo/status-500", {}, { "x-gateway-no-fallback": "1" })
      yield* chat("demo/cut-3", { stream: true })
      yield* chat("auto")
      const look = Effect.gen(function* () {
        const all = yield* traffic("group_by=deployment,status&interval=minute")
        const { attempts, cut, failed, ok, requests, retried } = all.total
        assert.deepStrictEqual({ requests, ok, failed, cut }, { requests: 6, ok: 4, failed: 1, cut: 1 })
        assert.isAtLeast(retried, 1)
        assert.isAtLeast(attempts, 7)
        const spend = (yield* send("GET", "/admin/spend")).json
        assert.isAbove(nano(spend.total.cost_usd), 0)
        assert.strictEqual(nano(all.total.cost_usd), nano(spend.total.cost_usd))
        assert.strictEqual(nano(all.total.auto_baseline_usd), nano(spend.total.auto_baseline_usd))
        assert.strictEqual(all.total.input_tokens, spend.total.input_tokens)
        assert.strictEqual(all.total.output_tokens, spend.total.output_tokens)
        const rows = all.rows as Rows
        assert.deepStrictEqual(new Set(rows.map((row) => row.start)), new Set(["2026-11-21T12:00:00Z"]))
        const failedOver = (yield* traffic("group_by=error&deployment=demo/status-500")).rows as Rows
        // One attempt of the alias, which another followed, and those of the request that failed.
        assert.isTrue(failedOver.every(({ error }) => error !== "ok"))
        const buckets = (yield* traffic("group_by=bucket,stream")).rows as Rows
        assert.deepStrictEqual(new Set(buckets.map(({ stream }) => stream)), new Set(["true", "false"]))
        return [all.total, all.rows, failedOver, buckets]
      })
      const fresh = yield* look
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* look, fresh)
    })
  )

  it.effect("costs what the ledger booked, to the nano-dollar, by every cut that both know", () =>
    Effect.gen(function* () {
      const { chat, send, traffic } = yield* start
      for (const at of [0, 30, 59, 60, 61, 26 * 60]) {
        yield* TestClock.setTime(NOON + at * 60_000)
        yield* chat("demo/mini", { stream: true })
        yield* chat("failover")
        yield* chat("auto")
      }
      const days = "from=2026-11-01&to=2026-12-01"
      for (const [cut, query] of [
        ["model", "group_by=model"],
        ["provider", "group_by=provider"],
        ["key", "group_by=key"],
        ["team", "group_by=team"],
        ["tag", "group_by=tag"],
        ["hour", "interval=hour"],
        ["day", "interval=day"],
        ["hour", "interval=hour&tz=Europe/Berlin"],
        ["day", "interval=day&tz=America/New_York"],
        ["day", "interval=day&group_by=key&tz=Europe/Berlin"]
      ] as const) {
        const spendQuery = query.replace("interval=", query.includes("group_by") ? "interval=" : "group_by=")
        const spend = (yield* send("GET", `/admin/spend?${days}&${spendQuery}`)).json
        const found = yield* traffic(`${days}&${query}`)
        const name = (row: Rows[number]) =>
          cut === "hour" || cut === "day"
            ? (row[cut] ?? row.start).slice(0, cut === "hour" ? 13 : 10) + (row.key ?? "")
            : row[cut]
        const costs = (rows: Rows) => Object.fromEntries(rows.map((row) => [name(row), nano(row.cost_usd)]))
        const booked = (spend.rows as Rows).filter((row) => row.requests > 0 || row.cost_usd > 0)
        assert.deepStrictEqual(
          costs((found.rows as Rows).filter((row) => row.requests > 0 || row.cost_usd > 0)),
          costs(booked),
          query
        )
        assert.strictEqual(nano(found.total.cost_usd), nano(spend.total.cost_usd), query)
      }
    })
  )

  it.effect("tells times of whole answers and streams", () =>
    Effect.gen(function* () {
      const { gateway, traffic } = yield* start
      for (let index = 1; index <= 100; index++) gateway.requests.ended(report(index * 10, index * 100, index))
      const { total } = yield* traffic("interval=minute")
      const near = (found: number, exact: number) => assert.isAtMost(Math.abs(found - exact) / exact, 0.05)
      near(total.latency_ms.p50, 5_000)
      near(total.latency_ms.p95, 9_500)
      near(total.latency_ms.p99, 9_900)
      assert.strictEqual(total.latency_ms.max, 10_000)
      near(total.first_token_ms.p90, 900)
      near(total.overhead_ms.p50, 2)
      near(total.tokens_per_second.p50, 100_000 / 4_500)
      assert.strictEqual(nano(total.cost_usd), 500)
    })
  )

  it.effect("counts what limits and budgets refused, by key and by limit", () =>
    Effect.gen(function* () {
      const { createKey, send, traffic } = yield* start
      const limited = yield* createKey({ limits: { rpm: 1 } })
      const poor = yield* createKey({ budget_usd: 0.000000001 })
      for (const { key } of [limited, limited, limited, poor]) {
        yield* send("POST", "/v1/chat/completions", ask("demo/mini"), { key })
      }
      const refused = (rows: Rows) =>
        Object.fromEntries(rows.filter((row) => row.limit !== null).map((row) => [row.limit, row.refused]))
      assert.deepStrictEqual(refused((yield* traffic("group_by=limit")).rows), { rpm: 2, budget: 1 })
      const byKey = (yield* traffic(`group_by=key,limit&limit_kind=rpm`)).rows as Rows
      assert.deepStrictEqual(
        byKey.map(({ key, refused: count, requests }) => [key, count, requests]),
        [[limited.id, 2, 2]]
      )
    })
  )

  it.effect("sums up the time before, where one asks for it, as if it were asked for alone", () =>
    Effect.gen(function* () {
      const { chat, traffic } = yield* start
      yield* chat("demo/mini")
      yield* chat("demo/large")
      yield* TestClock.adjust("24 hours")
      yield* chat("auto")
      const [from, noon] = ["2026-11-22T00:00:00Z", "2026-11-22T13:00:00Z"]
      const asked = yield* traffic(`from=${from}&to=${noon}&compare=true&interval=hour`)
      const alone = yield* traffic(`from=2026-11-21T11:00:00Z&to=${from}&interval=hour`)
      assert.deepStrictEqual([asked.total.requests, asked.before.requests], [1, 2])
      assert.deepStrictEqual(asked.before, alone.total)
      assert.notProperty(yield* traffic(""), "before")
    })
  )

  it.effect("tells how prompts were scored, and which answers have no known price", () =>
    Effect.gen(function* () {
      const { chat, gateway, traffic } = yield* start
      const scores: Array<number> = []
      for (const content of ["Hi", "Prove that 2 is prime.", "Thanks"]) {
        const { headers } = yield* chat("auto", { messages: [{ role: "user", content }] })
        scores.push(Number(headers["x-gateway-route-score"]))
      }
      yield* chat("demo/mini")
      const { histograms, total } = yield* traffic("histograms=true&bucket=simple")
      const of = (classes: Rows) => classes.filter(({ count }) => count > 0)
      const all = of((yield* traffic("histograms=true")).histograms.scores)
      assert.strictEqual(
        all.reduce((sum, { count }) => sum + count, 0),
        3
      )
      for (const { count, from, to } of all) {
        assert.strictEqual(scores.filter((score) => score >= from && (score < to || to === 1)).length, count)
      }
      assert.isAtMost(of(histograms.scores).length, all.length)
      assert.strictEqual(total.unpriced, 0)
      const [known] = report(1, 2, 1).attempts
      const free = { ...report(1, 2, 1), priced: false, attempts: [{ ...known!, cost: 0 }] }
      gateway.requests.ended(free)
      // What was refused or failed has no price either, and nobody waits for one; what was booked all the same has one.
      for (const status of ["failed", "refused"] as const) gateway.requests.ended({ ...free, status })
      gateway.requests.ended({ ...free, attempts: [known!] })
      assert.strictEqual((yield* traffic("")).total.unpriced, 1)
    })
  )

  it.effect("outlives a restart", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const store = yield* temporaryStore
      const total = (gateway: Effect.Success<ReturnType<typeof startGateway>>) =>
        Effect.map(gateway.admin("GET", "/admin/traffic?interval=minute"), ({ json }) => json.total)
      const before = yield* Effect.scoped(
        Effect.gen(function* () {
          const gateway = yield* startGateway({ store })
          const { secret } = yield* gateway.createKey()
          yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body: ask("demo/mini") })
          return yield* total(gateway)
        })
      )
      assert.strictEqual(before.requests, 1)
      assert.deepStrictEqual(yield* total(yield* startGateway({ store })), before)
    })
  )

  it.effect("says what it can't tell, and why", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      for (const [query, param, words] of [
        ["interval=second", "interval", /minute/],
        ["group_by=colour", "group_by", /deployment, provider/],
        ["group_by=key,model", "group_by", /can't be cut by `model`/],
        ["group_by=model&key=key_1", "group_by", /spend has models/],
        ["key=key_1&deployment=demo/mini", "deployment", /can't be cut by `deployment`/],
        ["interval=minute&group_by=key", "interval", /not by minute/],
        ["interval=minute&from=2026-11-01", "interval", /kept for 48 hours.*cut by hour/],
        ["interval=hour&from=2026-01-01", "interval", /kept for 90 days.*cut by day/],
        ["from=2026-11-02&to=2026-11-01", "from", /empty/],
        ["tz=Mars", "tz", /IANA/],
        ["limit=0", "limit", /whole number/],
        ["stream=yes", "stream", /true/],
        ["colour=red", "colour", /./]
      ] as const) {
        const answer = yield* send("GET", `/admin/traffic?${query}`)
        assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "invalid_field", param], query)
        assert.match(answer.json.error.message, words, query)
      }
    })
  )
})
