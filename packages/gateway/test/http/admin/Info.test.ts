import { hostname } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { DeploymentList, Info, NodeList } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

const NOON = Date.UTC(2026, 10, 21, 12)

const body = (model: string, more: object = {}) => ({ model, messages: [{ role: "user", content: "Hello" }], ...more })

describe("what runs here", () => {
  it.effect("is told without secrets", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { createKey, send } = yield* startAdmin
      const { id } = yield* createKey()
      yield* createKey()
      yield* send("DELETE", `/admin/keys/${id}`)
      yield* TestClock.adjust("90 seconds")
      const { json } = yield* send("GET", "/admin/info")
      conforms(Info, json)
      const { alerts, demo, keys, receipts_keep_seconds, started_at, store, uptime_seconds } = json
      assert.deepStrictEqual(
        { alerts, demo, keys, receipts_keep_seconds, started_at, uptime_seconds },
        {
          alerts: 0,
          demo: true,
          keys: 1,
          receipts_keep_seconds: 2_592_000,
          started_at: "2026-11-21T12:00:00.000Z",
          uptime_seconds: 90
        }
      )
      assert.match(store.path, /gateway\.db$/)
      assert.isAbove(store.bytes, 10_000)
    })
  )

  it.effect("is the one node of a store in a file", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { send } = yield* startAdmin
      const { json } = yield* send("GET", "/admin/nodes")
      conforms(NodeList, json)
      const { name, version, ...node } = json.data[0]
      assert.deepStrictEqual(node, {
        object: "node",
        id: 0,
        since: "2026-11-21T12:00:00.000Z",
        lease_ms: null,
        last_beat_at: null,
        flush_lag_ms: 0,
        shares_held: 0,
        state: "working",
        is_this: true
      })
      assert.deepStrictEqual([json.data.length, name, typeof version], [1, hostname(), "string"])
    })
  )

  it.effect("has no configuration to show where it was started without a file", () =>
    Effect.gen(function* () {
      const { send } = yield* startAdmin
      const answer = yield* send("GET", "/admin/config")
      assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "no_configuration_file", null])
    })
  )
})

describe("a deployment", () => {
  it.effect("tells of its last hour, and its circuit can be closed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { createKey, send } = yield* startAdmin
      const { key } = yield* createKey()
      const headers = { "x-gateway-no-fallback": "1" }
      for (let count = 0; count < 5; count++) {
        yield* send("POST", "/v1/chat/completions", body("demo/status-500"), { key, headers })
      }
      yield* send("POST", "/v1/chat/completions", body("demo/mini", { stream: true }), { key })
      const list = yield* send("GET", "/admin/deployments")
      conforms(DeploymentList, list.json)
      const found = (id: string) => list.json.data.find((one: { id: string }) => one.id === id)
      const broken = found("demo/status-500")
      assert.deepStrictEqual(
        [broken.requests_1h, broken.failed_1h, broken.health.circuit, broken.health.since],
        [5, 5, "open", "2026-11-21T12:00:00.000Z"]
      )
      const mini = found("demo/mini")
      assert.deepStrictEqual([mini.requests_1h, mini.failed_1h, mini.health.since], [1, 0, null])
      const closed = yield* send("POST", "/admin/deployments/reset", { deployment: "demo/status-500" })
      assert.strictEqual(closed.status, 200)
      assert.deepStrictEqual(
        [closed.json.data[0].health.circuit, closed.json.data[0].health.consecutive_failures],
        ["closed", 0]
      )
      const unknown = yield* send("POST", "/admin/deployments/reset", { deployments: ["demo/mini", "demo/none"] })
      assert.deepStrictEqual(rowOf(unknown), [404, "invalid_request_error", "not_found", null])
    })
  )
})

describe("spend", () => {
  it.effect("is cut by bucket, with the same sum, and comes as CSV", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { createKey, send } = yield* startAdmin
      const { key } = yield* createKey({ tags: ["=1+1", 'a"b'] })
      for (const model of ["auto", "demo/large", "demo/mini"]) {
        yield* send("POST", "/v1/chat/completions", body(model), { key })
      }
      const spend = (query: string) => send("GET", `/admin/spend?${query}`)
      const byBucket = (yield* spend("group_by=bucket,model,month&tz=Europe/Berlin")).json
      const nano = (usd: number) => Math.round(usd * 1e9)
      const sum = byBucket.rows.reduce((all: number, row: { cost_usd: number }) => all + nano(row.cost_usd), 0)
      assert.strictEqual(sum, nano(byBucket.total.cost_usd))
      assert.deepStrictEqual(
        new Set(byBucket.rows.map((row: { bucket: string; month: string }) => `${row.bucket} ${row.month}`)),
        new Set(["simple 2026-11", "none 2026-11"])
      )
      const csv = yield* spend("group_by=tag&format=csv")
      assert.strictEqual(csv.headers["content-type"], "text/csv; charset=utf-8")
      const lines = csv.text.trimEnd().split("\r\n")
      assert.match(lines[0]!, /^tag,cost_usd,estimated_cost_usd,requests,/)
      assert.deepStrictEqual(
        lines
          .slice(1)
          .map((line) => line.slice(0, 6))
          .sort(),
        ['"a""b"', "'=1+1,"]
      )
      for (const [query, param] of [
        ["group_by=bucket,key", "group_by"],
        ["group_by=bucket&key=key_1", "key"],
        ["group_by=bucket&from=2026-11-01T00:30:00Z", "from"],
        ["group_by=bucket,hour&from=2026-06-01&to=2026-07-01", "from"],
        ["format=csv", "format"],
        ["format=xml&group_by=key", "format"]
      ]) {
        const refused = yield* spend(query!)
        assert.deepStrictEqual(rowOf(refused), [400, "invalid_request_error", "invalid_field", param], query)
      }
    })
  )
})
