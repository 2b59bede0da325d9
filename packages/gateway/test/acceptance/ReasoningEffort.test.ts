/** `reasoning_effort` through the real port, to a name behind which one model reasons and another does not. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, upstream, vendorError } from "../support/Upstream.ts"

const facing = Effect.gen(function* () {
  const up = yield* upstream(({ body }) =>
    body.model === "plain" && body.reasoning_effort !== undefined
      ? { status: 400, body: vendorError("Unrecognized request argument supplied: reasoning_effort") }
      : { body: completion("fine") }
  )
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none } }
deployments:
  - { provider: up, model: plain, price: { input: 1, output: 2 }, supports: [chat, stream] }
  - { provider: up, model: reasoner, price: { input: 1, output: 2 }, supports: [chat, stream, reasoning] }
router: { buckets: { simple: up/plain, reasoning: up/reasoner }, cut_points: [0.5] }
`
  })
  const { secret } = yield* gateway.createKey()
  const ask = (model: string, headers: Readonly<Record<string, string>> = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      headers,
      body: { model, messages: [{ role: "user", content: "Hi" }], reasoning_effort: "high" }
    })
  const parameters = Effect.map(call(gateway.url, { method: "GET", path: "/v1/models", key: secret }), ({ json }) =>
    Object.fromEntries(
      json.data.map((one: { id: string; supported_parameters: unknown }) => [one.id, one.supported_parameters])
    )
  )
  return { ask, parameters, up }
})

describe("reasoning_effort", () => {
  it.live("is listed where something behind the name reasons, and chooses nothing", () =>
    Effect.gen(function* () {
      const { ask, parameters, up } = yield* facing
      assert.deepStrictEqual(yield* parameters, {
        auto: ["reasoning_effort"],
        "up/plain": [],
        "up/reasoner": ["reasoning_effort"]
      })
      for (const model of ["auto", "up/plain"]) {
        const { headers, status } = yield* ask(model)
        assert.deepStrictEqual([status, headers["x-gateway-dropped-params"]], [200, "reasoning_effort"])
      }
      const { headers, status } = yield* ask("up/reasoner")
      assert.deepStrictEqual([status, headers["x-gateway-dropped-params"]], [200, undefined])
      assert.deepStrictEqual(
        up.asked.map(({ body }) => [body.model, body.reasoning_effort]),
        [
          ["plain", undefined],
          ["plain", undefined],
          ["reasoner", "high"]
        ]
      )
    })
  )

  it.live("is a 400 for a caller who wants all or nothing", () =>
    Effect.gen(function* () {
      const { ask, up } = yield* facing
      const { json, status } = yield* ask("up/plain", { "x-gateway-strict": "1" })
      assert.deepStrictEqual([status, json.error.param], [400, "reasoning_effort"])
      assert.include(json.error.message, "does not reason")
      assert.strictEqual((yield* ask("up/reasoner", { "x-gateway-strict": "1" })).status, 200)
      assert.lengthOf(up.asked, 1)
    })
  )
})
