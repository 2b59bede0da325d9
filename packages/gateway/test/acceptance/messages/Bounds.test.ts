/** What a request of the Messages API can cost at most: by the same rules as everything else. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { png } from "../../support/Media.ts"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, upstream } from "../../support/Upstream.ts"
import { message } from "./Claude.ts"

const DOLLAR = 1_000_000_000
const PRICE = "price: { input: 1, cache_write: 1.25, output: 2, web_search: 10 }"

/** Anthropic's own rules, a server of chat completions, and what is held for a request under a budget. */
const world = Effect.gen(function* () {
  const { asked, baseUrl } = yield* upstream(({ path }) => ({
    body: path.endsWith("/messages") ? message([{ type: "text", text: "one" }]) : completion("one")
  }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  anthropic: { base_url: "${baseUrl}", api_key: sk-ant-operators-own }
  up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }
deployments:
  - { provider: anthropic, model: claude-sonnet-4-5, ${PRICE} }
  - { id: anthropic/wide, provider: anthropic, model: claude-sonnet-4-5, context_window: 1000000, ${PRICE} }
  - { provider: up, model: m, ${PRICE}, bounds: { reasoning_tokens: 0 }, max_output_tokens: 50 }
`
  })
  const budgets = [{ limit: DOLLAR, window: "day" as const, timeZone: "UTC" }]
  const { secret } = yield* gateway.createKey({ budgets })
  const ask = (body: object, model = "anthropic/claude-sonnet-4-5", headers = {}) =>
    call(gateway.url, { path: "/v1/messages", key: secret, headers, body: { model, max_tokens: 100, ...body } })
  const say = (content: unknown) => ({ messages: [{ role: "user", content }] })
  /** In nano-USD. */
  const held = (body: object) =>
    Effect.andThen(
      ask(body),
      Effect.map(gateway.ledger, (rows) => rows.at(-1)!.reserved)
    )
  return { ...gateway, ask, asked, held, say }
})

const picture = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: png(280, 280).split(",")[1] }
}

describe("budgets of the Messages API", () => {
  it.live("hold a picture by its size, a document by its text, and a long answer by its limit", () =>
    Effect.gen(function* () {
      const { held, say } = yield* world
      const text = { type: "text", text: "Look" }
      const plain = yield* held(say([text]))
      // 280 × 280 pixels are 105 tokens; what the JSON around the picture adds is held as text.
      const seen = yield* held(say([text, picture]))
      assert.isAtLeast(seen - plain, 105 * 1_000)
      assert.isAtMost(seen - plain, 105 * 1_000 + 200 * 1_000)
      const long = yield* held({ ...say([text]), max_tokens: 1_100 })
      assert.closeTo(long - plain, 1_000 * 2_000, 10_000)
      const words = "word ".repeat(2_000)
      const noted = yield* held(
        say([text, { type: "document", source: { type: "text", media_type: "text/plain", data: words } }])
      )
      assert.isAtLeast(noted - plain, 2_000 * 1_000)
      assert.isAtMost(noted - plain, (words.length + 300) * 1_000)
      const marked = yield* held(say([{ ...text, cache_control: { type: "ephemeral" } }]))
      assert.isAbove(marked, plain)
    })
  )

  it.live("know calls, results and thoughts of earlier turns as text", () =>
    Effect.gen(function* () {
      const { ask } = yield* world
      const messages = [
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm", signature: "c2ln" },
            { type: "redacted_thinking", data: "c2ln" },
            { type: "tool_use", id: "t1", name: "weather", input: {} }
          ]
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "sunny" }] }]
        }
      ]
      const { status, text } = yield* ask({ messages })
      assert.strictEqual(status, 200, text)
    })
  )

  it.live("refuse what nothing bounds, and name it", () =>
    Effect.gen(function* () {
      const { ask, asked, say } = yield* world
      const hi = say("Hi")
      const servers = [{ type: "url", url: "https://mcp.example", name: "s" }]
      const refusals = [
        [{ ...hi, mcp_servers: servers }, "mcp_servers", "cost_unbounded"],
        [{ ...hi, speed: "fast" }, "model", "price_unknown"],
        [{ ...hi, inference_geo: "us" }, "model", "price_unknown"]
      ] as const
      for (const [body, param, code] of refusals) {
        const { json, status } = yield* ask(body)
        assert.strictEqual(status, 400, param)
        assert.deepInclude(json.error, { type: "invalid_request_error", param, code })
      }
      assert.lengthOf(asked, 0)
    })
  )

  it.live("tell a vendor's tool how often it may run", () =>
    Effect.gen(function* () {
      const { ask, asked, say } = yield* world
      const tools = [{ type: "web_search_20250305", name: "web_search" }]
      yield* ask({ ...say("Hi"), tools })
      assert.isAbove(asked[0]?.body.tools[0].max_uses, 0)
    })
  )

  it.live("a model that writes less than the caller asks for is asked for what it has", () =>
    Effect.gen(function* () {
      const { ask, asked, say } = yield* world
      const { status } = yield* ask(say("Hi"), "up/m")
      assert.strictEqual(status, 200)
      assert.strictEqual(asked[0]?.body.max_tokens, 50)
    })
  )

  it.live("a window of a million tokens is asked for only where the deployment has one", () =>
    Effect.gen(function* () {
      const { ask, asked, say } = yield* world
      const headers = { "anthropic-beta": "context-1m-2025-08-07,other-2026-01-01" }
      yield* ask(say("Hi"), "anthropic/claude-sonnet-4-5", headers)
      yield* ask(say("Hi"), "anthropic/wide", headers)
      assert.strictEqual(asked[0]?.headers["anthropic-beta"], "other-2026-01-01")
      assert.strictEqual(asked[1]?.headers["anthropic-beta"], headers["anthropic-beta"])
    })
  )

  it.live("thoughts of another model are no thoughts of Anthropic's", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* world
      const thought = { type: "thinking", thinking: "Hm", signature: "model-gateway:reasoning_content" }
      const signed = { type: "thinking", thinking: "Hm", signature: "c2ln" }
      const said = { type: "text", text: "Yes" }
      yield* ask({
        messages: [
          { role: "user", content: "A?" },
          { role: "assistant", content: [thought, signed, said] },
          { role: "user", content: "B?" }
        ]
      })
      assert.deepStrictEqual(asked[0]?.body.messages[1], { role: "assistant", content: [signed, said] })
    })
  )

  it.live("hold nothing for what Anthropic would run where a bridge leaves it out", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* upstream(() => ({ body: completion("one") }))
      const { createKey, url } = yield* startGateway({
        yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }]
`
      })
      const { secret: key } = yield* createKey({ budgets: [{ limit: DOLLAR, window: "day", timeZone: "UTC" }] })
      const body = {
        model: "up/m",
        max_tokens: 100,
        messages: [{ role: "user", content: "Search" }],
        tools: [{ type: "web_search_20250305", name: "web_search" }],
        context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] }
      }
      const { headers, status, text } = yield* call(url, { path: "/v1/messages", key, body })
      assert.strictEqual(status, 200, text)
      assert.include(headers["x-gateway-dropped-params"], "tools[0]")
      assert.notProperty(asked[0]?.body, "tools")
    })
  )
})
