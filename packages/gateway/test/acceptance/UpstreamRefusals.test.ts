/** What a provider refuses, and what its caller is told: the class and the gateway's own words, never the operator's secrets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { until } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, type Reply, upstream, vendorError } from "../support/Upstream.ts"
import { both, facing, PROVIDER_KEY } from "./Facing.ts"

describe("a provider that refuses", () => {
  it.live("the gateway's own key: 502, not 401, with nothing of the key in it", () =>
    Effect.gen(function* () {
      const words = vendorError(
        `Incorrect API key provided: ${PROVIDER_KEY}`,
        "invalid_request_error",
        "invalid_api_key"
      )
      for (const status of [401, 403]) {
        const { chat } = yield* facing({ status, body: words })
        for (const fields of both) {
          const answer = yield* chat(fields)
          assert.strictEqual(answer.status, 502)
          assert.deepInclude(answer.json.error, { type: "upstream_error", code: "upstream_auth", param: null })
          assert.strictEqual(answer.headers["x-should-retry"], "false")
          assert.isUndefined(answer.headers["www-authenticate"])
          assert.notMatch(answer.text, /sk-|operators|0123456789/)
        }
      }
    })
  )

  it.live("anything: administrators read its words in the receipt, callers only where their request is at fault", () =>
    Effect.gen(function* () {
      const words = (type: string) => vendorError(`${"No. ".repeat(200)}${PROVIDER_KEY}`, type, "no_such_thing")
      for (const [status, type, isCallers] of [
        [400, "invalid_request_error", true],
        [401, "authentication_error", false],
        [500, "server_error", false]
      ] as const) {
        const { baseUrl } = yield* upstream(() => ({ status, body: words(type) }))
        const gateway = yield* startGateway({
          yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: "${PROVIDER_KEY}" } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 } }]
failover: { attempts: 1, base_delay: 1ms }
`
        })
        const { secret } = yield* gateway.createKey({ name: "caller" })
        const body = { model: "up/m", messages: [{ role: "user", content: "Hi" }] }
        assert.isAtLeast((yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body })).status, 400)
        const [receipt] = (yield* gateway.admin("GET", "/admin/requests?key=caller&error=no_such_thing")).json.data
        const [attempt] = receipt.attempts
        assert.deepInclude(attempt.error, { code: "no_such_thing", type })
        assert.match(attempt.error.message, /^(?:No\. )+…$/)
        assert.isAtMost(attempt.error.message.length, 501)
        const own = yield* call(gateway.url, { method: "GET", path: `/v1/receipts/${receipt.id}`, key: secret })
        assert.deepStrictEqual(own.json.attempts[0].error, isCallers ? attempt.error : null)
      }
    })
  )

  it.live("its rate: 429 of kind upstream, with the wait it asked for", () =>
    Effect.gen(function* () {
      const words = vendorError("Rate limit reached for org-operators", "requests", "rate_limit_exceeded")
      const { bad, chat } = yield* facing({ status: 429, headers: { "retry-after": "17" }, body: words })
      for (const fields of both) {
        const { headers, json, status, text } = yield* chat(fields)
        assert.strictEqual(status, 429)
        assert.strictEqual(headers["retry-after"], "17")
        assert.strictEqual(headers["x-gateway-limit-kind"], "upstream")
        assert.isUndefined(headers["x-should-retry"])
        assert.deepInclude(json.error, {
          type: "upstream_error",
          code: "upstream_rate_limited",
          kind: "upstream",
          retry_after_seconds: 17
        })
        assert.notInclude(text, "operators")
      }
      assert.lengthOf(bad.asked, 2)
    })
  )

  it.live("its rate, where something else is free: that answers", () =>
    Effect.gen(function* () {
      const { chat } = yield* facing({
        status: 429,
        headers: { "retry-after": "17" },
        body: vendorError("slow", "requests")
      })
      const { headers, status } = yield* chat({ model: "spared" })
      assert.deepStrictEqual([status, headers["x-gateway-retries"]], [200, "1"])
    })
  )

  it.effect("its rate for a moment, where nothing else is free: it is asked again after the wait it asked for", () =>
    Effect.gen(function* () {
      const words = vendorError("slow down", "requests", "rate_limit_exceeded")
      const { bad, chat, pool } = yield* facing((_, number) =>
        number === 0 ? { status: 429, headers: { "retry-after": "7" }, body: words } : { body: completion("at last") }
      )
      const fiber = yield* Effect.forkChild(chat())
      // The refusal has to arrive, and the wait to begin, before the clock may move.
      yield* until(() => !pool.isReady("bad/m", 0))
      yield* TestClock.withLive(Effect.sleep("20 millis"))
      yield* TestClock.adjust("6900 millis")
      assert.lengthOf(bad.asked, 1)
      yield* TestClock.adjust("100 millis")
      const { headers, status } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([status, headers["x-gateway-retries"]], [200, "1"])
    })
  )

  it.live("its account's credit: 503, and the words are the gateway's", () =>
    Effect.gen(function* () {
      const words = vendorError("You exceeded your current quota", "insufficient_quota", "insufficient_quota")
      const { chat } = yield* facing({ status: 429, body: words })
      const { json, status } = yield* chat()
      assert.strictEqual(status, 503)
      assert.deepInclude(json.error, { type: "upstream_error", code: "upstream_quota" })
      assert.notMatch(json.error.message, /quota|billing/)
    })
  )

  it.live("the request: its own status and words, and nobody else is asked", () =>
    Effect.gen(function* () {
      const words = {
        error: {
          message: "'temperature' is too high",
          type: "invalid_request_error",
          param: "temperature",
          code: "bad"
        }
      }
      const { chat, good } = yield* facing({ status: 422, body: words })
      for (const fields of both) {
        const { json, status } = yield* chat({ ...fields, model: "spared" })
        assert.strictEqual(status, 422)
        assert.deepStrictEqual(json, words)
      }
      assert.lengthOf(good.asked, 0)
    })
  )

  it.live("the content: as it says, and nobody else is asked", () =>
    Effect.gen(function* () {
      const words = vendorError(
        "The prompt was flagged by the content filter",
        "invalid_request_error",
        "content_filter"
      )
      const { chat, good } = yield* facing({ status: 400, body: words })
      const { json, status } = yield* chat({ model: "spared" })
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(json, words)
      assert.lengthOf(good.asked, 0)
    })
  )

  it.live("the length: a larger window is tried, a window of the same size is not", () =>
    Effect.gen(function* () {
      const words = vendorError(
        "This model's maximum context length is 1000 tokens",
        "invalid_request_error",
        "context_length_exceeded"
      )
      const { chat, good } = yield* facing({ status: 400, body: words })
      for (const model of ["bad/m", "same"]) {
        const { json, status } = yield* chat({ model })
        assert.strictEqual(status, 400)
        assert.deepStrictEqual(json, words)
      }
      assert.lengthOf(good.asked, 0)
      const larger = yield* chat({ model: "spared" })
      assert.deepStrictEqual([larger.status, larger.headers["x-gateway-decision"]], [200, "good/m"])
    })
  )

  it.live("the model's name: another one is asked, and when all say so it is 404", () =>
    Effect.gen(function* () {
      const { chat, good } = yield* facing({
        status: 404,
        body: vendorError("no such model for org-operators", "invalid_request_error", "model_not_found")
      })
      for (const fields of both) {
        const { headers, json, status, text } = yield* chat(fields)
        assert.strictEqual(status, 404)
        assert.deepInclude(json.error, { type: "invalid_request_error", code: "model_not_found", param: "model" })
        assert.strictEqual(headers["x-should-retry"], "false")
        assert.notInclude(text, "operators")
      }
      assert.lengthOf(good.asked, 0)
      const spared = yield* chat({ model: "spared" })
      assert.deepStrictEqual([spared.status, spared.headers["x-gateway-retries"]], [200, "1"])
    })
  )

  it.live("its rate, after others failed otherwise: 429 only when all are limited", () =>
    Effect.gen(function* () {
      const outage = { status: 500, body: vendorError("down", "server_error") }
      const unknown = { status: 404, body: vendorError("no such model") }
      const limit = { status: 429, headers: { "retry-after": "17" }, body: vendorError("slow", "requests") }
      const broke = { status: 402, body: vendorError("no credit") }
      for (const [replies, told] of [
        [[outage, outage, limit], 502],
        [[limit, outage, limit], 502],
        [[limit, broke, limit], 503],
        [[limit, limit, limit], 429],
        [[unknown, limit, limit], 429],
        [[unknown, unknown, outage], 502],
        [[unknown, unknown, unknown], 404]
      ] as const) {
        const ups = yield* Effect.forEach(replies, (reply) => upstream(() => reply))
        const providers = ups.map(
          ({ baseUrl }, n) => `p${n}: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }`
        )
        const gateway = yield* startGateway({
          yaml: `
providers: { ${providers.join(", ")} }
deployments: [p0/m, p1/m, p2/m]
models: { all: [p0/m, p1/m, p2/m] }
failover: { base_delay: 1ms }
`
        })
        const { secret } = yield* gateway.createKey()
        const body = { model: "all", messages: [{ role: "user", content: "Hi" }] }
        const { status, text } = yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body })
        assert.strictEqual(status, told, `${replies.map((one) => one.status).join()}: ${text}`)
        for (const { asked } of ups) assert.lengthOf(asked, 1)
      }
    })
  )

  it.live("its rate, with the wait in the body as Google has it, or in milliseconds", () =>
    Effect.gen(function* () {
      const quota = { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [] }
      const wait = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" }
      const error = { code: 429, message: "You exceeded your current quota", status: "RESOURCE_EXHAUSTED" }
      for (const reply of [
        { body: { error: { ...error, details: [quota, wait] } } },
        { body: JSON.stringify([{ error: { ...error, details: [quota, wait] } }]) },
        { body: vendorError("slow"), headers: { "retry-after-ms": "34400" } }
      ] satisfies ReadonlyArray<Reply>) {
        const { chat } = yield* facing({ status: 429, ...reply })
        const { headers, json, status } = yield* chat()
        assert.deepStrictEqual([status, json.error.code], [429, "upstream_rate_limited"])
        assert.strictEqual(headers["retry-after"], "35")
      }
    })
  )
})
