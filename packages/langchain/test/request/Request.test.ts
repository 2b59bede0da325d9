import { assert, describe, it } from "@effect/vitest"
import { tool } from "@langchain/core/tools"
import { z } from "zod"
import { z as z3 } from "zod3"
import { GatewayInputError } from "../../src/index.ts"
import { toBody, toHeaders, toWireTags } from "../../src/request/Request.ts"
import { toWireTool, toWireToolChoice } from "../../src/request/Tools.ts"

describe("the body", () => {
  it("holds what was set, a call's own values first", () => {
    const defaults = { model: "auto", temperature: 0.2, maxTokens: 10, stop: ["a"], modelKwargs: { top_k: 3 } }
    assert.deepStrictEqual(toBody(defaults, { temperature: 0, model: "fast" }), {
      model: "fast",
      temperature: 0,
      max_tokens: 10,
      stop: ["a"],
      top_k: 3
    })
  })

  it("has the fields of `modelKwargs`, where those of a call win over the model's", () => {
    const defaults = { model: "auto", reasoningEffort: "high", modelKwargs: { top_k: 3, service_tier: "auto" } }
    const options = { reasoning: { effort: "low" }, service_tier: "flex", verbosity: "low", modelKwargs: { a: 1 } }
    assert.deepStrictEqual(toBody(defaults, options), {
      model: "auto",
      reasoning_effort: "low",
      top_k: 3,
      service_tier: "flex",
      verbosity: "low",
      a: 1
    })
  })

  it("refuses a field of `reasoning` that the chat API has no place for", () => {
    const reasoning = { effort: "low", summary: "auto" } as never
    assert.throws(() => toBody({ model: "auto" }, { reasoning }), /`reasoning.summary` can't be sent/)
  })

  it("has no choice of tools without tools", () => {
    assert.deepStrictEqual(toBody({ model: "auto" }, { tools: [], tool_choice: "any", parallel_tool_calls: false }), {
      model: "auto"
    })
  })
})

describe("the headers", () => {
  it("carry the route, the session and the tags, and the caller's own", () => {
    const options = {
      route: { noFallback: true },
      endUser: "Zoë, a/b",
      guardrails: ["strict", "pii"],
      gatewayTags: ["a", "b"],
      headers: { "X-Own": "1" }
    }
    assert.deepStrictEqual(
      toHeaders({ model: "auto", route: { prefer: "cost" }, sessionId: "s-1", endUser: "x" }, options),
      {
        "X-Gateway-Route-Prefer": "cost",
        "X-Gateway-No-Fallback": "1",
        "X-Gateway-Session-Id": "s-1",
        "X-Gateway-End-User": "Zo%C3%AB%2C%20a%2Fb",
        "X-Gateway-Guardrails": "strict,pii",
        "X-Gateway-Tags": "a,b",
        "X-Own": "1"
      }
    )
    assert.deepStrictEqual(toHeaders({ model: "auto" }, {}), {})
  })

  it("are refused where the gateway would refuse them", () => {
    assert.throws(() => toHeaders({ model: "auto" }, { sessionId: "two words" }), GatewayInputError)
    assert.throws(() => toHeaders({ model: "auto" }, { endUser: "\ud800" }), /`endUser` must be text/)
    assert.throws(() => toHeaders({ model: "auto" }, { route: { prefer: "cheap" as never } }), /cost.*quality/)
  })

  it("have LangChain's tags as the gateway can hold them, without its own", () => {
    const tags = ["seq:step:1", "graph:step:3", "langsmith:hidden", "Team A", "käse", "a,b", "ok:1", "ok:1", ""]
    assert.deepStrictEqual(toWireTags(tags), ["Team-A", "k-se", "a-b", "ok:1"])
    assert.lengthOf(toWireTags(Array.from({ length: 40 }, (_, at) => `t${at}`)), 16)
    assert.lengthOf(toWireTags(["x".repeat(100)])[0]!, 64)
  })
})

describe("tools", () => {
  const parameters = { type: "object", properties: { a: { type: "number" } }, required: ["a"] }
  const description = "Doubles."

  it("become functions, whatever describes their arguments", () => {
    const forms = [
      tool(() => "", { name: "double", description, schema: z.object({ a: z.number() }) }),
      { name: "double", description, schema: z3.object({ a: z3.number() }) },
      tool(() => "", { name: "double", description, schema: parameters as never }),
      { name: "double", description, schema: z.object({ a: z.number() }) },
      { name: "double", description, input_schema: parameters },
      { type: "function", function: { name: "double", description, parameters } }
    ]
    for (const form of forms) {
      const { function: definition, type } = toWireTool(form as never, true) as {
        readonly type: string
        readonly function: { readonly parameters: object }
      }
      assert.strictEqual(type, "function")
      assert.deepInclude(definition as Record<string, unknown>, { name: "double", description, strict: true })
      assert.deepInclude(definition.parameters as Record<string, unknown>, parameters)
    }
  })

  it("are not changed by being sent", () => {
    const raw = { type: "function", function: { name: "double", parameters } }
    toWireTool(raw, true)
    assert.deepStrictEqual(raw, { type: "function", function: { name: "double", parameters } })
    assert.deepStrictEqual(toWireTool({ type: "web_search" }, undefined), { type: "web_search" })
  })

  it("that are none are refused", () => {
    assert.throws(() => toWireTool({ foo: 1 }, undefined), GatewayInputError, "LangChain tool")
    const schema = { "~standard": { version: 1, vendor: "checkers", validate: (value: unknown) => ({ value }) } }
    assert.throws(() => toWireTool({ name: "double", schema }, undefined), GatewayInputError, "the tool `double`")
  })

  it("are chosen in anybody's words", () => {
    const named = { type: "function", function: { name: "double" } }
    for (const [choice, wire] of [
      ["any", "required"],
      ["required", "required"],
      ["auto", "auto"],
      ["none", "none"],
      ["double", named],
      [named, named],
      [{ type: "tool", name: "double" }, named],
      [{ type: "any" }, "required"],
      [undefined, undefined]
    ] as const) {
      assert.deepStrictEqual(toWireToolChoice(choice), wire)
    }
  })
})
