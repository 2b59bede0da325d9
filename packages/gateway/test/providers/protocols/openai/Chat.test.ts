import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import type { Deployment } from "../../../../src/core/domain/Deployment.ts"
import { OpenAiChat } from "../../../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { resolved } from "../../vendors/Resolved.ts"
import { callOf, NOW } from "./Support.ts"

const lowered = (body: JsonObject, changes: Partial<Deployment> = {}, maxOutput?: number) => {
  const wire = Result.getOrThrow(OpenAiChat.lower(callOf(body, changes, maxOutput)))
  return { ...wire, json: JSON.parse(wire.body) as Record<string, unknown> }
}

const compatible: Partial<Deployment> = { vendor: "openai-compatible", model: "llama" }
const messages = [{ role: "user", content: "Hi" }]

describe("OpenAiChat.lower", () => {
  it("passes everything through but the model", () => {
    const body = {
      model: "fast",
      messages,
      temperature: 0.7,
      seed: 0,
      stop: [],
      tools: [{ type: "function", function: { name: "f" } }],
      anything_new: { deep: [null, ""] }
    }
    const wire = lowered(body)
    assert.deepStrictEqual(wire.json, { ...body, model: "gpt-4o-mini" })
    assert.strictEqual(wire.path, "/chat/completions")
    assert.deepStrictEqual(wire.dropped, [])
    assert.strictEqual(wire.headers["accept"], "application/json")
  })

  it("leaves out absent fields and the gateway's own", () => {
    const body = { model: "m", messages, stop: null, user: "", base_url: "http://x", api_base: "y", api_key: "sk-1" }
    assert.deepStrictEqual(lowered(body).json, { model: "gpt-4o-mini", messages })
  })

  it("leaves out the effort where the model does not reason, and says so; all or nothing is refused", () => {
    const body = { messages, reasoning_effort: "high" }
    const model = "gpt-4o-mini"
    const plain = { supports: new Set(["chat", "stream"] as const) }
    const without = lowered(body, plain)
    assert.deepStrictEqual([without.json, without.dropped], [{ model, messages }, ["reasoning_effort"]])
    const none = lowered({ messages, reasoning_effort: "none" }, plain)
    assert.deepStrictEqual([none.json, none.dropped], [{ model, messages }, []])
    const kept = lowered(body)
    assert.deepStrictEqual([kept.json, kept.dropped], [{ ...body, model }, []])
    const strict = OpenAiChat.lower({ ...callOf(body, plain), strict: true })
    assert.deepInclude(Result.isFailure(strict) ? { ...strict.failure } : {}, { param: "reasoning_effort" })
    assert.isTrue(Result.isSuccess(OpenAiChat.lower({ ...callOf(body), strict: true })))
  })

  it("treats __proto__ as data", () => {
    const body = JSON.parse('{"model":"m","messages":[],"__proto__":{"api_key":"k"},"metadata":{"__proto__":1}}')
    const { body: text } = lowered(body)
    assert.include(text, '"__proto__":{"api_key":"k"}')
    assert.include(text, '"metadata":{"__proto__":1}')
  })

  it("always asks a stream for its usage, and never a whole answer", () => {
    const stream_options = { include_usage: false, include_obfuscation: false }
    const wire = lowered({ model: "m", messages, stream: true, stream_options })
    assert.deepStrictEqual(wire.json["stream_options"], { include_usage: true, include_obfuscation: false })
    assert.strictEqual(wire.headers["accept"], "text/event-stream")
    assert.deepStrictEqual(lowered({ stream: true, stream_options: "x" }).json["stream_options"], {
      include_usage: true
    })
    assert.notProperty(lowered({ model: "m", messages, stream: false, stream_options }).json, "stream_options")
  })

  it("names the output limit as the model takes it", () => {
    const limits = (body: JsonObject, changes: Partial<Deployment>, maxOutput?: number) => {
      const { json } = lowered({ messages, ...body }, changes, maxOutput)
      return [json["max_tokens"], json["max_completion_tokens"]]
    }
    for (const model of [
      "o1",
      "o3-mini",
      "o4-mini-2025-04-16",
      "gpt-5",
      "gpt-5-nano",
      "gpt-5.1",
      "gpt-6-sol",
      "chat-latest"
    ]) {
      const { quirks } = resolved("openai", model)
      assert.deepStrictEqual(limits({ max_tokens: 7 }, { model, quirks }), [undefined, 7], model)
      assert.deepStrictEqual(limits({}, { model, quirks }, 9), [undefined, 9], model)
    }
    // Kept as the caller wrote it where both are known.
    assert.deepStrictEqual(limits({ max_tokens: 7 }, { model: "gpt-4o" }, 7), [7, undefined])
    assert.deepStrictEqual(limits({ max_completion_tokens: 7 }, { model: "gpt-4o" }, 7), [undefined, 7])
    assert.deepStrictEqual(limits({}, { model: "gpt-4o" }, 9), [undefined, 9])
    assert.deepStrictEqual(limits({ max_tokens: 7, max_completion_tokens: 8 }, { model: "gpt-4o" }), [undefined, 8])
    for (const model of ["llama", "gpt-oss-120b", "gpt-35-turbo", "mistral-large-latest"]) {
      const other = { vendor: "openai-compatible", model }
      assert.deepStrictEqual(limits({ max_completion_tokens: 7 }, other), [7, undefined], model)
      assert.deepStrictEqual(limits({}, other, 9), [9, undefined], model)
    }
    assert.deepStrictEqual(limits({}, { model: "gpt-5" }), [undefined, undefined])
    assert.deepStrictEqual(limits({ max_tokens: null }, { model: "gpt-5" }), [undefined, undefined])
  })

  it("lowers the caller's limit to the one the budget has room for", () => {
    assert.strictEqual(lowered({ messages, max_tokens: 1000 }, { model: "gpt-4o" }, 10).json["max_tokens"], 10)
  })

  it("calls developers system where only OpenAI knows them", () => {
    const body = { messages: [{ role: "developer", content: "Be brief", name: "d" }, ...messages] }
    assert.deepStrictEqual(lowered(body).json["messages"], body.messages)
    assert.deepStrictEqual(lowered(body, compatible).json["messages"], [
      { role: "system", content: "Be brief", name: "d" },
      ...messages
    ])
  })
})

const lift = (value: unknown, changes: Partial<Deployment> = {}) =>
  OpenAiChat.lift(typeof value === "string" ? value : JSON.stringify(value), callOf({}, changes))

const answer = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message, finish_reason: "stop", logprobs: null }],
  ...more
})

describe("OpenAiChat.lift", () => {
  it("gives the answer as it came, with its usage", () => {
    const body = answer(
      { role: "assistant", content: "Hi", refusal: null },
      { usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }, x_new: [1] }
    )
    const lifted = Result.getOrThrow(lift(body))
    assert.deepStrictEqual(lifted.body, body)
    assert.strictEqual(lifted.usage?.input, 9)
    assert.strictEqual(lifted.usage?.output, 2)
  })

  it("keeps the provider's own text where nothing has to be repaired, as in what OpenAI itself writes", () => {
    const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }
    const details = {
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 }
    }
    const body = answer(
      { role: "assistant", content: "Hi", refusal: null, annotations: [] },
      { usage: { ...usage, ...details }, service_tier: "default" }
    )
    assert.strictEqual(Result.getOrThrow(lift(body)).text, JSON.stringify(body))
  })

  it("says nothing of usage where the provider did not", () => {
    for (const usage of [undefined, null, {}, { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, "x"]) {
      assert.isUndefined(Result.getOrThrow(lift(answer({ content: "Hi" }, { usage }))).usage)
    }
  })

  it("is a failure where a 2xx body is no answer", () => {
    const cases = [
      "",
      "  \n",
      "<html><body>Bad gateway</body></html>",
      '{"id":"x","choices":[{"mess',
      "[]",
      "null",
      '"text"',
      { choices: [] },
      { choices: null },
      { choices: [{ index: 0, text: "legacy" }] },
      { ...answer({}), error: "boom" },
      { error: { message: "boom" }, usage: { prompt_tokens: 5, completion_tokens: 3 } },
      answer({}, { choices: [{ index: 0, message: {}, finish_reason: "error" }] })
    ]
    for (const body of cases) {
      const failure = Result.getOrThrow(Result.flip(lift(body)))
      assert.strictEqual(failure.class, "truncated", JSON.stringify(body))
      assert.strictEqual(failure.status, 200)
      assert.notInclude(failure.message, "<html")
    }
  })

  it("takes an error instead of an answer for an outage where its words say nothing", () => {
    for (const body of [{ error: { message: "boom" } }, { error: "boom" }, { object: "error", message: "boom" }]) {
      const failure = Result.getOrThrow(Result.flip(lift(body)))
      assert.deepStrictEqual([failure.class, failure.status, failure.message], ["unavailable", 200, "boom"])
    }
  })

  it("believes an error in a 2xx body that says what it is", () => {
    const classOf = (error: JsonObject) => Result.getOrThrow(Result.flip(lift({ error }))).class
    assert.strictEqual(classOf({ message: "Filtered by policy", code: "content_filter" }), "content_filter")
    assert.strictEqual(classOf({ message: "Provider returned error", code: 429 }), "rate_limited")
    assert.strictEqual(classOf({ message: "Provider returned error", code: 502 }), "unavailable")
    assert.strictEqual(classOf({ message: "x", code: "insufficient_quota" }), "quota_exhausted")
  })

  it("makes small differences of other servers good", () => {
    const body = {
      choices: [
        {
          finish_reason: "eos",
          message: {
            content: [
              { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
              { type: "text", text: "Yes" }
            ],
            tool_calls: null,
            function_call: null
          }
        },
        {
          index: 1,
          finish_reason: "stop",
          message: {
            role: "assistant",
            tool_calls: [{ id: "abc123def", function: { name: "f", arguments: { a: 1 } } }]
          }
        },
        { index: 2, finish_reason: "model_length", message: { role: "assistant", content: "cut" } }
      ],
      x_groq: { usage: { prompt_tokens: 3, completion_tokens: 4 } }
    }
    const lifted = Result.getOrThrow(lift(body, compatible))
    assert.deepStrictEqual(lifted.body["choices"], [
      {
        index: 0,
        finish_reason: "stop",
        message: { role: "assistant", content: "Yes", reasoning_content: "Hm." }
      },
      {
        index: 1,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "abc123def", type: "function", function: { name: "f", arguments: '{"a":1}' } }]
        }
      },
      { index: 2, finish_reason: "length", message: { role: "assistant", content: "cut" } }
    ])
    assert.strictEqual(lifted.body["object"], "chat.completion")
    assert.strictEqual(lifted.body["created"], NOW / 1000)
    assert.deepInclude(lifted.body["usage"] as object, { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 })
    assert.strictEqual(lifted.usage?.output, 4)
  })

  it("leaves out what OpenAI's clients do not know: other tiers, other annotations; and adds what they read", () => {
    const citation = { type: "url_citation", url_citation: { url: "u", title: "t", start_index: 0, end_index: 0 } }
    const lifted = (more: JsonObject, message: JsonObject) =>
      Result.getOrThrow(lift(answer({ role: "assistant", content: "Hi", ...message }, more), compatible)).body
    const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }
    assert.notProperty(lifted({ usage, service_tier: "on_demand" }, {}), "service_tier")
    assert.propertyVal(lifted({ usage, service_tier: "priority" }, {}), "service_tier", "priority")
    const messageOf = (message: JsonObject) =>
      (lifted({ usage }, message)["choices"] as ReadonlyArray<JsonObject>)[0]!["message"]
    const file = { type: "file", file: { hash: "x" } }
    assert.deepInclude(messageOf({ annotations: [file, citation] }) as JsonObject, { annotations: [citation] })
    assert.notProperty(messageOf({ annotations: [file] }) as JsonObject, "annotations")
    const call = { type: "function", function: { name: "f" } }
    assert.deepInclude(messageOf({ tool_calls: [call] }) as JsonObject, {
      tool_calls: [{ id: "call_chatcmpl-1_0", type: "function", function: { name: "f", arguments: "{}" } }]
    })
  })
})
