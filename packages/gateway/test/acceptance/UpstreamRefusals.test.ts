/** What a provider refuses, and what its caller is told: the class and the gateway's own words, never the operator's secrets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, upstream, vendorError } from "../support/Upstream.ts"
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

  it.live("comes last in the next decision, which names the one reason: keys, calls in flight or circuit", () =>
    Effect.gen(function* () {
      const limited = yield* upstream(() => ({
        status: 429,
        headers: { "retry-after": "600" },
        body: vendorError("No")
      }))
      const slow = yield* upstream(() => ({ ending: "silence" }))
      const down = yield* upstream(() => ({ status: 503, body: vendorError("No", "server_error") }))
      const fine = yield* upstream(() => ({ body: completion("Hi") }))
      const at = ({ baseUrl }: { baseUrl: string }) => `{ protocol: openai-chat, base_url: "${baseUrl}", api_key: k }`
      const gateway = yield* startGateway({
        yaml: `
providers: { limited: ${at(limited)}, slow: ${at(slow)}, down: ${at(down)}, fine: ${at(fine)} }
deployments: [limited/m, { provider: slow, model: m, max_in_flight: 1 }, down/m, fine/m]
models: { first: [limited/m, fine/m], all: [limited/m, slow/m, down/m, fine/m] }
failover: { attempts: 2, base_delay: 1ms }
`
      })
      const { secret } = yield* gateway.createKey()
      const chat = (model: string) =>
        call(gateway.url, {
          path: "/v1/chat/completions",
          key: secret,
          body: { model, messages: [{ role: "user", content: "Hi" }] }
        })
      yield* chat("first")
      yield* Effect.repeat(chat("down/m"), { times: 5 })
      yield* Effect.forkScoped(chat("slow/m"))
      yield* eventually(
        Effect.sync(() => slow.asked.length),
        (count) => count === 1
      )
      const { headers, status } = yield* chat("all")
      assert.strictEqual(status, 200)
      const { json } = yield* gateway.admin("GET", `/admin/requests/${headers["x-gateway-receipt-id"]}`)
      const whys = json.decision.considered.map((one: { deployment: string; why: string }) => [one.deployment, one.why])
      assert.deepStrictEqual(whys, [
        ["fine/m", null],
        ["limited/m", "its provider's keys are rate limited or refused"],
        ["slow/m", "it has as many calls in flight as it may have"],
        ["down/m", "its circuit is open"]
      ])
    })
  )
})
