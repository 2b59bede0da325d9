/** What a provider does wrong, and what its caller is told: the class and the gateway's own words, never the operator's secrets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, eventsOf } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, event, type Reply, upstream, vendorError } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]
const PROVIDER_KEY = "sk-operators-own-0123456789abcdef"

/** One deployment whose upstream always does the same, and another behind the alias `spared` that works. */
const facing = Effect.fnUntraced(function* (reply: Reply | ((stream: boolean, number: number) => Reply)) {
  const bad = yield* upstream(({ body }, number) =>
    typeof reply === "function" ? reply(body.stream === true, number) : reply
  )
  const good = yield* upstream(({ body }) => ({
    body: body.stream === true ? completionEvents("spare") : completion("spare")
  }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  bad: { protocol: openai-chat, base_url: "${bad.baseUrl}", api_key: "${PROVIDER_KEY}" }
  good: { protocol: openai-chat, base_url: "${good.baseUrl}", api_key: none }
deployments:
  - { provider: bad, model: m, price: { input: 1, output: 2 }, context_window: 1000, timeouts: { first_token: 300ms, idle: 300ms, total: 1s } }
  - { provider: good, model: m, price: { input: 1, output: 2 }, context_window: 2000 }
  - { id: good/same, provider: good, model: m, price: { input: 1, output: 2 }, context_window: 1000 }
models: { spared: [bad/m, good/m], same: [bad/m, good/same] }
failover: { base_delay: 1ms }
`
  })
  const { secret } = yield* gateway.createKey()
  const chat = (fields: object = {}) =>
    call(gateway.url, { path: "/v1/chat/completions", key: secret, body: { model: "bad/m", messages, ...fields } })
  return { ...gateway, bad, good, chat }
})

const both = [{ stream: false }, { stream: true }]

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

  it.live("its rate: 429 of kind upstream, with the wait it asked for", () =>
    Effect.gen(function* () {
      const words = vendorError("Rate limit reached for org-operators", "requests", "rate_limit_exceeded")
      const { bad, chat } = yield* facing({ status: 429, headers: { "retry-after": "17" }, body: words })
      for (const fields of both) {
        const { headers, json, status, text } = yield* chat(fields)
        assert.strictEqual(status, 429)
        assert.strictEqual(headers["retry-after"], "17")
        assert.strictEqual(headers["x-gateway-limit-kind"], "upstream")
        assert.strictEqual(headers["x-should-retry"], "false")
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

  it.live("its account's credit: 503, and the words are the gateway's", () =>
    Effect.gen(function* () {
      const words = vendorError("You exceeded your current quota", "insufficient_quota", "insufficient_quota")
      const { chat } = yield* facing({ status: 429, body: words })
      const { json, status } = yield* chat()
      assert.strictEqual(status, 503)
      assert.deepInclude(json.error, { type: "upstream_error", code: "upstream_unavailable" })
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

  it.live("the model's name: 502, as the operator is at fault", () =>
    Effect.gen(function* () {
      const { chat } = yield* facing({
        status: 404,
        body: vendorError("no such model", "invalid_request_error", "model_not_found")
      })
      const { json, status } = yield* chat()
      assert.strictEqual(status, 502)
      assert.deepInclude(json.error, { type: "upstream_error", code: "upstream_unavailable" })
    })
  )
})

describe("a provider that fails", () => {
  it.live("with a status: its class is told, and never a 500", () =>
    Effect.gen(function* () {
      for (const [upstreamStatus, told] of [
        [500, 502],
        [502, 502],
        [503, 503],
        [504, 504],
        [529, 503]
      ] as const) {
        const { chat } = yield* facing({
          status: upstreamStatus,
          body: vendorError("operators' node 7 is down", "server_error")
        })
        const { headers, json, status } = yield* chat()
        assert.strictEqual(status, told)
        assert.deepInclude(json.error, { type: "upstream_error", code: "upstream_unavailable", param: null })
        assert.strictEqual(headers["x-should-retry"], "false")
        assert.notInclude(json.error.message, "node 7")
      }
    })
  )

  it.live("with a 200 that is no answer: failover, or 502", () =>
    Effect.gen(function* () {
      for (const body of [
        "",
        "<html><body>It works!</body></html>",
        Uint8Array.of(0xff, 0xfe, 0x00, 0x7b),
        "{}",
        "[]",
        "null",
        '"yes"',
        '{"choices":[]}',
        '{"choices":[{"index":0}]}',
        '{"id":"x","object":"chat.completion","choices":',
        { error: { message: "out of memory", type: "server_error" } }
      ] as const) {
        for (const fields of both) {
          const { chat } = yield* facing({ body })
          const shown = `${JSON.stringify(body)} ${JSON.stringify(fields)}`
          const alone = yield* chat(fields)
          assert.strictEqual(alone.status, 502, `${shown}: ${alone.text}`)
          assert.strictEqual(alone.json.error.type, "upstream_error", shown)
          const spared = yield* chat({ ...fields, model: "spared" })
          assert.deepStrictEqual([spared.status, spared.headers["x-gateway-retries"]], [200, "1"], shown)
        }
      }
    })
  )

  it.live("by saying nothing: 504, or failover, after the time it is given", () =>
    Effect.gen(function* () {
      const { bad, chat, ledger } = yield* facing({ delay: 60_000 })
      const alone = yield* chat()
      assert.strictEqual(alone.status, 504)
      assert.deepInclude(alone.json.error, { type: "upstream_error", code: "upstream_timeout" })
      assert.lengthOf(bad.asked, 1)
      const spared = yield* chat({ model: "spared", stream: true })
      assert.deepStrictEqual([spared.status, spared.headers["x-gateway-retries"]], [200, "1"])
      // What was sent was read: it is booked, as an estimate.
      const [first, second, third] = yield* ledger
      for (const row of [first, second]) assert.deepInclude({ ...row }, { status: "settled", estimated: 1, output: 0 })
      assert.deepInclude({ ...third }, { status: "settled", estimated: 0, cost: 20_000 })
    })
  )

  it.live("by being unreachable: 502 without its address", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        yaml: `
providers: { gone: { protocol: openai-chat, base_url: "http://127.0.0.1:1/v1", api_key: none } }
deployments: [gone/m]
failover: { base_delay: 1ms }
`
      })
      const { secret } = yield* gateway.createKey()
      const body = { model: "gone/m", messages }
      const { json, status } = yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body })
      assert.strictEqual(status, 502)
      assert.strictEqual(json.error.code, "upstream_unavailable")
      assert.notMatch(json.error.message, /127\.0\.0\.1|ECONN/)
    })
  )

  it.live("in the middle of a stream: one error event, no [DONE], and what came is booked as an estimate", () =>
    Effect.gen(function* () {
      const begun = completionEvents("one ", "two").slice(0, 3)
      for (const reply of [
        { body: begun, ending: "reset" },
        { body: begun, ending: "silence" },
        { body: begun },
        { body: [...begun, event(vendorError("overloaded", "server_error"))] },
        { body: [...begun, "data: {nonsense\n\n".repeat(9)] },
        { body: [...begun, "data: [DONE]\n\n"] }
      ] satisfies ReadonlyArray<Reply>) {
        const { chat, good, ledger } = yield* facing(reply)
        const { status, text } = yield* chat({ stream: true, model: "spared" })
        assert.strictEqual(status, 200)
        const events = eventsOf(text)
        const shown = JSON.stringify(reply.body.at(-1)).slice(0, 40)
        assert.strictEqual(events.at(-1).error?.type, "upstream_error", `${shown}: ${text}`)
        assert.strictEqual(events.filter((event) => event.error !== undefined).length, 1)
        assert.notInclude(text, "[DONE]")
        assert.notInclude(text, '"finish_reason":"stop"')
        assert.include(text, '"two"')
        assert.lengthOf(good.asked, 0)
        const [row, ...more] = yield* ledger
        assert.lengthOf(more, 0)
        assert.deepInclude({ ...row }, { status: "settled", estimated: 1 })
        assert.isAbove(row?.output ?? 0, 0)
        assert.isAbove(row?.cost ?? 0, 0)
      }
    })
  )

  it.live("now and then in a stream: up to eight unreadable events are skipped", () =>
    Effect.gen(function* () {
      const whole = completionEvents("one")
      const { chat } = yield* facing({
        body: [...whole.slice(0, 2), "data: {nonsense\n\n".repeat(8), ...whole.slice(2)]
      })
      const { text } = yield* chat({ stream: true })
      assert.isTrue(text.endsWith("data: [DONE]\n\n"))
      assert.notInclude(text, "nonsense")
    })
  )

  it.live("every time: after a while it is not asked first any more", () =>
    Effect.gen(function* () {
      const { bad, chat } = yield* facing({ status: 500, body: vendorError("down", "server_error") })
      for (let number = 0; number < 12; number++) assert.strictEqual((yield* chat({ model: "spared" })).status, 200)
      assert.lengthOf(bad.asked, 5)
    })
  )
})
