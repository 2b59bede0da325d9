import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import type { Deployment } from "../../../../src/core/domain/Deployment.ts"
import { CohereProtocol } from "../../../../src/providers/protocols/cohere/CohereProtocol.ts"
import { without } from "../../../../src/providers/vendors/Families.ts"
import { callOf } from "../openai/Support.ts"

const cohere = { vendor: "cohere", protocol: "cohere-v2", model: "command-a-03-2025" }
const plain = { supports: without("reasoning") }
const user = { role: "user", content: "Hi" }

const lowered = (body: JsonObject, changes: Partial<Deployment> = {}, strict = false) =>
  CohereProtocol.speaks.get("chat")!.lower({
    ...callOf({ messages: [user], ...body }, { ...cohere, ...changes }),
    strict
  })
const sent = (body: JsonObject, changes: Partial<Deployment> = {}): JsonObject =>
  JSON.parse(Result.getOrThrow(lowered(body, changes)).body) as JsonObject
const dropped = (body: JsonObject, changes: Partial<Deployment> = {}) =>
  Result.getOrThrow(lowered(body, changes)).dropped
const refusal = (body: JsonObject, strict = false) => {
  const result = lowered(body, {}, strict)
  return Result.isFailure(result) ? result.failure.param : undefined
}
const messages = (...given: ReadonlyArray<JsonObject>) => sent({ messages: given })["messages"]

const tool = (name: string, more: object = {}) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: {} }, ...more }
})

describe("a chat request at Cohere", () => {
  it("says REQUIRED and NONE, leaves auto out, and names a function by leaving out the others", () => {
    const tools = [tool("f"), tool("g")]
    const choice = (tool_choice: unknown) => sent({ tools, tool_choice })
    assert.strictEqual(choice("required")["tool_choice"], "REQUIRED")
    assert.strictEqual(choice("none")["tool_choice"], "NONE")
    assert.notProperty(choice("auto"), "tool_choice")
    assert.deepInclude(choice({ type: "function", function: { name: "g" } }), {
      tool_choice: "REQUIRED",
      tools: [tool("g")]
    })
    assert.strictEqual(refusal({ tools, tool_choice: { type: "function", function: { name: "x" } } }), "tool_choice")
    assert.strictEqual(refusal({ tools: [{ type: "web_search" }] }), "tools[0]")
    assert.deepInclude(sent({ tools: [tool("f", { strict: true })] }), { strict_tools: true, tools: [tool("f")] })
    assert.notProperty(sent({ tools: [tool("f", { strict: true }), tool("g")] }), "strict_tools")
  })

  it("has sampling under Cohere's names and within its ranges, and says where it had to change one", () => {
    const body = { temperature: 0, top_p: 0.5, top_k: 3, seed: 0, stop: ["a", "b"], max_completion_tokens: 9 }
    assert.deepStrictEqual(sent(body), {
      model: cohere.model,
      messages: [user],
      temperature: 0,
      p: 0.5,
      k: 3,
      seed: 0,
      stop_sequences: ["a", "b"],
      max_tokens: 9
    })
    assert.deepStrictEqual(dropped(body), [])
    assert.deepInclude(sent({ top_p: 1, frequency_penalty: -1 }), { p: 0.99, frequency_penalty: 0 })
    assert.deepStrictEqual(dropped({ top_p: 1, frequency_penalty: -1 }), ["frequency_penalty"])
    assert.strictEqual(refusal({ frequency_penalty: 2 }, true), "frequency_penalty")
    assert.strictEqual(refusal({ temperature: "hot" }), "temperature")
  })

  it("has a schema in Cohere's form, and its own fields as they are", () => {
    const schema = { type: "object", properties: { a: { type: "number" } } }
    const format = (response_format: unknown) => sent({ response_format })["response_format"]
    assert.deepStrictEqual(format({ type: "json_schema", json_schema: { name: "x", schema } }), {
      type: "json_object",
      json_schema: schema
    })
    assert.deepStrictEqual(format({ type: "json_object" }), { type: "json_object" })
    assert.isUndefined(format({ type: "text" }))
    assert.strictEqual(refusal({ response_format: { type: "grammar" } }), "response_format")
    const own = { documents: [{ data: { text: "x" } }], safety_mode: "STRICT", citation_options: { mode: "OFF" } }
    assert.deepInclude(sent(own), own)
    assert.deepStrictEqual(dropped(own), [])
  })

  it("thinks where the model can, or not where it is told", () => {
    const thinking = (body: JsonObject, changes: Partial<Deployment> = {}) => sent(body, changes)["thinking"]
    assert.isUndefined(thinking({}))
    assert.deepStrictEqual(thinking({ reasoning_effort: "none" }), { type: "disabled" })
    assert.deepStrictEqual(thinking({ reasoning_effort: "high" }), { type: "enabled", token_budget: 24_576 })
    assert.strictEqual(refusal({ reasoning_effort: "very" }), "reasoning_effort")
    assert.deepStrictEqual(thinking({ thinking: { type: "enabled", budget_tokens: 99 } }), {
      type: "enabled",
      token_budget: 99
    })
    assert.isUndefined(thinking({ reasoning_effort: "high" }, plain))
    assert.deepStrictEqual(dropped({ reasoning_effort: "high" }, plain), ["reasoning_effort"])
  })

  it("sends what was said beside calls as their plan, thoughts as parts, texts as a text and images as parts", () => {
    const called = { id: "f_1", type: "function", function: { name: "f", arguments: "" } }
    assert.deepStrictEqual(
      messages(
        { role: "developer", content: [{ type: "text", text: "Be brief." }] },
        user,
        { role: "assistant", content: "I will look.", tool_calls: [called] },
        { role: "tool", tool_call_id: "f_1", content: [{ type: "text", text: "sunny" }] },
        { role: "assistant", content: "Sunny", reasoning_content: "Hm." },
        { role: "assistant", content: "" }
      ),
      [
        { role: "system", content: "Be brief." },
        user,
        {
          role: "assistant",
          tool_calls: [{ ...called, function: { name: "f", arguments: "{}" } }],
          tool_plan: "I will look."
        },
        { role: "tool", tool_call_id: "f_1", content: "sunny" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm." },
            { type: "text", text: "Sunny" }
          ]
        }
      ]
    )
    const image = { type: "image_url", image_url: { url: "https://x/y.png" } }
    const parts = [{ type: "text", text: "What?" }, image]
    assert.deepStrictEqual(messages({ role: "user", content: parts }), [{ role: "user", content: parts }])
    assert.strictEqual(refusal({ messages: [{ role: "user", content: [{ type: "file" }] }] }), "messages[0].content[0]")
    assert.strictEqual(refusal({ messages: [{ role: "system", content: [image] }] }), "messages[0].content")
  })

  it("names what has no counterpart, and refuses it under strictness", () => {
    assert.deepStrictEqual(dropped({ user: "me", logit_bias: { 1: 1 }, store: false }), ["user", "logit_bias"])
    assert.strictEqual(refusal({ user: "me" }, true), "user")
    assert.strictEqual(refusal({ functions: [{ name: "f" }] }), "functions")
    const two = callOf({ messages: [user], n: 2 }, cohere)
    const many = CohereProtocol.speaks.get("chat")!.lower({ ...two, request: { ...two.request, choices: 2 } })
    assert.isTrue(Result.isFailure(many) && many.failure.param === "n")
  })
})

describe("embeddings at Cohere", () => {
  const { lift, lower } = CohereProtocol.speaks.get("embeddings")!
  const call = (body: JsonObject) => {
    const made = callOf(body, cohere)
    return { ...made, request: { ...made.request, contents: "input" } }
  }
  const body = (given: JsonObject) => JSON.parse(Result.getOrThrow(lower(call(given))).body) as JsonObject

  it("say what they are for and of which kind", () => {
    assert.deepStrictEqual(body({ input: "a", dimensions: 256 }), {
      model: cohere.model,
      texts: ["a"],
      input_type: "search_document",
      embedding_types: ["float"],
      output_dimension: 256
    })
    assert.deepInclude(body({ input: ["a"], input_type: "search_query", embedding_types: ["int8"], truncate: "END" }), {
      input_type: "search_query",
      embedding_types: ["int8"],
      truncate: "END"
    })
    const refused = (given: JsonObject) => Result.isFailure(lower(call(given)))
    assert.isTrue(refused({ input: "a", embedding_types: ["float", "int8"] }))
    assert.isTrue(refused({ input: "a", embedding_types: ["int8"], encoding_format: "base64" }))
    assert.isTrue(refused({ input: Array.from({ length: 97 }, () => "a") }))
  })

  it("trap 24: come as numbers or packed, and are billed as Cohere says", () => {
    const answer = (kind: string, vectors: unknown) =>
      JSON.stringify({
        id: "e",
        embeddings: { [kind]: vectors },
        texts: ["a"],
        meta: { billed_units: { input_tokens: 3 } }
      })
    const vector = (text: string, given: JsonObject) => {
      const lifted = Result.getOrThrow(lift(text, call({ input: "a", ...given })))
      assert.strictEqual(lifted.usage?.input, 3)
      const [item] = JSON.parse(Buffer.from(lifted.raw!.bytes).toString()) as ReadonlyArray<JsonObject>
      return item!["embedding"]
    }
    assert.deepStrictEqual(vector(answer("float", [[0.5, -1]]), {}), [0.5, -1])
    assert.deepStrictEqual(vector(answer("int8", [[-128, 127]]), { embedding_types: ["int8"] }), [-128, 127])
    const packed = Buffer.from(Float32Array.from([0.5, -1]).buffer).toString("base64")
    assert.strictEqual(vector(answer("float", [[0.5, -1]]), { encoding_format: "base64" }), packed)
    assert.strictEqual(vector(answer("float", [[0.5, -1]]), { embedding_types: ["base64"] }), packed)
    for (const text of ["", "{}", answer("float", []), answer("float", [[1], [2]]), '{"message":"no"}']) {
      assert.isTrue(Result.isFailure(lift(text, call({ input: "a" }))), text)
    }
  })
})
