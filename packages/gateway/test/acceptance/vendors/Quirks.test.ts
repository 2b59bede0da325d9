/** What the vendors' files say of parameters, through the real port. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { NewKey } from "../../../src/core/keys/NewKey.ts"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, upstream } from "../../support/Upstream.ts"

const messages = [{ role: "user", name: "ann", content: "Hi" }]

const asking = Effect.fnUntraced(function* (vendor: string, model: string, key: NewKey = {}) {
  const up = yield* upstream(() => ({ body: completion("Hello") }))
  const gateway = yield* startGateway({
    yaml: `
providers: { it: { vendor: ${vendor}, base_url: "${up.baseUrl}", api_key: k } }
deployments: [{ provider: it, model: ${model}, price: { input: 1, output: 2 }, context_window: 10000 }]
failover: { attempts: 1 }
`
  })
  const { secret } = yield* gateway.createKey(key)
  const ask = (fields: object, headers: Record<string, string> = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      headers,
      body: { model: `it/${model}`, messages, ...fields }
    })
  return { ask, asked: up.asked }
})

describe("a parameter that a vendor refuses", () => {
  it.live("is left out, and the caller is told", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* asking("groq", "llama-3.3-70b-versatile")
      const { headers, status, text } = yield* ask({ logprobs: true, logit_bias: { 1: 2 }, temperature: 0.5 })
      assert.strictEqual(status, 200, text)
      assert.strictEqual(headers["x-gateway-dropped-params"], "logprobs,logit_bias,messages[].name")
      assert.deepInclude(asked[0]?.body, { temperature: 0.5, messages: [{ role: "user", content: "Hi" }] })
      assert.notProperty(asked[0]?.body, "logprobs")
      assert.notProperty(asked[0]?.body, "logit_bias")
    }).pipe(Effect.scoped)
  )

  it.live("is left out where it would put the answer off to a time when nobody reads it", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* asking("xai", "grok-4-1-fast-non-reasoning")
      const { headers, status } = yield* ask({ deferred: true })
      assert.deepStrictEqual([status, headers["x-gateway-dropped-params"]], [200, "deferred"])
      assert.notProperty(asked[0]?.body, "deferred")
    }).pipe(Effect.scoped)
  )

  it.live("is no loss where it asks for nothing", () =>
    Effect.gen(function* () {
      const { ask } = yield* asking("cerebras", "gpt-oss-120b")
      const { headers } = yield* ask({ logit_bias: null })
      assert.isUndefined(headers["x-gateway-dropped-params"])
    }).pipe(Effect.scoped)
  )

  it.live("refuses the request of a strict caller, and says what would be right", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* asking("xai", "grok-4-fast-reasoning")
      const { json, status } = yield* ask({ stop: ["\n"] }, { "x-gateway-strict": "1" })
      assert.deepStrictEqual([status, json.error.param], [400, "stop"])
      assert.include(json.error.message, "leave out `stop`")
      assert.isEmpty(asked)
    }).pipe(Effect.scoped)
  )
})

describe("a parameter with a narrower range", () => {
  it.live("is brought to its nearest end, and the caller is told", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* asking("zai", "glm-4.7")
      const { headers } = yield* ask({ temperature: 1.6, top_p: 0.9 })
      assert.deepInclude(asked[0]?.body, { temperature: 1, top_p: 0.9 })
      assert.include(headers["x-gateway-dropped-params"], "temperature")
      assert.notInclude(headers["x-gateway-dropped-params"], "top_p")
    }).pipe(Effect.scoped)
  )
})

describe("a vendor that asks servers of several prices", () => {
  const budget: NewKey = { budgets: [{ limit: 1_000_000_000, window: "day", timeZone: "UTC" }] }

  it.live("may ask none that is dearer than what a budget counts with, whatever the caller says", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* asking("openrouter", "meta-llama/llama-3.3-70b-instruct", budget)
      for (const max_price of [undefined, { prompt: 500, completion: 900 }, { completion: "0.5", image: 3 }]) {
        const { status, text } = yield* ask({ max_tokens: 20, provider: { sort: "throughput", max_price } })
        assert.strictEqual(status, 200, text)
      }
      assert.deepStrictEqual(
        asked.map(({ body }) => body.provider),
        [
          { sort: "throughput", max_price: { prompt: 1, completion: 2 } },
          { sort: "throughput", max_price: { prompt: 1, completion: 2 } },
          { sort: "throughput", max_price: { prompt: 1, completion: 0.5, image: 3 } }
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("is asked as the caller says where there is no budget", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* asking("openrouter", "meta-llama/llama-3.3-70b-instruct")
      yield* ask({ provider: { sort: "throughput" } })
      assert.deepStrictEqual(asked[0]?.body.provider, { sort: "throughput" })
    }).pipe(Effect.scoped)
  )
})
