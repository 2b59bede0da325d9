import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import { noUsage } from "../../../../../src/core/domain/Usage.ts"
import { AnthropicChat } from "../../../../../src/providers/protocols/anthropic/AnthropicProtocol.ts"
import { asking, callOf, sent, type Sent } from "../Support.ts"

const call = callOf(asking())
const message = (more: JsonObject = {}): JsonObject => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5-20250929",
  content: [{ type: "text", text: "Hi" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 3, output_tokens: 2, service_tier: "standard" },
  ...more
})
const lift = (value: unknown) => AnthropicChat.lift(typeof value === "string" ? value : JSON.stringify(value), call)
const answer = (more: JsonObject = {}): Sent => Result.getOrThrow(lift(message(more))).body
const choice = (more: JsonObject): Sent => answer(more)["choices"][0]

describe("an answer", () => {
  it("is a chat completion of the moment of the call", () => {
    assert.deepStrictEqual(answer(), {
      id: "msg_1",
      object: "chat.completion",
      created: 1_767_225_600,
      model: "claude-sonnet-4-5-20250929",
      choices: [
        {
          index: 0,
          finish_reason: "stop",
          logprobs: null,
          message: { role: "assistant", content: "Hi", refusal: null }
        }
      ],
      service_tier: "default",
      usage: {
        prompt_tokens: 3,
        completion_tokens: 2,
        total_tokens: 5,
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 }
      }
    })
  })

  it("numbers tool calls and has no content beside them when there is no text", () => {
    const use = (id: string, input: unknown) => ({ type: "tool_use", id, name: "f", input })
    const { finish_reason: reason, message: said } = choice({
      content: [use("a", { x: 1 }), use("b", {})],
      stop_reason: "tool_use"
    })
    assert.strictEqual(reason, "tool_calls")
    assert.isNull(said.content)
    assert.deepStrictEqual(said.tool_calls, [
      { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } },
      { id: "b", type: "function", function: { name: "f", arguments: "{}" } }
    ])
  })

  it("tells why it ended in the chat API's words", () => {
    const reason = (stop_reason: string) => choice({ stop_reason }).finish_reason as string
    assert.deepStrictEqual(["end_turn", "stop_sequence", "pause_turn"].map(reason), ["stop", "stop", "stop"])
    assert.deepStrictEqual(["max_tokens", "model_context_window_exceeded"].map(reason), ["length", "length"])
    assert.strictEqual(reason("refusal"), "content_filter")
  })

  it("is cut off even where it holds tool calls", () => {
    const content = [{ type: "tool_use", id: "a", name: "f", input: {} }]
    assert.strictEqual(choice({ content, stop_reason: "max_tokens" }).finish_reason, "length")
  })

  it("says why the model refused", () => {
    const stop_details = { type: "refusal", category: "cyber", explanation: "Not that." }
    const { finish_reason: reason, message: said } = choice({ content: [], stop_reason: "refusal", stop_details })
    assert.strictEqual(reason, "content_filter")
    assert.strictEqual(said.refusal, "Not that.")
    assert.strictEqual(said.content, "")
  })

  it("carries thoughts, signed, so that they can be sent back", () => {
    const thoughts = [
      { type: "thinking", thinking: "Hm.", signature: "sig" },
      { type: "redacted_thinking", data: "xyz" }
    ]
    const { message: said } = choice({ content: [...thoughts, { type: "text", text: "Hi" }] })
    assert.strictEqual(said.reasoning_content, "Hm.")
    assert.deepStrictEqual(said.thinking_blocks, thoughts)
    const replayed = sent({ messages: [{ role: "user", content: "Hi" }, said, { role: "user", content: "?" }] })
    assert.deepStrictEqual(replayed["messages"][1].content, [...thoughts, { type: "text", text: "Hi" }])
  })

  it("cites the web with the place in the text", () => {
    const citations = [{ type: "web_search_result_location", url: "https://example.com", title: null, cited_text: "x" }]
    const content = [
      { type: "text", text: "So: " },
      { type: "server_tool_use", id: "s", name: "web_search", input: {} },
      { type: "web_search_tool_result", tool_use_id: "s", content: [] },
      { type: "text", text: "42.", citations }
    ]
    const { message: said } = choice({ content })
    assert.strictEqual(said.content, "So: 42.")
    assert.isUndefined(said.tool_calls)
    assert.deepStrictEqual(said.annotations, [
      {
        type: "url_citation",
        url_citation: { start_index: 4, end_index: 7, url: "https://example.com", title: "https://example.com" }
      }
    ])
  })

  it("has no usage where the provider told none", () => {
    const { body, usage } = Result.getOrThrow(lift(message({ usage: null })))
    assert.isUndefined(usage)
    assert.isFalse("usage" in body)
  })
})

describe("usage", () => {
  const usageOf = (usage: JsonObject) => {
    const lifted = Result.getOrThrow(lift(message({ usage })))
    return { usage: lifted.usage, wire: lifted.body["usage"] as Sent }
  }

  it("keeps the classes apart and adds them up for the caller", () => {
    const { usage, wire } = usageOf({
      input_tokens: 10,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 15 }
    })
    assert.deepStrictEqual(usage, {
      ...noUsage,
      input: 10,
      cachedInput: 100,
      cacheWrite: 20,
      cacheWrite1h: 10,
      output: 35,
      reasoning: 15
    })
    assert.deepInclude(wire, { prompt_tokens: 140, completion_tokens: 50, total_tokens: 190 })
    assert.deepInclude(wire["prompt_tokens_details"], { cached_tokens: 100, cache_write_tokens: 30 })
    assert.deepInclude(wire["completion_tokens_details"], { reasoning_tokens: 15 })
  })

  it("takes a cache write without its lifetime for a short one", () => {
    const { usage } = usageOf({ input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 7 })
    assert.deepInclude(usage, { cacheWrite: 7, cacheWrite1h: 0 })
  })

  it("adds the rounds of a compaction and leaves an advisor's out", () => {
    const round = (type: string, input_tokens: number, output_tokens: number, cache_read_input_tokens = 0) => ({
      type,
      input_tokens,
      output_tokens,
      cache_read_input_tokens
    })
    const iterations = [
      round("compaction", 100, 83, 55_096),
      round("advisor_message", 1_000, 1_000),
      round("message", 181, 8)
    ]
    const { usage, wire } = usageOf({ input_tokens: 181, output_tokens: 8, iterations })
    assert.deepInclude(usage, { input: 281, cachedInput: 55_096, output: 91 })
    assert.strictEqual(wire["total_tokens"], 55_468)
  })

  it("is the top level's where a fallback model answered", () => {
    const iterations = [
      { type: "message", input_tokens: 10, output_tokens: 0 },
      { type: "fallback_message", input_tokens: 10, output_tokens: 9 }
    ]
    assert.deepInclude(usageOf({ input_tokens: 10, output_tokens: 9, iterations }).usage, { input: 10, output: 9 })
  })

  it("never counts garbage", () => {
    assert.isUndefined(usageOf({ input_tokens: -5, output_tokens: 9 }).usage)
    const { usage } = usageOf({ input_tokens: 5, output_tokens: 9, cache_read_input_tokens: 1e300 })
    assert.deepInclude(usage, { input: 5, output: 9, cachedInput: 0 })
    const { usage: clamped } = usageOf({
      input_tokens: 1,
      output_tokens: 4,
      output_tokens_details: { thinking_tokens: 9 }
    })
    assert.deepInclude(clamped, { output: 0, reasoning: 4 })
  })
})

describe("a body that is no answer", () => {
  it("is a truncated answer", () => {
    for (const text of ["", "<html></html>", "null", "[]", '{"id":"x"}', '{"content":"Hi"}']) {
      const failure = Result.getOrThrow(Result.flip(lift(text)))
      assert.strictEqual(failure.class, "truncated")
      assert.strictEqual(failure.status, 200)
    }
  })

  it("is the failure that it reports", () => {
    const failure = Result.getOrThrow(
      Result.flip(lift({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }))
    )
    assert.deepInclude(failure, { class: "unavailable", status: 529, message: "Overloaded", type: "overloaded_error" })
  })
})
