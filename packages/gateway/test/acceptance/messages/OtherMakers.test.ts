/** Makers of other models that have Anthropic's Messages API themselves: what is asked for there, and what goes to chat instead. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { png } from "../../support/Media.ts"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, upstream } from "../../support/Upstream.ts"
import { message, textEvents } from "./Claude.ts"

const error = { type: "error", error: { type: "invalid_request_error", message: "no such stop sequence" } }

/** A server with the paths of each vendor. A request with the stop sequence `fail` is refused. */
const world = Effect.gen(function* () {
  const { asked, baseUrl } = yield* upstream(({ body, path }) => {
    if (body.stop_sequences?.[0] === "fail") return { status: 400, body: error }
    if (!path.endsWith("/messages")) return { body: completion("from chat") }
    const blocks = [{ type: "text", text: "from messages" }]
    return { body: body.stream === true ? textEvents("from ", "messages") : message(blocks) }
  })
  const origin = baseUrl.slice(0, -"/v1".length)
  const rest = "operations: [chat, messages], price: { input: 1, output: 2 }"
  const gateway = yield* startGateway({
    yaml: `
providers:
  deepseek: { base_url: "${origin}", api_key: d }
  moonshot: { base_url: "${origin}/v1", api_key: m }
  zai: { base_url: "${origin}/api/paas/v4", api_key: z }
  qwen: { base_url: "${origin}/compatible-mode/v1", api_key: q }
  minimax: { base_url: "${origin}/v1", api_key: x }
deployments:
  - { provider: deepseek, model: deepseek-flash, ${rest} }
  - { provider: moonshot, model: kimi-k3.1-pro, ${rest} }
  - { provider: zai, model: glm-5.3, ${rest} }
  - { provider: qwen, model: qwen3.8-max, ${rest} }
  - { provider: minimax, model: MiniMax-M3, ${rest} }
  - { id: other-address, provider: deepseek, model: deepseek-v4-pro, price: { input: 1, output: 2 } }
`
  })
  const { secret } = yield* gateway.createKey()
  const ask = (model: string, fields: object = {}) =>
    call(gateway.url, {
      path: "/v1/messages",
      key: secret,
      headers: { "anthropic-version": "2023-06-01" },
      body: { model, max_tokens: 100, messages: [{ role: "user", content: "Hi" }], ...fields }
    })
  return { ...gateway, ask, asked }
})

const tool = { name: "look", description: "looks", input_schema: { type: "object", properties: {} } }
const picture = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: png(8, 8).split(",")[1] }
}
const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false }

describe("the Messages APIs of other makers", () => {
  it.live("are asked at their own addresses with the vendor's key, whole and streamed", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* world
      const paths = {
        "deepseek/deepseek-flash": "/anthropic/v1/messages",
        "moonshot/kimi-k3.1-pro": "/anthropic/v1/messages",
        "zai/glm-5.3": "/api/anthropic/v1/messages",
        "qwen/qwen3.8-max": "/apps/anthropic/v1/messages",
        "minimax/MiniMax-M3": "/anthropic/v1/messages"
      }
      for (const [model, path] of Object.entries(paths)) {
        const answer = yield* ask(model, { tools: [tool], temperature: 1 })
        assert.strictEqual(answer.json.content?.[0].text, "from messages", answer.text)
        const sent = asked.at(-1)!
        assert.strictEqual(sent.path, path)
        assert.match(sent.headers["authorization"]!, /^Bearer \w$/)
        assert.strictEqual(sent.headers["anthropic-version"], "2023-06-01")
        assert.deepInclude(sent.body, { model: model.slice(model.indexOf("/") + 1), tools: [tool] })
        const streamed = yield* ask(model, { stream: true })
        assert.include(streamed.text, `"text":"messages"`)
        assert.strictEqual(asked.at(-1)!.path, path)
      }
    })
  )

  it.live("get no request with what they do not document: it goes to chat or Responses", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* world
      const format = { type: "json_schema", schema }
      const others = [
        ["deepseek/deepseek-flash", { messages: [{ role: "user", content: [picture] }] }],
        ["deepseek/deepseek-flash", { tools: [tool], tool_choice: { type: "any" } }],
        ["moonshot/kimi-k3.1-pro", { output_config: { format } }],
        ["qwen/qwen3.8-max", { tools: [{ ...tool, strict: true }] }]
      ] as const
      for (const [model, fields] of others) {
        yield* ask(model, fields)
        assert.match(asked.at(-1)!.path, /chat\/completions$/, JSON.stringify(fields))
      }
    })
  )

  it.live("get efforts and thinking that the model takes, and losses are named", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* world
      const droppedBy = (answer: { readonly headers: Readonly<Record<string, unknown>> }) =>
        String(answer.headers["x-gateway-dropped-params"] ?? "")
      const medium = yield* ask("deepseek/deepseek-flash", {
        thinking: { type: "adaptive" },
        output_config: { effort: "medium" }
      })
      assert.deepStrictEqual(asked.at(-1)!.body.output_config, { effort: "high" })
      assert.notProperty(asked.at(-1)!.body, "thinking")
      assert.strictEqual(droppedBy(medium), "output_config.effort")
      const off = yield* ask("moonshot/kimi-k3.1-pro", { thinking: { type: "disabled" }, temperature: 0.5 })
      assert.deepStrictEqual(asked.at(-1)!.body.output_config, { effort: "low" })
      assert.notProperty(asked.at(-1)!.body, "temperature")
      assert.sameMembers(droppedBy(off).split(","), ["thinking", "temperature"])
      const hosted = yield* ask("zai/glm-5.3", {
        tools: [tool, { type: "web_search_20250305", name: "web_search" }],
        mcp_servers: [{ type: "url", url: "https://example.com", name: "x" }],
        system: [{ type: "text", text: "Be brief", cache_control: { type: "ephemeral" } }]
      })
      assert.sameMembers(droppedBy(hosted).split(","), ["tools[1]", "mcp_servers"])
      assert.deepStrictEqual(asked.at(-1)!.body.tools, [tool])
      assert.deepStrictEqual(asked.at(-1)!.body.system, [{ type: "text", text: "Be brief" }])
      const forced = yield* ask("zai/glm-5.3", {
        tools: [{ type: "web_search_20250305", name: "web_search" }],
        tool_choice: { type: "tool", name: "web_search" }
      })
      assert.strictEqual(forced.status, 400)
    })
  )

  it.live("keep thoughts of earlier turns, and what other vendors' tools found", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* world
      const thought = { type: "thinking", thinking: "I look", signature: "s" }
      const use = { type: "tool_use", id: "t", name: "look", input: {} }
      const found = {
        type: "web_search_tool_result",
        tool_use_id: "w",
        content: [{ type: "web_search_result", title: "A page", url: "https://example.com" }]
      }
      yield* ask("moonshot/kimi-k3.1-pro", {
        tools: [tool],
        messages: [
          { role: "user", content: "Hi" },
          { role: "assistant", content: [thought, { type: "redacted_thinking", data: "x" }, found, use] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "seen" }] }
        ]
      })
      const [, turn] = asked.at(-1)!.body.messages
      assert.deepStrictEqual(
        turn.content.map(({ type }: { readonly type: string }) => type),
        ["thinking", "text", "tool_use"]
      )
      assert.include(turn.content[1].text, "A page")
    })
  )

  it.live("report errors as Anthropic does, and are not guessed at an address of somebody else", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* world
      const failed = yield* ask("minimax/MiniMax-M3", { stop_sequences: ["fail"] })
      assert.strictEqual(failed.status, 400)
      assert.include(failed.json.error.message, "no such stop sequence")
      const other = yield* ask("other-address")
      assert.strictEqual(other.json.content[0].text, "from chat")
      assert.match(asked.at(-1)!.path, /chat\/completions$/)
    })
  )
})
