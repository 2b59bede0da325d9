import { assert, describe, it } from "@effect/vitest"
import { ask, jsonOf, tool, toolMessage, user } from "./Ask.ts"

describe("demoAnswer: tools", () => {
  const add = tool("add", {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"]
  })
  const weather = tool("get_weather", { type: "object", properties: { city: { type: "string" } }, required: ["city"] })
  const callsOf = (fields: object) =>
    (jsonOf(ask(fields)).choices[0].message.tool_calls ?? []).map(
      (call: { function: { name: string; arguments: string } }) => [
        call.function.name,
        JSON.parse(call.function.arguments)
      ]
    )

  it("calls the tool the prompt is about, with arguments from the prompt", () => {
    const { choices, usage } = jsonOf(ask({ messages: [user("What is 23 plus 7.5?")], tools: [add] }))
    const [choice] = choices
    assert.strictEqual(choice.finish_reason, "tool_calls")
    assert.isNull(choice.message.content)
    assert.match(choice.message.tool_calls[0].id, /^call_[A-Za-z0-9]+$/)
    assert.strictEqual(choice.message.tool_calls[0].type, "function")
    assert.deepStrictEqual(JSON.parse(choice.message.tool_calls[0].function.arguments), { a: 23, b: 7.5 })
    assert.isAbove(usage.completion_tokens, 1)
  })

  it("calls several when the prompt quotes several, in its order, or one when they may not be parallel", () => {
    const fields = { messages: [user('Use "get_weather" for Paris, then `add` 1 and 2.')], tools: [add, weather] }
    assert.deepStrictEqual(callsOf(fields), [
      ["get_weather", { city: "Paris" }],
      ["add", { a: 1, b: 2 }]
    ])
    assert.lengthOf(callsOf({ ...fields, parallel_tool_calls: false }), 1)
    const ids = jsonOf(ask(fields)).choices[0].message.tool_calls.map((call: { id: string }) => call.id)
    assert.strictEqual(new Set(ids).size, 2)
  })

  it("is not fooled by names inside other words", () => {
    assert.deepStrictEqual(
      callsOf({ messages: [user("My address in Oslo?")], tools: [weather, add] }).map(([name]: [string]) => name),
      ["get_weather"]
    )
  })

  it("honours tool_choice: none, required, a named one, a set of allowed ones", () => {
    const fields = { messages: [user("hi")], tools: [add, weather] }
    assert.deepStrictEqual(callsOf({ ...fields, tool_choice: "none" }), [])
    assert.lengthOf(callsOf({ ...fields, tool_choice: "required" }), 1)
    const named = { type: "function", function: { name: "get_weather" } }
    assert.strictEqual(callsOf({ ...fields, tool_choice: named })[0][0], "get_weather")
    const allowed = { type: "allowed_tools", allowed_tools: { mode: "required", tools: [named] } }
    assert.strictEqual(callsOf({ ...fields, tool_choice: allowed })[0][0], "get_weather")
  })

  it("stops calling once a tool has answered, unless it is told to or asked anew by name", () => {
    const history = [
      user("What is 1 plus 2? Use add."),
      { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: {} }] },
      toolMessage("3")
    ]
    const fields = { messages: history, tools: [add, weather] }
    assert.deepStrictEqual(callsOf(fields), [])
    assert.strictEqual(jsonOf(ask(fields)).choices[0].finish_reason, "stop")
    assert.deepStrictEqual(callsOf({ ...fields, messages: [...history, user("Thank you!")] }), [])
    assert.lengthOf(callsOf({ ...fields, messages: [...history, user("Now get_weather in Rome.")] }), 1)
    assert.lengthOf(callsOf({ ...fields, tool_choice: "required" }), 1)
  })

  it("two tools that are asked about one thing both get it", () => {
    const time = tool("get_time", { type: "object", properties: { city: { type: "string" } }, required: ["city"] })
    const messages = [user("Use get_weather and get_time to tell me about Lisbon.")]
    assert.deepStrictEqual(callsOf({ tools: [weather, time], messages }), [
      ["get_weather", { city: "Lisbon" }],
      ["get_time", { city: "Lisbon" }]
    ])
  })

  it("where calls are insisted on, every tool has its turn before one is called again", () => {
    const called = (name: string) => [
      { role: "assistant", content: null, tool_calls: [{ id: name, type: "function", function: { name } }] },
      toolMessage("done")
    ]
    const fields = { tools: [weather, add], tool_choice: "required" }
    const asked = user("Use get_weather for Rome.")
    const toolAfter = (...messages: ReadonlyArray<object>) => callsOf({ ...fields, messages })[0][0]
    assert.strictEqual(toolAfter(asked), "get_weather")
    assert.strictEqual(toolAfter(asked, ...called("get_weather")), "add")
    assert.strictEqual(toolAfter(asked, ...called("get_weather"), ...called("add")), "get_weather")
    assert.strictEqual(toolAfter(asked, ...called("get_weather"), user("And get_weather for Oslo?")), "get_weather")
  })

  it("a tool without parameters is called with an empty object", () => {
    assert.deepStrictEqual(callsOf({ tools: [{ type: "function", function: { name: "now" } }] }), [["now", {}]])
  })

  it("refuses a tool_choice that names no tool, and one without tools", () => {
    const other = { type: "function", function: { name: "nope" } }
    const answer = ask({ tools: [add], tool_choice: other })
    assert.strictEqual(answer.status, 400)
    assert.strictEqual(jsonOf(answer).error.param, "tool_choice")
    assert.strictEqual(ask({ tool_choice: "required" }).status, 400)
    assert.strictEqual(ask({ tools: [add], tool_choice: "sometimes" }).status, 400)
    assert.strictEqual(ask({ tool_choice: "auto" }).status, 200)
  })
})
