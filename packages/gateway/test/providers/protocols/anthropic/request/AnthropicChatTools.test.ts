import { assert, describe, it } from "@effect/vitest"
import { asking, assertDropped, lowered, refused, sent } from "../Support.ts"

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
const tool = (name: string, more: object = {}) => ({ type: "function", function: { name, parameters, ...more } })
const named = (name: string) => ({ type: "function", function: { name } })
const two = [tool("a"), tool("b")]

describe("tools", () => {
  it("sends name, description and schema", () => {
    const [first] = sent(asking({ tools: [tool("weather", { description: "Tells it." })] }))["tools"]
    assert.deepStrictEqual(first, { name: "weather", description: "Tells it.", input_schema: parameters })
  })

  it("gives a tool without parameters an object schema", () => {
    const body = sent(
      asking({ tools: [{ type: "function", function: { name: "now" } }, tool("x", { parameters: {} })] })
    )
    assert.deepStrictEqual(body["tools"][0].input_schema, { type: "object", properties: {} })
    assert.deepStrictEqual(body["tools"][1].input_schema, { type: "object" })
  })

  it("passes a cache mark on a tool", () => {
    const cache_control = { type: "ephemeral" }
    assert.deepStrictEqual(
      sent(asking({ tools: [{ ...tool("a"), cache_control }] }))["tools"][0].cache_control,
      cache_control
    )
  })

  it("asks for strict arguments where the model can, with a schema it takes", () => {
    const limited = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] }
    const [first] = sent(asking({ tools: [tool("a", { strict: true, parameters: limited })] }))["tools"]
    assert.isTrue(first.strict)
    assert.deepStrictEqual(first.input_schema, {
      type: "object",
      required: ["n"],
      properties: { n: { type: "integer", description: "minimum: 1." } },
      additionalProperties: false
    })
  })

  it("reports strict where model or schema can't", () => {
    assertDropped(asking({ tools: [tool("a", { strict: true })] }), "tools.function.strict", {
      model: "claude-sonnet-4-0"
    })
    const open = { type: "object", additionalProperties: { type: "string" } }
    assertDropped(asking({ tools: [tool("a", { strict: true, parameters: open })] }), "tools.function.strict")
    assert.deepStrictEqual(
      lowered(asking({ tools: [tool("a", { strict: true, parameters: open })] })).sent["tools"][0].input_schema,
      open
    )
  })

  it("passes Anthropic's own tools on and refuses other vendors'", () => {
    const search = { type: "web_search_20250305", name: "web_search", max_uses: 2 }
    assert.deepStrictEqual(sent(asking({ tools: [search] }))["tools"], [search])
    assert.strictEqual(
      refused(asking({ tools: [tool("a"), { type: "custom", custom: { name: "x" } }] })).param,
      "tools[1]"
    )
  })

  it("declares tools that are only in the history, not to be called again", () => {
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "old", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c", content: "1" }
    ]
    const body = sent({ messages })
    assert.deepStrictEqual(body["tools"], [{ name: "old", input_schema: { type: "object", properties: {} } }])
    assert.deepStrictEqual(body["tool_choice"], { type: "none" })
  })
})

describe("tool_choice", () => {
  const choice = (tool_choice: unknown, more: object = {}) =>
    sent(asking({ tools: two, tool_choice, ...more }))["tool_choice"]

  it("translates auto, required, named and none", () => {
    assert.deepStrictEqual(choice("auto"), { type: "auto" })
    assert.deepStrictEqual(choice("required"), { type: "any" })
    assert.deepStrictEqual(choice(named("b")), { type: "tool", name: "b" })
    assert.deepStrictEqual(choice("none"), { type: "none" })
    assert.isUndefined(choice(null))
  })

  it("keeps the tools with none", () => {
    assert.strictEqual(sent(asking({ tools: two, tool_choice: "none" }))["tools"].length, 2)
  })

  it("switches parallel calls off within it", () => {
    const off = { disable_parallel_tool_use: true }
    assert.deepStrictEqual(choice(undefined, { parallel_tool_calls: false }), { type: "auto", ...off })
    assert.deepStrictEqual(choice("required", { parallel_tool_calls: false }), { type: "any", ...off })
    assert.deepStrictEqual(choice(named("a"), { parallel_tool_calls: false }), { type: "tool", name: "a", ...off })
    assert.deepStrictEqual(choice("none", { parallel_tool_calls: false }), { type: "none" })
    assert.isUndefined(choice(undefined, { parallel_tool_calls: true }))
  })

  it("offers the allowed tools only", () => {
    const allowed = { type: "allowed_tools", allowed_tools: { mode: "required", tools: [named("b")] } }
    const body = sent(asking({ tools: two, tool_choice: allowed }))
    assert.deepStrictEqual(
      body["tools"].map(({ name }: { name: string }) => name),
      ["b"]
    )
    assert.deepStrictEqual(body["tool_choice"], { type: "any" })
  })

  it("is not sent without tools", () => {
    const body = sent(asking({ tool_choice: "required", tools: [], parallel_tool_calls: false }))
    assert.isUndefined(body["tool_choice"])
    assert.isUndefined(body["tools"])
  })

  it("is weakened and reported where the model can't be forced", () => {
    const model = "claude-opus-5-5"
    assertDropped(asking({ tools: two, tool_choice: "required" }), "tool_choice", { model })
    const body = sent(asking({ tools: two, tool_choice: named("b") }), { model })
    assert.deepStrictEqual(
      body["tools"].map(({ name }: { name: string }) => name),
      ["b"]
    )
    assert.deepStrictEqual(body["tool_choice"], { type: "auto" })
  })

  it("refuses what it does not know", () => {
    assert.strictEqual(
      refused(asking({ tools: two, tool_choice: { type: "custom", custom: { name: "a" } } })).param,
      "tool_choice"
    )
  })
})
