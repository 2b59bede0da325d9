import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { GatewayClient, type LayerOptions } from "../../src/effect/index.ts"
import { gateway, hello, scriptUrl, servers, until } from "../support/Servers.ts"

const live = (options: Partial<LayerOptions> = {}) => {
  const { apiKey, masterKey, url } = servers()
  return GatewayClient.layer({
    baseUrl: url,
    apiKey: Redacted.make(apiKey),
    masterKey: Redacted.make(masterKey),
    ...options
  }).pipe(Layer.provide(FetchHttpClient.layer))
}

const asked = <A, E>(effect: Effect.Effect<A, E, GatewayClient>, options: Partial<LayerOptions> = {}) =>
  Effect.runPromise(Effect.provide(effect, live(options)))

describe("GatewayClient", () => {
  it("chat tells the answer and the decision, with the cost that is booked", async () => {
    const answer = await asked(Effect.flatMap(GatewayClient, ({ chat }) => chat(hello, { tags: ["effect-tag"] })))
    assert.match(answer.choices[0]?.message.content ?? "", /^Hello! I am “mini”/)
    const receipt = await gateway().receipts.get(answer.gateway?.receiptId ?? "")
    assert.strictEqual(answer.gateway?.costUsd, receipt.cost_usd)
    assert.include(receipt.tags, "effect-tag")
  })

  it("chatStream tells the chunks, the last with the exact cost", async () => {
    const chunks = await asked(Effect.flatMap(GatewayClient, ({ chatStream }) => Stream.runCollect(chatStream(hello))))
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")
    assert.match(text, /^Hello! I am “mini”.*serve`\.$/)
    assert.isAbove(chunks.at(-1)?.gateway?.cost_usd ?? 0, 0)
  })

  it("a stream that is left ends the call at the gateway", async () => {
    const { key } = await gateway().admin.keys.create()
    const pieces = await asked(
      Effect.flatMap(GatewayClient, ({ chatStream }) =>
        Stream.runCollect(Stream.take(chatStream({ ...hello, model: "paced/standard" }), 3))
      ),
      { apiKey: Redacted.make(key) }
    )
    assert.lengthOf(pieces, 3)
    const id = `key_${key.split("_")[1]}`
    await until(async () => {
      const { data } = await gateway().admin.requests.list({ key: id }).first()
      return data[0]?.status === "client_gone"
    })
  })

  it("a stream that breaks off fails with what had arrived", async () => {
    const error = await asked(
      Effect.flatMap(GatewayClient, ({ chatStream }) =>
        Effect.flip(Stream.runDrain(chatStream({ ...hello, model: "demo/cut-6" })))
      )
    )
    assert.strictEqual(error._tag, "StreamInterruptedError")
    if (error._tag === "StreamInterruptedError") assert.match(error.text, /^Hello!/)
  })

  it("api has every operation of the description", async () => {
    const key = await asked(
      Effect.flatMap(GatewayClient, ({ api }) =>
        Effect.gen(function* () {
          const { id } = yield* api.keys.createKey({ payload: { name: "effect", budget_usd: 1 } })
          yield* api.keys.updateKey({ params: { id }, payload: { limits: { rpm: 7 } } })
          yield* api.keys.revokeKey({ params: { id } })
          return yield* api.keys.getKey({ params: { id } })
        })
      )
    )
    assert.deepInclude(key, { name: "effect", status: "revoked", limits: { rpm: 7, tpm: null, max_parallel: null } })
  })

  it("errors are caught by their tags", async () => {
    const budget = await gateway().admin.keys.create({ budget_usd: 1e-9 })
    const caught = await asked(
      Effect.flatMap(GatewayClient, ({ chat }) =>
        Effect.catchTag(chat(hello), "BudgetExceededError", ({ code, kind, requestId, status }) =>
          Effect.succeed({ code, kind, hasId: requestId?.startsWith("req_"), status })
        )
      ),
      { apiKey: Redacted.make(budget.key) }
    )
    assert.deepStrictEqual(caught, { code: "insufficient_quota", kind: "budget", hasId: true, status: 429 } as never)
    const missing = await asked(
      Effect.flatMap(GatewayClient, ({ api }) => Effect.flip(api.models.getModel({ params: { id: "nothing" } })))
    )
    assert.strictEqual(missing._tag, "NotFoundError")
  })

  it("what may be asked again is asked again", async () => {
    const answer = await asked(
      Effect.flatMap(GatewayClient, ({ chat }) => chat(hello)),
      { baseUrl: scriptUrl("retry-ms") }
    )
    assert.strictEqual(answer.id, "from-script")
  })

  it("nothing is waited for longer than the timeout, and redirects are refused", async () => {
    const failing = (script: string) =>
      asked(
        Effect.flatMap(GatewayClient, ({ api, chat }) =>
          Effect.all([
            Effect.flip(chat(hello)),
            Effect.flip(api.chat.createChatCompletion({ payload: hello, headers: {} }))
          ])
        ),
        { baseUrl: scriptUrl(script), timeout: 300 }
      )
    for (const error of await failing("hang-body")) assert.strictEqual(error._tag, "TimeoutError")
    for (const error of await failing("redirect")) {
      assert.strictEqual(error._tag, "ConnectionError")
      assert.match(error.message, /redirects are not followed/)
    }
  })

  it("no key shows in an error that repeats it", async () => {
    const key = "mgw_0000scripted_0000000000000000000000000000000000000000000"
    const error = await asked(
      Effect.flatMap(GatewayClient, ({ chat }) => Effect.flip(chat(hello))),
      { baseUrl: scriptUrl("leak"), apiKey: Redacted.make(key) }
    )
    assert.strictEqual(error._tag, "AuthenticationError")
    assert.notInclude(String(error) + JSON.stringify(error), key)
  })

  it("a configuration that can't work fails the layer, naming option and variable", async () => {
    const error = await Effect.runPromise(
      Effect.flip(
        Effect.provide(
          GatewayClient,
          GatewayClient.layer({ baseUrl: "nowhere", apiKey: Redacted.make("k") }).pipe(
            Layer.provide(FetchHttpClient.layer)
          )
        )
      )
    )
    assert.strictEqual(error._tag, "ConfigurationError")
    assert.match(error.message, /baseUrl.*GATEWAY_BASE_URL/)
  })

  it("layerConfig reads the environment", async () => {
    const { apiKey, url } = servers()
    const environment = ConfigProvider.layer(
      ConfigProvider.fromEnv({ env: { GATEWAY_BASE_URL: url, GATEWAY_API_KEY: apiKey } })
    )
    const answer = await Effect.runPromise(
      Effect.flatMap(GatewayClient, ({ chat }) => chat(hello)).pipe(
        Effect.provide(GatewayClient.layerConfig.pipe(Layer.provide(FetchHttpClient.layer), Layer.provide(environment)))
      )
    )
    assert.strictEqual(answer.gateway?.deployment, "demo/mini")
  })
})
