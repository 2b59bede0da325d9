/** Streams of servers that leave out one of the two signs of an end, seen by callers of each endpoint. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { event, type Reply, upstream } from "../support/Upstream.ts"

const chunk = (delta: object, finish: string | null = null) => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }]
})

const sent = (one: object | string) => (typeof one === "string" ? `data: ${one}\n\n` : event(one))

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const usageChunk = { id: "", object: "chat.completion.chunk", created: 1, model: "", choices: [], usage }
const hello = [chunk({ role: "assistant", content: "Hello" }), chunk({ content: " you" })]
const toolCall = { index: 0, id: "c1", type: "function", function: { name: "now", arguments: "{}" } }

const named = (one: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`
const message = { id: "msg_1", type: "message", role: "assistant", model: "claude", content: [], stop_reason: null }
const claude = [
  { type: "message_start", message: { ...message, usage: { input_tokens: 1, output_tokens: 0 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello you" } },
  { type: "content_block_stop", index: 0 }
].map(named)
const stopReason = named({
  type: "message_delta",
  delta: { stop_reason: "end_turn" },
  usage: { output_tokens: 2 }
})
const messageStop = named({ type: "message_stop" })

/** How a request asks, and how its stream must end. */
const endpoints = [
  {
    path: "/v1/chat/completions",
    body: { messages: [{ role: "user", content: "Hi" }] },
    end: /"finish_reason":"stop".*\[DONE\]/s
  },
  {
    path: "/v1/messages",
    body: { max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
    end: /"end_turn".*message_stop/s
  },
  { path: "/v1/responses", body: { input: "Hi" }, end: /response\.completed/ },
  { path: "/v1/completions", body: { prompt: "Hi" }, end: /"finish_reason":"stop".*\[DONE\]/s }
]

const before = Effect.fnUntraced(function* (
  protocol: "openai-chat" | "anthropic-messages",
  reply: Reply,
  timeouts = "{}"
) {
  const server = yield* upstream(() => reply)
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { protocol: ${protocol}, base_url: "${server.baseUrl}", api_key: none }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 }, context_window: 1000, timeouts: ${timeouts} }
`
  })
  const { secret } = yield* gateway.createKey()
  return (path: string, body: object) =>
    call(gateway.url, { path, key: secret, body: { model: "up/m", stream: true, ...body } })
})

describe("the end of a stream", () => {
  it.live("is added for a chat server that sends only [DONE] or only a finish reason", () =>
    Effect.gen(function* () {
      const streams = [
        [...hello, "[DONE]"],
        [...hello, usageChunk, "[DONE]"],
        [...hello, chunk({}, "stop")],
        [...hello, chunk({}, "stop"), usageChunk]
      ]
      for (const [index, values] of streams.entries()) {
        const ask = yield* before("openai-chat", { body: values.map(sent) })
        for (const { body, end, path } of endpoints) {
          const { text } = yield* ask(path, body)
          assert.match(text, end, `stream ${index} at ${path}`)
          assert.notMatch(text, /"error":\{/, `stream ${index} at ${path}`)
          assert.include(text, "Hello", path)
        }
      }
    })
  )

  it.live("names the tool calls where a chat server sends only [DONE] behind them", () =>
    Effect.gen(function* () {
      const values = [
        chunk({ role: "assistant", content: "" }),
        chunk({ tool_calls: [toolCall] }),
        usageChunk,
        "[DONE]"
      ]
      const ask = yield* before("openai-chat", { body: values.map(sent) })
      const [chat, messages, responses] = endpoints
      assert.match((yield* ask(chat!.path, chat!.body)).text, /"finish_reason":"tool_calls".*\[DONE\]/s)
      assert.match((yield* ask(messages!.path, messages!.body)).text, /"stop_reason":"tool_use".*message_stop/s)
      assert.match((yield* ask(responses!.path, responses!.body)).text, /function_call.*response\.completed/s)
    })
  )

  it.live("is added for a server of Messages that sends only a stop reason or only `message_stop`", () =>
    Effect.gen(function* () {
      for (const last of [stopReason, messageStop]) {
        const ask = yield* before("anthropic-messages", { body: [...claude, last] })
        for (const { body, end, path } of endpoints) {
          const { text } = yield* ask(path, body)
          assert.match(text, end, path)
          assert.notMatch(text, /"error":\{/, path)
        }
      }
    })
  )

  it.live("names the gateway's own limit where that ended the stream", () =>
    Effect.gen(function* () {
      for (const [limit, timeouts] of [
        ["total", "{ first_token: 300ms, response: 300ms, idle: 5s, total: 300ms }"],
        ["idle", "{ first_token: 300ms, response: 300ms, idle: 300ms, total: 5s }"]
      ]) {
        const reply = { body: hello.map(sent), ending: "silence" } as const
        const ask = yield* before("openai-chat", reply, timeouts)
        for (const { body, path } of endpoints) {
          const { text } = yield* ask(path, body)
          assert.include(text, '"code":"upstream_timeout"', path)
          assert.include(text, `\`timeouts.${limit}\``, path)
        }
      }
    })
  )

  it.live("has no chunk without choices for a caller that did not ask for usage", () =>
    Effect.gen(function* () {
      const values = [...hello, chunk({}, "stop"), usageChunk, { choices: [], cost: "0" }, "[DONE]"]
      const ask = yield* before("openai-chat", { body: values.map(sent) })
      const body = { messages: [{ role: "user", content: "Hi" }] }
      assert.notInclude((yield* ask("/v1/chat/completions", body)).text, '"choices":[]')
      const asked = yield* ask("/v1/chat/completions", { ...body, stream_options: { include_usage: true } })
      assert.strictEqual(asked.text.split('"choices":[]').length, 2)
    })
  )
})
