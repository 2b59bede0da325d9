import { assert, describe, it } from "@effect/vitest"
import { noUsage } from "../../src/core/domain/Usage.ts"
import { Metrics } from "@model-gateway/protocol"
import { Meters } from "../../src/telemetry/metrics/Meters.ts"
import { RequestMetrics } from "../../src/telemetry/metrics/RequestMetrics.ts"
import { readPrometheus, valueOf } from "./Prometheus.ts"
import { attempt, failed, receipt } from "./Receipts.ts"

const setup = () => {
  const meters = new Meters(new Map())
  const metrics = new RequestMetrics(meters)
  metrics.know([{ deployment: "openai/gpt-5-mini", provider: "openai", model: "gpt-5-mini", operation: "chat" }])
  const families = () => readPrometheus(meters.prometheus())
  const value = (name: string, labels?: Record<string, string>) => valueOf(families(), name, labels)
  return { families, metrics, meters, value }
}

const deployment = "openai/gpt-5-mini"

describe("RequestMetrics", () => {
  it("begins with zeros for every deployment, so that the first request shows in a rate", () => {
    const { value } = setup()
    assert.strictEqual(value("gateway_cost_usd_total", { deployment }), 0)
    assert.strictEqual(value("gateway_retries_total", { deployment }), 0)
    assert.strictEqual(value("gen_ai_client_operation_duration_seconds_count", { deployment }), 0)
  })

  it("counts an answer with its tokens, cost and times, in OpenTelemetry's names", () => {
    const { metrics, value } = setup()
    metrics.ended(receipt({ attempts: [attempt({ firstTokenMs: 120 })], stream: true }))
    const labels = { gen_ai_provider_name: "openai", gen_ai_request_model: "gpt-5-mini", deployment }
    assert.strictEqual(
      value("gateway_requests_total", {
        endpoint: "/v1/chat/completions",
        bucket: "simple",
        status: "ok",
        stream: "true"
      }),
      1
    )
    assert.strictEqual(value("gen_ai_client_operation_duration_seconds_sum", labels), 0.3)
    assert.strictEqual(value("gen_ai_server_request_duration_seconds_sum", labels), 0.32)
    assert.strictEqual(value("gen_ai_server_time_to_first_token_seconds_sum", labels), 0.12)
    assert.strictEqual(value("gen_ai_server_time_to_first_token_seconds_bucket", { ...labels, le: "0.1" }), 0)
    assert.strictEqual(value("gen_ai_server_time_to_first_token_seconds_bucket", { ...labels, le: "0.25" }), 1)
    assert.strictEqual(value("gen_ai_client_token_usage_sum", { ...labels, gen_ai_token_type: "input" }), 120)
    assert.strictEqual(value("gen_ai_client_token_usage_sum", { ...labels, gen_ai_token_type: "output" }), 55)
    assert.strictEqual(value("gateway_tokens_total", { deployment, class: "cached_input" }), 20)
    assert.strictEqual(value("gateway_cost_usd_total", { deployment }), 0.0000015)
  })

  it.each([
    ["/v1/embeddings", "embeddings"],
    ["/v1/images/generations", "image_generation"],
    ["/v1/images/edits", "image_edit"],
    ["/v1/audio/speech", "generate_content"],
    ["/v1/audio/transcriptions", "transcription"],
    ["/v1/completions", "text_completion"],
    ["/v1/responses", "chat"],
    ["/v1/rerank", "rerank"]
  ])("measures a call of %s as %s, and no other operation with it", (endpoint, operation) => {
    const { metrics, value } = setup()
    metrics.ended(receipt({ endpoint }))
    for (const name of ["gen_ai_client_operation_duration_seconds", "gen_ai_server_request_duration_seconds"]) {
      const counted = (one: string) => value(`${name}_count`, { deployment, gen_ai_operation_name: one })
      assert.strictEqual(counted(operation), 1)
      assert.strictEqual(counted("chat"), operation === "chat" ? 1 : 0)
    }
  })

  it("sums money exactly", () => {
    const { metrics, value } = setup()
    for (let i = 0; i < 10; i++) metrics.ended(receipt({ attempts: [attempt({ cost: 100_000_000 })] }))
    assert.strictEqual(value("gateway_cost_usd_total", { deployment }), 1)
  })

  it("sums up what auto cost and what it is compared with, by bucket", () => {
    const { metrics, value } = setup()
    metrics.ended(receipt({ attempts: [failed({ cost: 500 }), attempt()], baseline: 9_000 }))
    metrics.ended(receipt({ attempts: [attempt()], bucket: "none", requestedModel: "fast" }))
    assert.strictEqual(value("gateway_auto_cost_usd_total", { bucket: "simple" }), 0.000002)
    assert.strictEqual(value("gateway_auto_baseline_usd_total", { bucket: "simple" }), 0.000009)
    assert.isUndefined(value("gateway_auto_cost_usd_total", { bucket: "none" }))
  })

  it("a failover counts where it failed, where it was retried, and as one request that went well", () => {
    const { metrics, value } = setup()
    const second = { deployment: "anthropic/claude", provider: "anthropic", model: "claude" }
    metrics.ended(receipt({ attempts: [failed({ cost: 700 }), attempt({ ...second, cost: 1_000 })] }))
    assert.strictEqual(value("gateway_upstream_failures_total", { deployment, class: "unavailable" }), 1)
    assert.strictEqual(value("gateway_retries_total", { deployment }), 0)
    assert.strictEqual(value("gateway_retries_total", { deployment: second.deployment }), 1)
    assert.strictEqual(value("gateway_cost_usd_total", { deployment }), 0.0000007)
    assert.strictEqual(
      value("gen_ai_client_operation_duration_seconds_count", { deployment, error_type: "unavailable" }),
      1
    )
    assert.strictEqual(value("gen_ai_server_request_duration_seconds_count", { deployment: second.deployment }), 1)
    assert.strictEqual(value("gateway_requests_total", { status: "ok" }), 1)
  })

  it("requests that end badly have their error class; a caller who left is not the deployment's failure", () => {
    const { metrics, value } = setup()
    metrics.ended(receipt({ status: "failed", attempts: [failed(), failed({ outcome: "first_token_timeout" })] }))
    metrics.ended(receipt({ status: "client_gone", attempts: [attempt({ outcome: "client_gone" })] }))
    metrics.ended(receipt({ status: "cut", attempts: [attempt({ outcome: "truncated", firstTokenMs: 90 })] }))
    const ended = (error_type: string) =>
      value("gen_ai_server_request_duration_seconds_count", { deployment, error_type })
    assert.deepStrictEqual([ended("first_token_timeout"), ended("client_gone"), ended("truncated")], [1, 1, 1])
    assert.strictEqual(value("gateway_upstream_failures_total", { deployment, class: "truncated" }), 1)
    assert.isUndefined(value("gateway_upstream_failures_total", { deployment, class: "client_gone" }))
  })

  it("a request that was refused, or could not be said to a provider, is no call to one", () => {
    const { metrics, value } = setup()
    metrics.ended(receipt({ status: "refused", attempts: [], priced: false }))
    metrics.ended(receipt({ status: "failed", attempts: [attempt({ outcome: "unsupported", usage: noUsage })] }))
    assert.strictEqual(value("gateway_requests_total", { status: "refused" }), 1)
    assert.strictEqual(value("gen_ai_client_operation_duration_seconds_count", { deployment }), 0)
    assert.strictEqual(value("gateway_unpriced_answers_total", { deployment }), 0)
  })

  it("an answer without a known price is counted as such", () => {
    const { metrics, value } = setup()
    metrics.ended(receipt({ priced: false, attempts: [attempt({ cost: 0 })] }))
    assert.strictEqual(value("gateway_unpriced_answers_total", { deployment }), 1)
  })

  it("error answers are counted by class and status", () => {
    const { metrics, value } = setup()
    metrics.count(Metrics.errors, { class: "invalid_api_key", status: "401" })
    metrics.count(Metrics.errors, { class: "invalid_api_key", status: "401" })
    metrics.count(Metrics.errors, { class: "limit_rpm", status: "429" })
    assert.strictEqual(value("gateway_errors_total", { class: "invalid_api_key", status: "401" }), 2)
    assert.strictEqual(value("gateway_errors_total", { class: "limit_rpm", status: "429" }), 1)
  })

  it("nothing a caller can name makes a series", () => {
    const { families, meters, metrics } = setup()
    metrics.ended(receipt())
    const before = meters.prometheus().split("\n").length
    for (let i = 0; i < 100; i++) {
      const id = `req_${String(i).padStart(24, "0")}`
      metrics.ended(receipt({ requestId: id, requestedModel: `m${i}`, keyId: `key_${i}`, team: `t${i}`, tags: [id] }))
    }
    assert.strictEqual(meters.prometheus().split("\n").length, before)
    assert.strictEqual(valueOf(families(), "gateway_requests_total", { status: "ok" }), 101)
  })

  it("names with quotes, backslashes and line breaks are escaped", () => {
    const { metrics, value } = setup()
    const odd = 'a"b\\c\nd'
    metrics.ended(receipt({ attempts: [attempt({ deployment: odd, model: odd })] }))
    assert.strictEqual(value("gateway_cost_usd_total", { deployment: odd }), 0.0000015)
  })

  it("every metric has one id and one name", () => {
    assert.strictEqual(new Set(Metrics.definitions.map(({ id }) => id)).size, Metrics.definitions.length)
    assert.strictEqual(
      new Set(Metrics.definitions.map(({ prometheus }) => prometheus)).size,
      Metrics.definitions.length
    )
  })
})
