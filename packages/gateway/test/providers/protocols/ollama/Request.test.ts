import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import type { Deployment } from "../../../../src/core/domain/Deployment.ts"
import { OllamaProtocol } from "../../../../src/providers/protocols/ollama/OllamaProtocol.ts"
import { without } from "../../../../src/providers/vendors/Families.ts"
import { callOf } from "../openai/Support.ts"

const ollama = { vendor: "ollama", protocol: "ollama-chat", model: "qwen3" }
const plain = { supports: without("reasoning") }
const user = { role: "user", content: "Hi" }

const lowered = (body: JsonObject, changes: Partial<Deployment> = {}, maxOutput?: number, strict = false) => {
  const call = callOf({ messages: [user], ...body }, { ...ollama, ...changes }, maxOutput)
  return OllamaProtocol.speaks.get("chat")!.lower({ ...call, strict })
}
const sent = (body: JsonObject, changes: Partial<Deployment> = {}, maxOutput?: number): JsonObject =>
  JSON.parse(Result.getOrThrow(lowered(body, changes, maxOutput)).body) as JsonObject
const dropped = (body: JsonObject, changes: Partial<Deployment> = {}) =>
  Result.getOrThrow(lowered(body, changes)).dropped
const refusal = (body: JsonObject) => {
  const result = lowered(body)
  return Result.isFailure(result) ? result.failure.param : undefined
}
const messages = (...given: ReadonlyArray<JsonObject>) => sent({ messages: given })["messages"]

const tool = { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }
const called = (args: unknown) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: args } }]
})

describe("a chat request at Ollama", () => {
  it("says whether it streams, as its default is the other one", () => {
    assert.deepStrictEqual(sent({}), { model: "qwen3", messages: [user], stream: false })
    assert.isTrue(sent({ stream: true, stream_options: { include_usage: true } })["stream"])
  })

  it("has the configured context window, which a caller can make smaller, never larger", () => {
    const options = (body: JsonObject, contextWindow?: number) => sent(body, { contextWindow })["options"]
    assert.isUndefined(options({}))
    assert.deepStrictEqual(options({}, 32_768), { num_ctx: 32_768 })
    assert.deepStrictEqual(options({ num_ctx: 8_192 }, 32_768), { num_ctx: 8_192 })
    assert.deepStrictEqual(options({ options: { num_ctx: 1_000_000 } }, 32_768), { num_ctx: 32_768 })
    assert.deepStrictEqual(options({ num_ctx: 8_192 }), { num_ctx: 8_192 })
  })

  it("has limits and sampling as options, and leaves the machine to its operator", () => {
    const body = { temperature: 0, top_p: 0.5, seed: 0, stop: "x", max_tokens: 9, options: { top_k: 3, num_gpu: 99 } }
    assert.deepStrictEqual(sent(body)["options"], {
      temperature: 0,
      top_p: 0.5,
      seed: 0,
      top_k: 3,
      stop: ["x"],
      num_predict: 9
    })
    assert.deepInclude(sent(body, {}, 5)["options"] as JsonObject, { num_predict: 5 })
    assert.deepStrictEqual(dropped(body), ["options.num_gpu"])
  })

  it("trap 23: contents are one text, images base64 beside it, arguments an object", () => {
    const parts = [
      { type: "text", text: "What" },
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
      { type: "text", text: "is it?" }
    ]
    assert.deepStrictEqual(messages({ role: "user", content: parts }), [
      { role: "user", content: "What\nis it?", images: ["aGk="] }
    ])
    for (const args of ['{"a":1}', { a: 1 }]) {
      const answered = { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "done" }] }
      assert.deepStrictEqual(messages(user, called(args), answered), [
        user,
        { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: { a: 1 } } }] },
        { role: "tool", content: "done", tool_name: "f" }
      ])
    }
    assert.deepStrictEqual(messages(user, called("")), [
      user,
      { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: {} } }] }
    ])
    assert.strictEqual(refusal({ messages: [called("[1]")] }), "messages[0].tool_calls[0].function.arguments")
    const byUrl = { role: "user", content: [{ type: "image_url", image_url: { url: "file:///etc/passwd" } }] }
    assert.strictEqual(refusal({ messages: [byUrl] }), "messages[0].content[0].image_url")
    assert.strictEqual(
      refusal({ messages: [{ role: "user", content: [{ type: "input_audio" }] }] }),
      "messages[0].content[0]"
    )
  })

  it("trap 23: thinks only where the model can, which would refuse the field otherwise", () => {
    const think = (body: JsonObject, changes: Partial<Deployment> = {}) => sent(body, changes)["think"]
    assert.isUndefined(think({}))
    assert.isTrue(think({ reasoning_effort: "low" }))
    assert.isFalse(think({ reasoning_effort: "none" }))
    assert.isFalse(think({ think: false }))
    assert.isUndefined(think({ reasoning_effort: "high" }, plain))
    assert.deepStrictEqual(dropped({ reasoning_effort: "high" }, plain), ["reasoning_effort"])
    assert.deepStrictEqual(dropped({ reasoning_effort: "none" }, plain), [])
    const levels = { model: "gpt-oss:20b" }
    assert.strictEqual(think({ reasoning_effort: "xhigh" }, levels), "high")
    assert.strictEqual(think({ reasoning_effort: "none" }, levels), "low")
    assert.deepStrictEqual(dropped({ reasoning_effort: "none" }, levels), ["reasoning_effort"])
    const thought = { role: "assistant", content: "4", reasoning_content: "2+2" }
    assert.deepStrictEqual(messages(thought), [{ role: "assistant", content: "4", thinking: "2+2" }])
    assert.deepStrictEqual(sent({ messages: [thought] }, plain)["messages"], [{ role: "assistant", content: "4" }])
  })

  it("has a schema as the format, and tools without a choice", () => {
    const schema = { type: "object", properties: { a: { type: "number" } } }
    const format = (response_format: unknown) => sent({ response_format })["format"]
    assert.deepStrictEqual(format({ type: "json_schema", json_schema: { name: "x", schema } }), schema)
    assert.strictEqual(format({ type: "json_object" }), "json")
    assert.isUndefined(format({ type: "text" }))
    assert.strictEqual(refusal({ response_format: { type: "json_schema" } }), "response_format")
    assert.deepStrictEqual(sent({ tools: [tool], tool_choice: "auto" })["tools"], [tool])
    assert.notProperty(sent({ tools: [tool], tool_choice: "none" }), "tools")
    assert.deepStrictEqual(dropped({ tools: [tool], tool_choice: "required" }), ["tool_choice"])
    assert.strictEqual(refusal({ tools: [{ type: "web_search" }] }), "tools[0]")
  })

  it("names what it leaves out, and refuses it under strictness", () => {
    assert.deepStrictEqual(dropped({ user: "me", logprobs: true, parallel_tool_calls: false }).toSorted(), [
      "logprobs",
      "parallel_tool_calls",
      "user"
    ])
    assert.isTrue(Result.isFailure(lowered({ user: "me" }, {}, undefined, true)))
    assert.strictEqual(refusal({ functions: [{ name: "f" }] }), "functions")
  })
})

describe("embeddings at Ollama", () => {
  const { lift, lower } = OllamaProtocol.speaks.get("embeddings")!
  const call = (body: JsonObject) => {
    const made = callOf(body, { ...ollama, contextWindow: 512 })
    return { ...made, request: { ...made.request, contents: "input" } }
  }

  it("are asked for with dimensions and window, as texts", () => {
    const wire = Result.getOrThrow(
      lower(call({ input: ["a", "b"], dimensions: 2, encoding_format: "base64", user: "x" }))
    )
    assert.strictEqual(wire.path, "/api/embed")
    assert.deepStrictEqual(JSON.parse(wire.body), {
      model: "qwen3",
      input: ["a", "b"],
      dimensions: 2,
      options: { num_ctx: 512 }
    })
    assert.deepStrictEqual(wire.dropped, ["user"])
    const tokens = call({ input: [1, 2] })
    assert.isTrue(Result.isFailure(lower({ ...tokens, request: { ...tokens.request, tokens: 2 } })))
  })

  it("trap 24: come as floats or, where asked, packed as little-endian base64", () => {
    const answer = JSON.stringify({
      model: "m",
      embeddings: [
        [0.5, -1],
        [2, 3]
      ],
      prompt_eval_count: 7
    })
    const data = (format?: string) => {
      const lifted = Result.getOrThrow(lift(answer, call({ input: ["a", "b"], encoding_format: format })))
      assert.strictEqual(lifted.usage?.input, 7)
      return JSON.parse(Buffer.from(lifted.raw!.bytes).toString()) as ReadonlyArray<JsonObject>
    }
    assert.deepStrictEqual(data()[1], { object: "embedding", index: 1, embedding: [2, 3] })
    const packed = Buffer.from(String(data("base64")[0]!["embedding"]), "base64")
    assert.deepStrictEqual([packed.readFloatLE(0), packed.readFloatLE(4)], [0.5, -1])
  })

  it("that are not there, or fewer than the inputs, are a failure", () => {
    const inputs = call({ input: ["a", "b"] })
    for (const text of [
      "",
      "{}",
      '{"embeddings":[[1]]}',
      '{"embeddings":[]}',
      '{"embeddings":[[1],[x]]}',
      '{"error":"no"}',
      "[1,2"
    ]) {
      assert.isTrue(Result.isFailure(lift(text, inputs)), text)
    }
  })
})
