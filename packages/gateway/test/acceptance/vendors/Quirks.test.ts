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
deployments: [{ provider: it, model: ${model}, price: { input: 1, output: 2 }, context_window: 100000 }]
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
  const respond = (fields: object) =>
    call(gateway.url, { path: "/v1/responses", key: secret, body: { model: `it/${model}`, input: "Hi", ...fields } })
  return { ask, asked: up.asked, respond }
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

  it.live("is left out where it would win over the limit that is held", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* asking("llamacpp", "llama-3")
      const { headers } = yield* ask({ max_tokens: 5, n_predict: 100_000 })
      assert.strictEqual(headers["x-gateway-dropped-params"], "n_predict")
      assert.notProperty(asked[0]?.body, "n_predict")
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

  it.live("may ask none that is dearer for a response either", () =>
    Effect.gen(function* () {
      const { asked, respond } = yield* asking("openrouter", "meta-llama/llama-3.3-70b-instruct", budget)
      yield* respond({ max_output_tokens: 20, provider: { max_price: { prompt: 500 } } })
      assert.strictEqual(asked[0]?.path, "/v1/responses")
      assert.deepStrictEqual(asked[0]?.body.provider, { max_price: { prompt: 1, completion: 2 } })
    }).pipe(Effect.scoped)
  )

  it.live("reads PDFs for nothing but tokens, unless an operator bounded what else they may cost", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* asking("openrouter", "meta-llama/llama-3.3-70b-instruct", budget)
      const file = { type: "file", file: { filename: "a.pdf", file_data: "https://example.com/a.pdf" } }
      const parser = (engine: string) => [{ id: "file-parser", pdf: { engine } }]
      const asks = (plugins: unknown) => ask({ max_tokens: 20, messages: [{ role: "user", content: [file] }], plugins })
      const first = yield* asks(undefined)
      assert.strictEqual(first.status, 200, first.text)
      assert.deepStrictEqual(asked[0]?.body.plugins, parser("cloudflare-ai"))
      assert.strictEqual((yield* asks(parser("native"))).status, 200)
      assert.deepStrictEqual(asked[1]?.body.plugins, parser("native"))
      assert.strictEqual((yield* asks(parser("mistral-ocr"))).status, 400)
      assert.strictEqual((yield* asks([{ id: "file-parser" }])).status, 400)
      assert.lengthOf(asked, 2)
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
