/** Deployments of all models of a provider (`openai/*`), and `operations: any`, through the real port. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { masterKey, startGateway } from "../support/RunningGateway.ts"
import { completion, upstream, vendorError } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]

const facing = Effect.gen(function* () {
  const up = yield* upstream(({ body, path }) =>
    body.model === "nosuch"
      ? { status: 404, body: vendorError("no such model") }
      : path.endsWith("/embeddings")
        ? { body: { object: "list", model: body.model, data: [{ object: "embedding", index: 0, embedding: [1] }] } }
        : { body: completion("fine") }
  )
  const gateway = yield* startGateway({
    yaml: `
providers:
  openai: { base_url: "${up.baseUrl}", api_key: none-of-yours }
  up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none }
deployments:
  - { provider: openai, model: "*" }
  - { provider: up, model: "llama-*", operations: any, price: { input: 1, output: 2 }, defaults: { temperature: 0.5 } }
  - { provider: up, model: llama-3, price: { input: 1, output: 2 } }
models: { "own-*": up/llama-* }
`
  })
  const { secret } = yield* gateway.createKey()
  const ask = (model: string, key = secret, path = "/v1/chat/completions") =>
    call(gateway.url, { path, key, body: path.endsWith("embeddings") ? { model, input: "Hi" } : { model, messages } })
  return { ask, gateway, up }
})

describe("wildcards", () => {
  it.live("calls whatever model a caller names, as one deployment", () =>
    Effect.gen(function* () {
      const { ask, gateway, up } = yield* facing
      for (const [model, sent, deployment] of [
        ["openai/gpt-4o-mini", "gpt-4o-mini", "openai/*"],
        ["openai/ft:gpt-4o:acme::x1", "ft:gpt-4o:acme::x1", "openai/*"],
        ["up/llama-4-scout", "llama-4-scout", "up/llama-*"],
        ["own-9b", "llama-9b", "up/llama-*"],
        ["up/llama-3", "llama-3", "up/llama-3"]
      ] as const) {
        const { headers, status } = yield* ask(model)
        assert.strictEqual(status, 200, model)
        assert.strictEqual(headers["x-gateway-deployment"], deployment)
        assert.strictEqual(String(headers["x-gateway-decision"]).endsWith(`/${sent}`), true, model)
        assert.deepStrictEqual(
          [up.asked.at(-1)!.body.model, up.asked.at(-1)!.body.temperature],
          [sent, deployment === "up/llama-*" ? 0.5 : undefined]
        )
      }
      const { json } = yield* call(gateway.url, { method: "GET", path: "/admin/deployments", key: masterKey })
      assert.deepStrictEqual(
        json.data.map(({ id }: { id: string }) => id),
        ["openai/*", "up/llama-*", "up/llama-3"]
      )
    })
  )

  it.live("prices a model of a wildcard as the catalogue has it, and charges a budget", () =>
    Effect.gen(function* () {
      const { ask, gateway, up } = yield* facing
      const budgets = [{ limit: 1_000_000_000, window: "day" as const, timeZone: "UTC" }]
      const { secret } = yield* gateway.createKey({ budgets })
      const known = yield* ask("openai/gpt-4o-mini", secret)
      assert.strictEqual(known.status, 200)
      assert.isAbove(Number(known.headers["x-gateway-cost-usd"]), 0)
      const unknown = yield* ask("openai/nothing-of-the-kind", secret)
      assert.deepStrictEqual([unknown.status, unknown.json.error.code, up.asked.length], [400, "price_unknown", 1])
    })
  )

  it.live("serves a key only the models that its list has", () =>
    Effect.gen(function* () {
      const { ask, gateway } = yield* facing
      const { secret } = yield* gateway.createKey({ models: ["openai/gpt-4o*"] })
      assert.strictEqual((yield* ask("openai/gpt-4o-mini", secret)).status, 200)
      for (const model of ["openai/gpt-5", "up/llama-9", "own-9b"]) {
        assert.strictEqual((yield* ask(model, secret)).status, 403, model)
      }
    })
  )

  it.live("refuses names that could leave the provider's path, and asks nobody", () =>
    Effect.gen(function* () {
      const { ask, up } = yield* facing
      for (const model of [
        "openai/../files",
        "openai/a/../../b",
        "openai/a?b",
        "openai/a%2fb",
        "openai/",
        "openai/a b"
      ]) {
        const { json, status } = yield* ask(model)
        assert.deepStrictEqual([status, json.error.code], [404, "model_not_found"], model)
      }
      assert.lengthOf(up.asked, 0)
    })
  )

  it.live("stays in use for others when a caller names models that do not exist", () =>
    Effect.gen(function* () {
      const { ask } = yield* facing
      for (let count = 0; count < 12; count++) assert.strictEqual((yield* ask("openai/nosuch")).status, 404)
      assert.strictEqual((yield* ask("openai/gpt-4o-mini")).status, 200)
    })
  )

  it.live("chooses no wildcard for auto, and lists none", () =>
    Effect.gen(function* () {
      const { ask, gateway, up } = yield* facing
      assert.strictEqual((yield* ask("auto")).status, 200)
      assert.strictEqual(up.asked[0]!.body.model, "llama-3")
      const { secret } = yield* gateway.createKey()
      const { json } = yield* call(gateway.url, { method: "GET", path: "/v1/models", key: secret })
      assert.deepStrictEqual(
        json.data.map(({ id }: { id: string }) => id),
        ["auto", "up/llama-3"]
      )
    })
  )

  it.live("calls any operation of a server whose operations are not known, Responses through chat", () =>
    Effect.gen(function* () {
      const { ask, up } = yield* facing
      assert.strictEqual((yield* ask("up/llama-embed", undefined, "/v1/embeddings")).status, 200)
      assert.strictEqual((yield* ask("up/llama-3", undefined, "/v1/embeddings")).status, 400)
      assert.deepStrictEqual(
        up.asked.map(({ path }) => path),
        ["/v1/embeddings"]
      )
    })
  )
})
