/** Marks for prompt caches, from callers of either API to vendors that take them, refuse them, or know nothing of them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenAiCompatible } from "../../src/providers/vendors/CompatibleVendors.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, upstream } from "../support/Upstream.ts"

const mark = { type: "ephemeral" }
const long = { type: "ephemeral", ttl: "1h" }

/** A vendor that takes marks in chats, as OpenRouter does. */
const Marked = {
  ...OpenAiCompatible,
  name: "marked",
  baseUrl: "http://127.0.0.1:1/v1",
  quirks: () => ({ outputLimit: "max_tokens", cacheMarks: "taken" }) as const
}

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "Fine" }],
  stop_reason: "end_turn",
  usage: {
    input_tokens: 10,
    cache_creation_input_tokens: 3_000,
    cache_read_input_tokens: 500,
    cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
    output_tokens: 1
  }
}

const started = Effect.gen(function* () {
  const up = yield* upstream(({ path }) => ({ body: path.endsWith("/messages") ? message : completion("Fine") }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  openai: { base_url: "${up.baseUrl}", api_key: k }
  anthropic: { base_url: "${up.baseUrl}", api_key: k }
  marked: { base_url: "${up.baseUrl}", api_key: k }
  plain: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: k }
deployments: [openai/gpt-4o, anthropic/claude-sonnet-4-5, marked/any, plain/any]
`,
    more: { vendors: [Marked] }
  })
  const { secret } = yield* gateway.createKey()
  const sent = Effect.fnUntraced(function* (path: string, body: object) {
    const { headers, status, text } = yield* call(gateway.url, { path, key: secret, body })
    assert.strictEqual(status, 200, text)
    assert.isUndefined(headers["x-gateway-dropped-params"])
    return up.asked.at(-1)!.body
  })
  return { gateway, sent }
})

const chat = (model: string) => ({
  model,
  messages: [
    { role: "system", content: [{ type: "text", text: "Rules", cache_control: long }] },
    { role: "user", content: [{ type: "text", text: "Hello", cache_control: mark }] }
  ],
  tools: [
    { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } }, cache_control: mark }
  ]
})

const asMessage = (model: string) => ({
  model,
  max_tokens: 100,
  system: [{ type: "text", text: "Rules", cache_control: long }],
  tools: [{ name: "f", input_schema: { type: "object" }, cache_control: mark }],
  messages: [
    { role: "user", content: "Go" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "f", input: {} }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "42", cache_control: mark },
        { type: "text", text: "And?", cache_control: mark }
      ]
    }
  ]
})

describe("marks for prompt caches", () => {
  it.live("of a chat stand in the same places at Anthropic, and both lifetimes are billed as what they are", () =>
    Effect.gen(function* () {
      const { gateway, sent } = yield* started
      const body = yield* sent("/v1/chat/completions", chat("anthropic/claude-sonnet-4-5"))
      assert.deepStrictEqual(body.system, [{ type: "text", text: "Rules", cache_control: long }])
      assert.deepStrictEqual(body.messages[0].content, [{ type: "text", text: "Hello", cache_control: mark }])
      assert.deepStrictEqual(body.tools[0].cache_control, mark)
      const [row] = yield* gateway.ledger
      // USD per million: 3 for input, 3.75 and 6 to write it, 0.3 to read it, 15 for output.
      const nano = 10 * 3_000 + 1_000 * 3_750 + 2_000 * 6_000 + 500 * 300 + 15_000
      assert.deepStrictEqual([row!.cost, row!.cache_write], [nano, 1_000])
      assert.isAtLeast(row!.reserved, 1)
    })
  )

  it.live("of a message are carried to a chat vendor that takes them", () =>
    Effect.gen(function* () {
      const { sent } = yield* started
      const body = yield* sent("/v1/messages", asMessage("marked/any"))
      assert.deepStrictEqual(body.messages[0], {
        role: "system",
        content: [{ type: "text", text: "Rules", cache_control: long }]
      })
      assert.deepStrictEqual(body.messages[3], {
        role: "tool",
        tool_call_id: "toolu_1",
        content: [{ type: "text", text: "42", cache_control: mark }]
      })
      assert.deepStrictEqual(body.messages[4].content, [{ type: "text", text: "And?", cache_control: mark }])
      assert.deepStrictEqual(body.tools[0].cache_control, mark)
    })
  )

  it.live("are left out, without a word, where they are refused, and where nobody knows", () =>
    Effect.gen(function* () {
      const { sent } = yield* started
      for (const [path, body] of [
        ["/v1/chat/completions", chat("openai/gpt-4o")],
        ["/v1/messages", asMessage("openai/gpt-4o")],
        ["/v1/messages", asMessage("plain/any")]
      ] as const) {
        assert.notInclude(JSON.stringify(yield* sent(path, body)), "cache_control")
      }
    })
  )

  it.live("pass to a compatible server from a caller who speaks its language", () =>
    Effect.gen(function* () {
      const { sent } = yield* started
      const { model: _, ...given } = chat("plain/any")
      assert.deepStrictEqual(yield* sent("/v1/chat/completions", { model: "plain/any", ...given }), {
        model: "any",
        ...given
      })
    })
  )
})
