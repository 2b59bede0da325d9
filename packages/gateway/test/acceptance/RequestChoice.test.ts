/** OpenRouter's documented examples of provider routing and model fallbacks, and tags that keys require, through the real port. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { masterKey, startGateway, temporaryStore } from "../support/RunningGateway.ts"
import { completion, upstream, vendorError } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]

/** `llama` at three providers, in this order, and `other` at a fourth. What they fail with is set by the test. */
const facing = Effect.gen(function* () {
  const failing = new Set<string>()
  const served = (name: string) =>
    upstream(() => (failing.has(name) ? { status: 500, body: vendorError("down") } : { body: completion(name) }))
  const together = yield* served("together")
  const deepinfra = yield* served("deepinfra")
  const groq = yield* served("groq")
  const anthropic = yield* served("other")
  const gateway = yield* startGateway({
    yaml: `
providers:
  together: { base_url: "${together.baseUrl}", api_key: key-of-together-1 }
  deepinfra: { protocol: openai-chat, base_url: "${deepinfra.baseUrl}", api_key: none }
  fast: { vendor: groq, base_url: "${groq.baseUrl}", api_key: key-of-groq-12345 }
  spare: { protocol: openai-chat, base_url: "${anthropic.baseUrl}", api_key: none }
deployments:
  - { provider: together, model: llama, price: { input: 0.5, output: 0.9 }, region: us, supports: [chat, stream, tools] }
  - { provider: deepinfra, model: llama, price: { input: 0.1, output: 0.2 }, region: EU, supports: [chat, stream, tools, json_schema] }
  - { provider: fast, model: llama, price: { input: 2, output: 4 }, region: eu, zdr: true, supports: [chat, stream, tools] }
  - { provider: spare, model: other, price: { input: 1, output: 1 }, defaults: { temperature: 0.9 } }
models:
  llama: [together/llama, deepinfra/llama, fast/llama]
  calm: { deployments: spare/other, fixed: { temperature: 0.1 } }
failover: { base_delay: 1ms }
`
  })
  const { id, secret } = yield* gateway.createKey()
  const all = { together, deepinfra, groq, anthropic }
  const ask = (body: object, key = secret, headers: Record<string, string> = {}) =>
    call(gateway.url, { path: "/v1/chat/completions", key, headers, body: { model: "llama", messages, ...body } })
  const who = (body: object, key?: string) =>
    Effect.map(ask(body, key), ({ json, status }) =>
      status === 200 ? json.choices[0].message.content : json.error.code
    )
  return { all, ask, failing, gateway, id, secret, who }
})

const schema = { type: "json_schema", json_schema: { name: "a", schema: { type: "object" } } }

/** The request beside its messages, what fails, and who serves it: the words of `completion`, or an error code. */
const examples: ReadonlyArray<readonly [what: string, body: object, failing: ReadonlyArray<string>, served: string]> = [
  ["nothing: the configured order", {}, [], "together"],
  ["order", { provider: { order: ["deepinfra", "together"] } }, [], "deepinfra"],
  ["order, and its first fails", { provider: { order: ["deepinfra", "together"] } }, ["deepinfra"], "together"],
  ["order, and all of it fails", { provider: { order: ["deepinfra"] } }, ["deepinfra"], "together"],
  ["order in capitals", { provider: { order: ["DeepInfra"] } }, [], "deepinfra"],
  ["order by a vendor", { provider: { order: ["groq"] } }, [], "groq"],
  ["order by a deployment", { provider: { order: ["fast/llama"] } }, [], "groq"],
  [
    "order without fallbacks",
    { provider: { order: ["deepinfra"], allow_fallbacks: false } },
    ["deepinfra"],
    "provider_error"
  ],
  ["no fallbacks", { provider: { allow_fallbacks: false } }, ["together"], "provider_error"],
  ["sort by price", { provider: { sort: "price" } }, [], "deepinfra"],
  ["sort as an object", { provider: { sort: { by: "price", partition: "model" } } }, [], "deepinfra"],
  [":floor", { model: "llama:floor" }, [], "deepinfra"],
  [":nitro, with nothing measured", { model: "llama:nitro" }, [], "together"],
  [":nitro of a model that there is not", { model: "nothing:nitro" }, [], "model_not_found"],
  ["only", { provider: { only: ["groq"] } }, [], "groq"],
  ["only, and it fails", { provider: { only: ["groq"] } }, ["groq"], "provider_error"],
  ["ignore", { provider: { ignore: ["together"] } }, [], "deepinfra"],
  ["ignore all", { provider: { ignore: ["together", "deepinfra", "fast"] } }, [], "no_allowed_provider"],
  ["max_price", { provider: { max_price: { prompt: 0.2, completion: 0.3 } } }, [], "deepinfra"],
  ["max_price as text", { provider: { max_price: { prompt: "0.2" } } }, ["deepinfra"], "provider_error"],
  ["max_price below all", { provider: { max_price: { completion: 0.1 } } }, [], "no_allowed_provider"],
  ["zdr", { provider: { zdr: true } }, [], "groq"],
  ["data_collection: allow", { provider: { data_collection: "allow" } }, [], "together"],
  [
    "data_collection: deny, which nobody here honours",
    { provider: { data_collection: "deny" } },
    [],
    "no_allowed_provider"
  ],
  ["quantizations, likewise", { provider: { quantizations: ["fp8"] } }, [], "no_allowed_provider"],
  ["a wish", { provider: { preferred_max_latency: 1 } }, [], "together"],
  ["a schema, which one has", { response_format: schema, provider: { require_parameters: true } }, [], "deepinfra"],
  ["models", { models: ["spare/other"] }, [], "together"],
  [
    "models, and all of the first fail",
    { models: ["spare/other"], provider: { only: ["together", "spare"] } },
    ["together"],
    "other"
  ],
  ["models, and nothing of the first is left", { models: ["spare/other"], provider: { only: ["spare"] } }, [], "other"],
  ["models with a name that there is not, which is skipped", { models: ["nothing"] }, [], "together"],
  ["route, which means nothing more", { route: "fallback", models: ["auto"] }, [], "together"],
  ["a provider that there is not", { provider: { only: ["nobody"] } }, [], "invalid_field"],
  ["a typo in ignore", { provider: { ignore: ["togther"] } }, [], "invalid_field"],
  ["sort by something else", { provider: { sort: "exacto" } }, [], "invalid_field"],
  ["a price that is none", { provider: { max_price: { prompt: "free" } } }, [], "invalid_field"],
  ["a text for a list", { provider: { order: "together" } }, [], "invalid_field"],
  ["a text for an object", { provider: "together" }, [], "invalid_field"]
]

describe("providers per request", () => {
  it.live("serves OpenRouter's documented examples from the documented provider", () =>
    Effect.gen(function* () {
      const { all, failing, gateway, who } = yield* facing
      const wrong: Array<string> = []
      for (const [what, body, down, expected] of examples) {
        failing.clear()
        for (const one of down) failing.add(one)
        const served = yield* who(body)
        const isAs =
          expected === "provider_error" ? !Object.keys(all).includes(served) && served !== "other" : served === expected
        if (!isAs) wrong.push(`${what}: ${served} in place of ${expected}`)
        yield* call(gateway.url, {
          path: "/admin/deployments/reset",
          key: masterKey,
          body: { ids: ["together/llama", "deepinfra/llama", "fast/llama", "spare/other"] }
        })
      }
      assert.deepStrictEqual(wrong, [])
      for (const { body } of Object.values(all).flatMap(({ asked }) => asked)) {
        assert.deepStrictEqual([body.provider, body.models, body.route], [undefined, undefined, undefined])
      }
    })
  )

  it.live("reaches no more than the key may use, whatever the request names", () =>
    Effect.gen(function* () {
      const { gateway, who } = yield* facing
      const { secret } = yield* gateway.createKey({ models: ["together/llama"] })
      assert.strictEqual(yield* who({ provider: { order: ["together"] }, model: "together/llama" }, secret), "together")
      assert.strictEqual(yield* who({ model: "together/llama", models: ["spare/other"] }, secret), "model_not_allowed")
      assert.strictEqual(yield* who({ model: "together/llama", models: ["llama"] }, secret), "together")
      // To this key the others do not exist.
      assert.strictEqual(
        yield* who({ model: "together/llama", provider: { order: ["spare"] } }, secret),
        "invalid_field"
      )
      assert.strictEqual(yield* who({ model: "fast/llama:floor" }, secret), "model_not_allowed")
    })
  )

  it.live("sends each model of `models` the parameters of its own alias and deployment", () =>
    Effect.gen(function* () {
      const { all, ask, failing } = yield* facing
      for (const one of ["together", "deepinfra", "groq"]) failing.add(one)
      const { headers, status } = yield* ask({ models: ["calm"], provider: { only: ["together", "spare"] } })
      assert.deepStrictEqual([status, headers["x-gateway-deployment"]], [200, "spare/other"])
      assert.deepStrictEqual(
        [all.together.asked[0]?.body.temperature, all.anthropic.asked[0]?.body.temperature],
        [undefined, 0.1]
      )
    })
  )

  it.live("names wishes that no provider here follows", () =>
    Effect.gen(function* () {
      const { ask } = yield* facing
      const { headers } = yield* ask({ provider: { preferred_min_throughput: { p50: 60 } } })
      assert.strictEqual(headers["x-gateway-dropped-params"], "provider.preferred_min_throughput")
    })
  )

  it.live("sends OpenRouter the names that mean something there alone", () =>
    Effect.gen(function* () {
      const up = yield* upstream(() => ({ body: completion("routed") }))
      const gateway = yield* startGateway({
        yaml: `
providers:
  openrouter: { base_url: "${up.baseUrl}", api_key: sk-or-v1-0123456789abcdef }
  own: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none }
deployments: [openrouter/x, own/x]
models: { x: [own/x, openrouter/x] }
`
      })
      const { secret } = yield* gateway.createKey()
      const provider = {
        only: ["own", "deepinfra"],
        order: ["DeepInfra"],
        ignore: ["azure"],
        quantizations: ["fp8"],
        zdr: true
      }
      const body = { model: "x:floor", messages, models: ["own/x"], provider }
      assert.strictEqual((yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body })).status, 200)
      assert.lengthOf(up.asked, 1)
      const [{ body: sent }] = up.asked as [(typeof up.asked)[number]]
      assert.deepStrictEqual([sent.model, sent.models], ["x", undefined])
      assert.deepStrictEqual(sent.provider, {
        only: ["deepinfra"],
        order: ["DeepInfra"],
        ignore: ["azure"],
        quantizations: ["fp8"],
        zdr: true,
        sort: "price"
      })
    })
  )
})

describe("tags that a key requires", () => {
  it.live("hold on every path, also after a failure, and are changed by administrators", () =>
    Effect.gen(function* () {
      const { all, failing, gateway, id, secret, who } = yield* facing
      const change = (require: unknown) =>
        call(gateway.url, { method: "PATCH", path: `/admin/keys/${id}`, key: masterKey, body: { require } })
      assert.deepStrictEqual((yield* change({ region: ["EU", "ch"] })).json.require, {
        region: ["eu", "ch"],
        zdr: false
      })
      assert.strictEqual(yield* who({}), "deepinfra")
      assert.strictEqual(yield* who({ model: "auto" }), "deepinfra")
      assert.strictEqual(yield* who({ models: ["spare/other"], provider: { order: ["together"] } }), "deepinfra")
      failing.add("deepinfra")
      assert.strictEqual(yield* who({}), "groq")
      failing.add("groq")
      yield* who({ models: ["spare/other", "auto"] })
      assert.deepStrictEqual([all.together.asked.length, all.anthropic.asked.length], [0, 0])
      assert.strictEqual(yield* who({ model: "together/llama" }), "no_route_meets_policy")
      const { json } = yield* call(gateway.url, { method: "GET", path: "/v1/models", key: secret })
      assert.deepStrictEqual(
        json.data.map((one: { id: string }) => one.id),
        ["auto", "llama", "deepinfra/llama", "fast/llama"]
      )
      assert.deepStrictEqual((yield* change({ zdr: true })).json.require, { region: ["eu", "ch"], zdr: true })
      failing.clear()
      assert.strictEqual(yield* who({}), "groq")
      assert.deepStrictEqual((yield* change(null)).json.require, { region: [], zdr: false })
      assert.strictEqual(yield* who({}), "together")
      assert.strictEqual((yield* change({ region: "eu" })).status, 400)
    })
  )

  it.live("survive a restart", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      const first = yield* Effect.scoped(
        Effect.flatMap(startGateway({ store }), ({ createKey }) =>
          createKey({ require: { region: ["eu"], zdr: true } })
        )
      )
      const gateway = yield* startGateway({ store })
      const path = `/admin/keys/${first.id}`
      const { json } = yield* call(gateway.url, { method: "GET", path, key: masterKey })
      assert.deepStrictEqual(json.require, { region: ["eu"], zdr: true })
    })
  )
})
