/** Requests that were written for Anthropic's own API, at the clouds that serve its models. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { upstream } from "../../support/Upstream.ts"
import { message } from "./Moving.ts"

const clouds = Effect.fnUntraced(function* () {
  const { asked, baseUrl } = yield* upstream(({ path }) =>
    path.includes("converse")
      ? {
          body: {
            output: { message: { role: "assistant", content: [{ text: "ok" }] } },
            stopReason: "end_turn",
            usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
          }
        }
      : { body: message() }
  )
  const gateway = yield* startGateway({
    yaml: `
providers:
  bedrock: { region: us-east-1, api_key: k, base_url: "${baseUrl}" }
  vertex: { project: p, location: us-east5, api_key: k, base_url: "${baseUrl}" }
deployments:
  - "bedrock/us.anthropic.claude-opus-4-6-v1"
  - "bedrock/us.amazon.nova-pro-v1:0"
  - vertex/claude-opus-4-6
`
  })
  const { secret } = yield* gateway.createKey()
  return {
    asked,
    ask: (model: string, path: string, fields: object, headers: Readonly<Record<string, string>> = {}) =>
      call(gateway.url, { path, key: secret, headers, body: { model, max_tokens: 100, ...fields } })
  }
})

const hi = [{ role: "user", content: "Go" }]
const SENT = [
  "claude-code-20250219",
  "interleaved-thinking-2025-05-14",
  "prompt-caching-scope-2026-01-05",
  "advisor-tool-2026-03-01",
  "advanced-tool-use-2025-11-20"
].join(",")
const schema = { type: "object", properties: {} }
const mark = { type: "ephemeral", ttl: "1h" }
const scoped = { ...mark, scope: "global" }

const FIELDS = {
  system: [{ type: "text", text: "Be brief", cache_control: scoped }],
  messages: [
    { role: "user", content: [{ type: "text", text: "Go", cache_control: scoped }] },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "ls", input: {} }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "a", cache_control: scoped }] }
      ]
    }
  ],
  context_management: { edits: [] },
  tools: [
    {
      name: "ls",
      input_schema: schema,
      defer_loading: true,
      input_examples: [{}],
      eager_input_streaming: true,
      allowed_callers: ["direct"],
      cache_control: scoped
    }
  ]
}

const SERVED = [
  ["Bedrock", "bedrock/us.anthropic.claude-opus-4-6-v1"],
  ["Vertex", "vertex/claude-opus-4-6"]
] as const

describe("a request with beta flags and fields of Anthropic's own API", () => {
  for (const [name, model] of SERVED) {
    it.live(`reaches ${name} without those that it refuses, and names them`, () =>
      Effect.gen(function* () {
        const { ask, asked } = yield* clouds()
        const { headers, status } = yield* ask(model, "/v1/messages", FIELDS, { "anthropic-beta": SENT })
        assert.strictEqual(status, 200)
        const [{ body, headers: sent }] = asked as [(typeof asked)[number]]
        const betas = name === "Bedrock" ? body.anthropic_beta : String(sent["anthropic-beta"]).split(",")
        assert.deepStrictEqual(betas, ["interleaved-thinking-2025-05-14", "tool-search-tool-2025-10-19"])
        assert.deepStrictEqual(body.tools, [
          { name: "ls", input_schema: schema, defer_loading: true, cache_control: mark }
        ])
        assert.notProperty(body, "context_management")
        assert.notInclude(JSON.stringify(body), "scope")
        assert.strictEqual(JSON.stringify(body).split('"ttl":"1h"').length, 5)
        assert.sameMembers(String(headers["x-gateway-dropped-params"]).split(","), [
          "anthropic-beta",
          "context_management",
          "tools.input_examples",
          "tools.eager_input_streaming",
          "tools.allowed_callers",
          "cache_control.scope"
        ])
        const strict = yield* ask(model, "/v1/messages", FIELDS, { "anthropic-beta": SENT, "x-gateway-strict": "1" })
        assert.strictEqual(strict.status, 400)
      }).pipe(Effect.scoped)
    )

    it.live(`keeps fields whose flag ${name} has`, () =>
      Effect.gen(function* () {
        const { ask, asked } = yield* clouds()
        const headers = { "anthropic-beta": "context-management-2025-06-27" }
        const fields = { messages: hi, context_management: { edits: [] } }
        const answer = yield* ask(model, "/v1/messages", fields, headers)
        assert.deepStrictEqual(asked[0]!.body.context_management, { edits: [] })
        assert.isUndefined(answer.headers["x-gateway-dropped-params"])
        const deferred = { messages: hi, tools: [{ name: "ls", input_schema: schema, defer_loading: true }] }
        const { headers: told } = yield* ask(model, "/v1/messages", deferred)
        assert.strictEqual(told["x-gateway-dropped-params"], "tools.defer_loading")
      }).pipe(Effect.scoped)
    )
  }
})

describe("a mark for the cache on the result of a tool", () => {
  const last = (body: { readonly messages: ReadonlyArray<{ readonly content: unknown }> }) =>
    body.messages.at(-1)?.content
  const expected = [
    { toolResult: { toolUseId: "toolu_1", content: [{ text: "a" }] } },
    { cachePoint: { type: "default" } }
  ]
  const nova = "bedrock/us.amazon.nova-pro-v1:0"
  const tools = [{ name: "ls", input_schema: schema }]

  for (const where of ["the block", "its text"]) {
    it.live(`is a point at Converse, from Messages, on ${where}`, () =>
      Effect.gen(function* () {
        const { ask, asked } = yield* clouds()
        const cache_control = { type: "ephemeral" }
        const onText = where === "its text" ? { cache_control } : {}
        const onBlock = where === "the block" ? { cache_control } : {}
        const result = {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [{ type: "text", text: "a", ...onText }]
        }
        const messages = [
          ...hi,
          { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "ls", input: {} }] },
          { role: "user", content: [{ ...result, ...onBlock }] }
        ]
        yield* ask(nova, "/v1/messages", { messages, tools })
        assert.deepStrictEqual(last(asked[0]!.body), expected)
      }).pipe(Effect.scoped)
    )
  }

  it.live("is one point at Converse behind several results, from chat", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* clouds()
      const called = (id: string) => ({ id, type: "function", function: { name: "ls", arguments: "{}" } })
      const result = (id: string) => ({
        role: "tool",
        tool_call_id: id,
        content: [{ type: "text", text: id, cache_control: { type: "ephemeral" } }]
      })
      yield* ask(nova, "/v1/chat/completions", {
        messages: [
          ...hi,
          { role: "assistant", content: null, tool_calls: [called("t1"), called("t2")] },
          result("t1"),
          result("t2")
        ],
        tools: [{ type: "function", function: { name: "ls", parameters: schema } }]
      })
      assert.deepStrictEqual(last(asked[0]!.body), [
        { toolResult: { toolUseId: "t1", content: [{ text: "t1" }] } },
        { toolResult: { toolUseId: "t2", content: [{ text: "t2" }] } },
        { cachePoint: { type: "default" } }
      ])
    }).pipe(Effect.scoped)
  )
})
