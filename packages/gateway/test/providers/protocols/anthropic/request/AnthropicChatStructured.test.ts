import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { AnthropicChat } from "../../../../../src/providers/protocols/anthropic/AnthropicProtocol.ts"
import { asking, assertDropped, callOf, deltasOf, frames, kinds, lowered, refused, replay, sent } from "../Support.ts"

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
const format = (value: object) => ({
  response_format: { type: "json_schema", json_schema: { name: "answer", schema: value } }
})
const openSchema = { type: "object", properties: { tags: { type: "object" } }, required: ["tags"] }
const tool = (name: string) => ({ type: "function", function: { name } })
const older = { model: "claude-sonnet-4-0" }

describe("response_format, natively", () => {
  it("sends the schema with its objects closed", () => {
    assert.deepStrictEqual(sent(asking(format(schema)))["output_config"], {
      format: { type: "json_schema", schema: { ...schema, additionalProperties: false } }
    })
    assert.isUndefined(sent(asking(format(schema)))["tools"])
  })

  it("says in words what the decoder can't hold to", () => {
    const limited = {
      type: "object",
      properties: {
        age: { description: "Years.", type: "integer", exclusiveMinimum: 0, default: 1 },
        mail: { type: "string", format: "email", maxLength: 5 },
        phone: { type: "string", format: "phone" },
        kind: { oneOf: [{ $ref: "#/$defs/Kind" }, { type: "null" }] }
      },
      required: ["age", "mail", "phone", "kind"],
      $defs: { Kind: { type: "array", items: { type: "object", properties: {} }, minItems: 2 } }
    }
    assert.deepStrictEqual(sent(asking(format(limited)))["output_config"].format.schema, {
      type: "object",
      properties: {
        age: { description: "Years.\nexclusive minimum: 0.", type: "integer", default: 1 },
        mail: { type: "string", format: "email", description: "max length: 5." },
        phone: { type: "string", description: "format: phone." },
        kind: { anyOf: [{ $ref: "#/$defs/Kind" }, { type: "null" }] }
      },
      required: ["age", "mail", "phone", "kind"],
      $defs: {
        Kind: {
          type: "array",
          items: { type: "object", properties: {}, additionalProperties: false },
          description: "min items: 2."
        }
      },
      additionalProperties: false
    })
  })

  it("goes together with effort", () => {
    const body = sent(asking({ ...format(schema), reasoning_effort: "low" }), { model: "claude-opus-4-6" })
    assert.deepStrictEqual(Object.keys(body["output_config"]).sort(), ["effort", "format"])
  })
})

describe("response_format, through a tool", () => {
  const answers = (value: object, aim: object = {}) => sent(asking(format(value)), aim)

  it("forces the tool on models without the native form", () => {
    const body = answers(schema, older)
    assert.deepStrictEqual(body["tools"], [
      { name: "json", description: "Respond with a JSON object.", input_schema: schema }
    ])
    assert.deepStrictEqual(body["tool_choice"], { type: "tool", name: "json", disable_parallel_tool_use: true })
    assert.isUndefined(body["output_config"])
  })

  it("forces it for schemas that the native form can't express", () => {
    const recursive = { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] }
    const optional = {
      type: "object",
      properties: Object.fromEntries("abcdefghijk".split("").map((name) => [name, { type: "string" }]))
    }
    const map = { type: "object", properties: {}, additionalProperties: { type: "string" } }
    const foreign = { type: "object", properties: { a: { $ref: "https://example.com/a.json" } }, required: ["a"] }
    const dangling = { type: "object", properties: { a: { $ref: "#/$defs/none" } }, required: ["a"] }
    for (const value of [openSchema, recursive, optional, map, foreign, dangling]) {
      assert.strictEqual(answers(value)["tools"][0].name, "json")
    }
  })

  it("counts the optional properties behind every use of a reference", () => {
    const four = { type: "object", properties: { a: {}, b: {}, c: {}, d: {} } }
    const uses = (...names: ReadonlyArray<string>) => ({
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/four" }])),
      required: names,
      $defs: { four }
    })
    assert.isDefined(answers(uses("x", "y"))["output_config"])
    assert.isUndefined(answers(uses("x", "y", "z"))["output_config"])
  })

  it("leaves the caller's own tools a choice, one call at a time", () => {
    const body = sent(asking({ ...format(schema), tools: [tool("a"), tool("json")] }), older)
    assert.deepStrictEqual(
      body["tools"].map(({ name }: { name: string }) => name),
      ["a", "json", "json_answer"]
    )
    assert.deepStrictEqual(body["tool_choice"], { type: "any", disable_parallel_tool_use: true })
  })

  it("is the only choice when the caller allows no tool, and none when the caller demands one", () => {
    const none = sent(asking({ ...format(schema), tools: [tool("a")], tool_choice: "none" }), older)
    assert.deepStrictEqual(none["tool_choice"], { type: "tool", name: "json", disable_parallel_tool_use: true })
    const demanded = sent(asking({ ...format(schema), tools: [tool("a")], tool_choice: "required" }), older)
    assert.deepStrictEqual(demanded["tools"].length, 1)
    assert.deepStrictEqual(demanded["tool_choice"], { type: "any" })
  })

  it("wins over thinking, which goes with no forced tool", () => {
    assertDropped(asking({ ...format(schema), reasoning_effort: "high" }), "reasoning_effort", older)
  })

  it("is refused where no tool can be forced", () => {
    const refusal = refused(asking(format(openSchema)), { model: "claude-opus-5-5" })
    assert.strictEqual(refusal.param, "response_format.json_schema.schema")
  })
})

describe("the answer of the tool", () => {
  const call = callOf(asking(format(schema)), older)
  const used = { type: "tool_use", id: "t", name: "json", input: { city: "Oslo" } }
  const lift = (...content: ReadonlyArray<object>) =>
    Result.getOrThrow(
      AnthropicChat.lift(JSON.stringify({ id: "m", type: "message", content, stop_reason: "tool_use" }), call)
    ).body["choices"] as ReadonlyArray<{ readonly finish_reason: string; readonly message: Record<string, unknown> }>

  it("becomes the content, and the text beside it is left out", () => {
    const [choice] = lift({ type: "text", text: "Here:" }, used)
    assert.strictEqual(choice?.finish_reason, "stop")
    assert.strictEqual(choice?.message["content"], '{"city":"Oslo"}')
    assert.isUndefined(choice?.message["tool_calls"])
  })

  it("is not there when the model called another tool or none", () => {
    const [other] = lift({ ...used, name: "a" })
    assert.strictEqual(other?.finish_reason, "tool_calls")
    const [none] = lift({ type: "text", text: "I can't." })
    assert.strictEqual(none?.message["content"], "I can't.")
  })

  const start = {
    type: "message_start",
    message: { id: "m", model: "claude", usage: { input_tokens: 1, output_tokens: 1 } }
  }
  const said = [
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Here:" } },
    { type: "content_block_stop", index: 0 }
  ]
  const ends = (stop_reason: string) => [
    { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 2 } },
    { type: "message_stop" }
  ]
  const toolStart = { type: "content_block_start", index: 1, content_block: { ...used, input: {} } }

  it("streams as content", () => {
    const input = (partial_json: string) => ({
      type: "content_block_delta",
      index: 1,
      delta: { type: "input_json_delta", partial_json }
    })
    const events = replay(
      [
        frames(
          start,
          ...said,
          toolStart,
          input(""),
          input('{"city":'),
          input('"Oslo"}'),
          { type: "content_block_stop", index: 1 },
          ...ends("tool_use")
        )
      ],
      call
    )
    assert.deepStrictEqual(deltasOf(events), [
      { role: "assistant", content: "" },
      { content: '{"city":' },
      { content: '"Oslo"}' },
      {}
    ])
    assert.deepStrictEqual(kinds(events), ["lifecycle", "content", "content", "finish", "usage", "done"])
  })

  it("streams as {} when it is empty", () => {
    const events = replay(
      [frames(start, toolStart, { type: "content_block_stop", index: 1 }, ...ends("tool_use"))],
      call
    )
    assert.deepStrictEqual(deltasOf(events)[1], { content: "{}" })
  })

  it("gives way to text when the model did not call it", () => {
    const events = replay([frames(start, ...said, ...ends("end_turn"))], call)
    assert.deepStrictEqual(deltasOf(events), [{ role: "assistant", content: "" }, { content: "Here:" }, {}])
  })
})

describe("response_format, otherwise", () => {
  it("reports JSON mode without a schema", () => {
    assertDropped(asking({ response_format: { type: "json_object" } }), "response_format")
  })

  it("has nothing to say about text", () => {
    const { dropped, sent: body } = lowered(asking({ response_format: { type: "text" } }))
    assert.deepStrictEqual(dropped, [])
    assert.isUndefined(body["output_config"])
  })

  it("refuses what is no format", () => {
    assert.strictEqual(refused(asking({ response_format: { type: "grammar" } })).param, "response_format")
    assert.strictEqual(
      refused(asking({ response_format: { type: "json_schema", json_schema: { name: "x" } } })).param,
      "response_format"
    )
  })
})
