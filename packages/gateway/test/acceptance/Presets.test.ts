/** `defaults` and `fixed` of deployments and aliases, through the real port. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, upstream } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]

const facing = Effect.gen(function* () {
  const up = yield* upstream(() => ({ body: completion("fine") }))
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none } }
deployments:
  - { provider: up, model: plain, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }
  - provider: up
    model: preset
    price: { input: 1, output: 2 }
    defaults: { effort: low, max_tokens: 50, temperature: 0.3, extra_body: { top_k: 5, seed: 1, nested: { a: [1, b] } } }
    fixed: { extra_body: { seed: 7 } }
models:
  firm: { deployments: up/plain, fixed: { max_tokens: 1000, temperature: 0 } }
  eager: { deployments: up/preset, defaults: { thinking: 2000, max_tokens: 4000 } }
  broken: { deployments: up/plain, defaults: { extra_body: { tools: none } } }
`
  })
  const { secret } = yield* gateway.createKey()
  const ask = (body: object, path = "/v1/chat/completions", key = secret) =>
    call(gateway.url, { path, key, body: { messages, ...body } })
  const sent = (body: object, path?: string) =>
    Effect.map(ask(body, path), (response) => {
      assert.strictEqual(response.status, 200, response.text)
      const { messages: _, model: __, ...fields } = up.asked.at(-1)!.body
      return fields
    })
  return { ask, gateway, sent, up }
})

describe("presets", () => {
  it.live("adds the defaults of a deployment where the caller says nothing", () =>
    Effect.gen(function* () {
      const { sent } = yield* facing
      assert.deepStrictEqual(yield* sent({ model: "up/preset" }), {
        top_k: 5,
        seed: 7,
        nested: { a: [1, "b"] },
        max_tokens: 50,
        temperature: 0.3,
        reasoning_effort: "low"
      })
      assert.deepStrictEqual(yield* sent({ model: "up/plain" }), {})
    })
  )

  it.live("keeps what the caller says, except for fixed parameters", () =>
    Effect.gen(function* () {
      const { sent } = yield* facing
      const own = { max_completion_tokens: 9, temperature: 1, reasoning_effort: "high", top_k: 1, seed: 3, nested: 1 }
      const { max_completion_tokens: _, ...others } = own
      assert.deepStrictEqual(yield* sent({ model: "up/preset", ...own }), { ...others, max_tokens: 9, seed: 7 })
      assert.deepStrictEqual(yield* sent({ model: "firm", ...own }), {
        reasoning_effort: "high",
        top_k: 1,
        seed: 3,
        nested: 1,
        max_tokens: 1000,
        temperature: 0
      })
    })
  )

  it.live("takes the alias's defaults before the deployment's, and one of effort and thinking", () =>
    Effect.gen(function* () {
      const { sent } = yield* facing
      const { max_tokens, reasoning_effort, temperature } = yield* sent({ model: "eager" })
      assert.deepStrictEqual([max_tokens, reasoning_effort, temperature], [4000, "medium", 0.3])
    })
  )

  it.live("spells the parameters as the operation does", () =>
    Effect.gen(function* () {
      const { sent } = yield* facing
      const responses = yield* sent({ model: "up/preset", input: "Hi" }, "/v1/responses")
      assert.deepInclude(responses, { max_tokens: 50, temperature: 0.3, reasoning_effort: "low" })
      const claude = yield* sent({ model: "up/preset", max_tokens: 20 }, "/v1/messages")
      assert.deepInclude(claude, { max_tokens: 20, temperature: 0.3, reasoning_effort: "low" })
      const quiet = yield* sent({ model: "up/preset", max_tokens: 20, thinking: { type: "disabled" } }, "/v1/messages")
      assert.strictEqual(quiet.reasoning_effort, "none")
    })
  )

  it.live("reserves the request with its parameters, so that a fixed output limit can't overdraw a budget", () =>
    Effect.gen(function* () {
      const { ask, gateway, up } = yield* facing
      // 1,000 tokens of output cost 0.002 USD; the caller's own 10 would fit.
      const budgets = [{ limit: 1_500_000, window: "day" as const, timeZone: "UTC" }]
      const { secret } = yield* gateway.createKey({ budgets })
      const refused = yield* ask({ model: "firm", max_tokens: 10 }, undefined, secret)
      assert.deepStrictEqual([refused.status, refused.json.error.kind, up.asked.length], [429, "budget", 0])
      assert.strictEqual((yield* ask({ model: "up/plain", max_tokens: 10 }, undefined, secret)).status, 200)
    })
  )

  it.live("reports a parameter of the configuration that makes a request invalid", () =>
    Effect.gen(function* () {
      const { ask } = yield* facing
      const { json, status } = yield* ask({ model: "broken" })
      assert.strictEqual(status, 400)
      assert.match(
        json.error.message,
        /configuration adds parameters to this request at up\/plain.*`tools` must be a list/
      )
    })
  )
})
