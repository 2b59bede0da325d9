/** The models as Anthropic's own client lists them, and the names that coding agents hard-code. */
import Anthropic from "@anthropic-ai/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startGateway } from "../../support/RunningGateway.ts"
import { rejected, resolved } from "../Promised.ts"
import { claude } from "./Claude.ts"

const yaml = `
providers: { demo: { vendor: demo } }
deployments: [demo/mini, demo/standard, demo/large]
models: { "claude-*": demo/standard, "claude-opus-*": demo/large, claude-exact: demo/mini }
router: { buckets: { all: [demo/mini] } }
`

const started = Effect.gen(function* () {
  const gateway = yield* startGateway({ yaml })
  const { secret } = yield* gateway.createKey()
  return { ...gateway, secret, client: claude(gateway.url, secret) }
})

describe("models for Anthropic's client", () => {
  it.live("are listed in its shape, without the patterns", () =>
    Effect.gen(function* () {
      const { client } = yield* started
      const page = yield* resolved(() => client.models.list())
      assert.deepStrictEqual(
        page.data.map(({ id }) => id),
        ["auto", "claude-exact", "demo/mini", "demo/standard", "demo/large"]
      )
      assert.isFalse(page.has_more)
      assert.deepInclude({ ...page.data[2] }, { type: "model", id: "demo/mini", max_input_tokens: 1_000_000 })
      const one = yield* resolved(() => client.models.retrieve("demo/mini"))
      assert.strictEqual(one.type, "model")
      const error = yield* rejected(() => client.models.retrieve("nothing"))
      assert.instanceOf(error, Anthropic.NotFoundError)
      assert.strictEqual(Reflect.get(error.error as object, "type"), "error")
    })
  )

  it.live("OpenAI's client gets OpenAI's shape", () =>
    Effect.gen(function* () {
      const gateway = yield* started
      const { data } = yield* Effect.promise(async () => {
        const headers = { authorization: `Bearer ${gateway.secret}` }
        return (await (await fetch(`${gateway.url}/v1/models`, { headers })).json()) as {
          data: Array<{ object: string }>
        }
      })
      assert.isTrue(data.every(({ object }) => object === "model"))
    })
  )

  it.live("a pattern serves every name that it matches; an exact name and a longer pattern win", () =>
    Effect.gen(function* () {
      const { client, createKey, url } = yield* started
      const servedBy = (model: string, one = client) =>
        Effect.map(
          resolved(() =>
            one.messages.create({ model, max_tokens: 20, messages: [{ role: "user", content: "Hi" }] }).withResponse()
          ),
          ({ response }) => response.headers.get("x-gateway-deployment")
        )
      assert.strictEqual(yield* servedBy("claude-sonnet-5-5"), "demo/standard")
      assert.strictEqual(yield* servedBy("claude-opus-5-5"), "demo/large")
      assert.strictEqual(yield* servedBy("claude-exact"), "demo/mini")
      const { secret } = yield* createKey({ models: ["claude-*"] })
      assert.strictEqual(yield* servedBy("claude-haiku-5-5", claude(url, secret)), "demo/standard")
      const error = yield* rejected(() => servedByUnknown(client))
      assert.instanceOf(error, Anthropic.NotFoundError)
    })
  )

  it.live("the router's decision for a message can be explained", () =>
    Effect.gen(function* () {
      const { admin } = yield* started
      const request = { model: "claude-opus-9", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }
      const { json, status } = yield* admin("POST", "/admin/route/explain", { endpoint: "/v1/messages", request })
      assert.strictEqual(status, 200)
      assert.include(JSON.stringify(json), "alias claude-opus-*")
    })
  )
})

const servedByUnknown = (client: Anthropic) =>
  client.messages.create({ model: "gemini-9", max_tokens: 20, messages: [{ role: "user", content: "Hi" }] })
