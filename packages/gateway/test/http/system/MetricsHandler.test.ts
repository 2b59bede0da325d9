import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { demoYaml, masterKey, startGateway } from "../../support/RunningGateway.ts"
import { metricsAccessOf } from "../../../src/core/domain/Settings.ts"
import { Metrics } from "@model-gateway/protocol"
import { readPrometheus, valueOf } from "../../telemetry/Prometheus.ts"
import { attempt, failed, receipt } from "../../telemetry/Receipts.ts"

const scrape = (url: string, key?: string) =>
  call(url, { method: "GET", path: "/metrics", ...(key === undefined ? {} : { key }) })

/** After one answer and one refusal, so that every kind of metric has something to show. */
const used = Effect.gen(function* () {
  const gateway = yield* startGateway()
  const { secret } = yield* gateway.createKey()
  const body = { model: "failover", messages: [{ role: "user", content: "Hi" }] }
  assert.strictEqual((yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body })).status, 200)
  assert.strictEqual((yield* call(gateway.url, { path: "/v1/chat/completions", key: "mgw_no", body })).status, 401)
  assert.strictEqual((yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body: "{" })).status, 400)
  return gateway
})

describe("/metrics", () => {
  it.effect("is what Prometheus reads, with the right content type", () =>
    Effect.gen(function* () {
      const { url } = yield* used
      const answer = yield* scrape(url)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
      const families = readPrometheus(answer.text)
      const known = new Set(Metrics.definitions.map(({ prometheus }) => prometheus))
      for (const name of families.keys()) assert.isTrue(known.has(name), name)
    })
  )

  it.effect("tells the state of deployments, store and process", () =>
    Effect.gen(function* () {
      const { admin, url } = yield* used
      yield* admin("POST", "/admin/deployments/disable", { deployment: "demo/large" })
      const families = readPrometheus((yield* scrape(url)).text)
      const value = (name: string, labels = {}) => valueOf(families, name, labels)
      assert.strictEqual(value("gateway_in_flight", { deployment: "demo/mini" }), 0)
      assert.strictEqual(value("gateway_circuit_state", { deployment: "demo/mini" }), 0)
      assert.strictEqual(value("gateway_in_rotation", { deployment: "demo/mini" }), 1)
      assert.strictEqual(value("gateway_in_rotation", { deployment: "demo/large" }), 0)
      assert.strictEqual(value("gateway_store_trouble"), 0)
      assert.strictEqual(value("gateway_store_lag_seconds"), 0)
      assert.isAbove(value("gateway_store_commits_total")!, 2)
      assert.isAbove(value("gateway_store_last_commit_seconds")!, 0)
      assert.isAbove(value("gateway_process_resident_memory_bytes")!, 20_000_000)
      assert.isAbove(value("gateway_process_cpu_seconds_total")!, 0)
      assert.isAtLeast(value("gateway_process_open_sockets")!, 1)
      assert.isAtLeast(value("gateway_process_event_loop_delay_p99_seconds")!, 0)
    })
  )

  it.effect("counts refusals that never became a routed request", () =>
    Effect.gen(function* () {
      const { url } = yield* used
      const families = readPrometheus((yield* scrape(url)).text)
      assert.strictEqual(valueOf(families, "gateway_errors_total", { class: "invalid_api_key", status: "401" }), 1)
      assert.strictEqual(valueOf(families, "gateway_errors_total", { class: "invalid_json", status: "400" }), 1)
    })
  )

  it.effect("counts requests that ended", () =>
    Effect.gen(function* () {
      const { requests, url } = yield* startGateway()
      const deployment = "demo/mini"
      requests.ended(receipt({ attempts: [failed({ deployment: "demo/status-500" }), attempt({ deployment })] }))
      const families = readPrometheus((yield* scrape(url)).text)
      const value = (name: string, labels: Record<string, string>) => valueOf(families, name, labels)
      assert.isAtLeast(value("gateway_requests_total", { status: "ok", stream: "false", bucket: "simple" })!, 1)
      assert.strictEqual(value("gateway_retries_total", { deployment }), 1)
      assert.strictEqual(value("gateway_upstream_failures_total", { deployment: "demo/status-500" }), 1)
      assert.strictEqual(value("gen_ai_client_operation_duration_seconds_count", { deployment }), 1)
    })
  )

  it.effect("two gateways in one process do not add up", () =>
    Effect.gen(function* () {
      yield* used
      const other = yield* startGateway()
      const families = readPrometheus((yield* scrape(other.url)).text)
      assert.isUndefined(families.get("gateway_errors_total"))
    })
  )

  it("is for everybody on a loopback host, and for the master key alone on any other", () => {
    const access = (host: string) => metricsAccessOf({ host, metrics: undefined })
    for (const host of ["127.0.0.1", "127.1.2.3", "localhost", "::1"]) assert.strictEqual(access(host), "public")
    for (const host of ["0.0.0.0", "::", "10.0.0.1", "localhost.example.com"]) {
      assert.strictEqual(access(host), "master_key")
      assert.strictEqual(metricsAccessOf({ host, metrics: "public" }), "public")
    }
  })

  it.effect("is for the master key alone, or for nobody, where the configuration says so", () =>
    Effect.gen(function* () {
      const guarded = yield* startGateway({ yaml: `${demoYaml}server: { metrics: master_key }` })
      const { secret } = yield* guarded.createKey()
      assert.strictEqual((yield* scrape(guarded.url)).status, 401)
      assert.strictEqual((yield* scrape(guarded.url, "wrong")).status, 401)
      assert.strictEqual((yield* scrape(guarded.url, secret)).status, 403)
      readPrometheus((yield* scrape(guarded.url, masterKey)).text)
      const closed = yield* startGateway({ yaml: `${demoYaml}server: { metrics: off }` })
      assert.strictEqual((yield* scrape(closed.url, masterKey)).status, 404)
    })
  )
})
