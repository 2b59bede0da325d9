/** Budgets of a key: refused in words that clients understand, held while a request runs, charged exactly. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, upstream, vendorError } from "../support/Upstream.ts"
import { admittedSoon, withKey } from "./WithKey.ts"

const messages = [{ role: "user", content: "Hi" }]

const day = (limit: number) => ({ limit, window: "day" as const, timeZone: "UTC" })

describe("budgets", () => {
  it.live("a budget that has no room for a request refuses it for good, in words that clients stop on", () =>
    Effect.gen(function* () {
      const { asked, chat, id } = yield* withKey({ budgets: [day(10_000)] })
      const { headers, json, status } = yield* chat()
      assert.strictEqual(status, 429)
      assert.strictEqual(headers["x-gateway-limit-kind"], "budget")
      assert.strictEqual(headers["x-should-retry"], "false")
      assert.deepInclude(json.error, {
        type: "insufficient_quota",
        code: "insufficient_quota",
        param: null,
        kind: "budget",
        limit: 0.00001,
        used: 0,
        scope: "key"
      })
      assert.strictEqual(Number(headers["retry-after"]), json.error.retry_after_seconds)
      assert.strictEqual(new Date(json.error.resets_at).toISOString(), json.error.resets_at)
      assert.strictEqual(Date.parse(json.error.resets_at) % 86_400_000, 0)
      assert.include(json.error.message, id)
      assert.match(json.error.message, /insufficient_quota/)
      assert.lengthOf(asked, 0)
    })
  )

  it.live("what requests in flight hold is refused for the moment only", () =>
    Effect.gen(function* () {
      // Room for one worst case (about 120 tokens in, 100 out), not for two.
      const { asked, chat, openStream, own } = yield* withKey({ budgets: [day(500_000)] })
      const { hangUp } = yield* openStream()
      const { headers, json, status } = yield* chat()
      assert.strictEqual(status, 429)
      assert.strictEqual(headers["x-gateway-limit-kind"], "budget_reserved")
      assert.isUndefined(headers["x-should-retry"])
      assert.deepInclude(json.error, { type: "insufficient_quota", code: "budget_reserved", kind: "budget_reserved" })
      assert.strictEqual(json.error.retry_after_seconds, 1)
      assert.notMatch(json.error.message, /insufficient_quota|exceeded your|will reset/)
      const [held] = (yield* own).json.budgets
      assert.isAbove(held.reserved_usd, 0)
      hangUp()
      yield* Effect.promise(() => asked[0]!.closed)
      yield* admittedSoon(chat)
    })
  )

  it.live("what is spent is subtracted exactly, and told", () =>
    Effect.gen(function* () {
      const { chat, own } = yield* withKey({ budgets: [day(1_000_000)] })
      const first = yield* chat()
      assert.strictEqual(first.headers["x-gateway-cost-usd"], "0.00002")
      assert.strictEqual(first.headers["x-gateway-budget-remaining-usd"], "0.00098")
      yield* chat({ stream: true })
      const { json, status } = yield* own
      assert.strictEqual(status, 200)
      assert.deepInclude(json.budgets[0], {
        usd: 0.001,
        window: "day",
        spent_usd: 0.00004,
        reserved_usd: 0,
        remaining_usd: 0.00096
      })
    })
  )

  it.live("an output limit that only the configuration knows is told, and so is one that was learnt below it", () =>
    Effect.gen(function* () {
      const tooMany = "Invalid max_tokens value, the valid range of max_tokens is [1, 1024]"
      const { asked, baseUrl } = yield* upstream(({ body }) =>
        body.max_tokens > 1024 ? { status: 400, body: vendorError(tooMany) } : { body: completion("one") }
      )
      const gateway = yield* startGateway({
        yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 }, max_output_tokens: 4096, bounds: { reasoning_tokens: 0 } }
`
      })
      const { secret } = yield* gateway.createKey({ budgets: [day(1_000_000_000)] })
      const ask = call(gateway.url, { path: "/v1/chat/completions", key: secret, body: { model: "up/m", messages } })
      assert.strictEqual((yield* ask).status, 200)
      assert.strictEqual((yield* ask).status, 200)
      assert.deepStrictEqual(
        asked.map(({ body }) => body.max_tokens),
        [4096, 1024, 1024]
      )
    })
  )

  it.live("what a long input left of the window is no limit for those that follow", () =>
    Effect.gen(function* () {
      const window = (input: number) =>
        `This model's maximum context length is 8192 tokens. However, you requested 16384 tokens (${input} in the messages, 8192 in the completion).`
      const { asked, baseUrl } = yield* upstream(({ body }) => {
        const input = JSON.stringify(body.messages).length
        return input + body.max_tokens > 8192
          ? { status: 400, body: vendorError(window(input)) }
          : { body: completion("one") }
      })
      const gateway = yield* startGateway({
        yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }]
`
      })
      const { secret } = yield* gateway.createKey({ budgets: [day(1_000_000_000)] })
      const ask = (content: string) =>
        call(gateway.url, {
          path: "/v1/chat/completions",
          key: secret,
          body: { model: "up/m", messages: [{ role: "user", content }] }
        })
      assert.strictEqual((yield* ask("x".repeat(8000))).status, 200)
      assert.isBelow(asked.at(-1)!.body.max_tokens, 192)
      assert.strictEqual((yield* ask("Hi")).status, 200)
      assert.isAbove(asked.at(-1)!.body.max_tokens, 8000)
    })
  )

  it.live("a model without a price is refused to a key with a budget", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        yaml: `
providers: { up: { protocol: openai-chat, base_url: "http://127.0.0.1:9/v1", api_key: none } }
deployments: [up/unpriced]
`
      })
      const { secret } = yield* gateway.createKey({ budgets: [day(1_000_000_000)] })
      const body = { model: "up/unpriced", messages }
      const { json, status } = yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body })
      assert.strictEqual(status, 400)
      assert.deepInclude(json.error, { code: "price_unknown", param: "model" })
    })
  )
})
