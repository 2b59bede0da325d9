import { assert, describe, it } from "@effect/vitest"
import { asking, assertDropped, lowered, refused, sent } from "../Support.ts"

const config = (fields: object, model = "gemini-2.5-flash", maxOutput?: number) =>
  sent(asking({ ...fields }), { model, ...(maxOutput === undefined ? {} : { maxOutput }) })[
    "generationConfig"
  ] as unknown

const tool = { type: "function", function: { name: "f", parameters: { type: "object" } } }
const schema = { type: "object", properties: { a: { type: "string" } } }
const format = { type: "json_schema", json_schema: { name: "x", schema } }

describe("parameters", () => {
  it("have Google's names", () => {
    assert.deepStrictEqual(
      config(
        { temperature: 0.7, top_p: 0.9, top_k: 40, seed: 7, stop: ["a", "b"], n: 3, logprobs: true, top_logprobs: 2 },
        undefined,
        100
      ),
      {
        maxOutputTokens: 100,
        temperature: 0.7,
        topP: 0.9,
        topK: 40,
        seed: 7,
        stopSequences: ["a", "b"],
        candidateCount: 3,
        responseLogprobs: true,
        logprobs: 2
      }
    )
  })

  it("stand in the address: the model, and whether the response is streamed", () => {
    assert.strictEqual(lowered(asking()).path, "/models/gemini-3-flash-preview:generateContent")
    assert.strictEqual(
      lowered(asking({ stream: true })).path,
      "/models/gemini-3-flash-preview:streamGenerateContent?alt=sse"
    )
    assert.strictEqual(lowered(asking(), { model: "tunedModels/a b?c" }).path, "/tunedModels/a%20b%3Fc:generateContent")
  })

  it("that a model has no use for are dropped and named, or refused where nothing may be", () => {
    assertDropped(asking({ presence_penalty: 1 }), "presence_penalty", { model: "gemini-2.5-pro" })
    assertDropped(asking({ temperature: 0 }), "temperature", { model: "gemini-3.8-flash" })
    assertDropped(asking({ stop: ["1", "2", "3", "4", "5", "6"] }), "stop", { model: "gemini-2.5-pro" })
    assertDropped(asking({ logit_bias: { 1: 1 } }), "logit_bias")
    assertDropped(asking({ service_tier: "priority" }), "service_tier")
    assertDropped(asking({ parallel_tool_calls: false, tools: [tool] }), "parallel_tool_calls")
    assertDropped(asking({ extra_body: { google: { novel: 1 } } }), "extra_body.google.novel")
    assert.deepStrictEqual(
      sent(asking({ presence_penalty: 1 }), { model: "gemini-2.5-pro", vendor: "vertex" })["generationConfig"],
      { presencePenalty: 1 }
    )
  })

  it("that make no sense are refused", () => {
    assert.strictEqual(refused(asking({ temperature: "hot" })).param, "temperature")
    assert.strictEqual(refused(asking({ n: 2 })).param, "n")
    assert.strictEqual(refused(asking({ n: 9 }), { model: "gemini-2.5-flash" }).param, "n")
    assert.strictEqual(refused(asking({ modalities: ["text", "image"] })).param, "modalities")
    assert.strictEqual(refused(asking({ tool_choice: 7, tools: [tool] })).param, "tool_choice")
    assert.strictEqual(refused(asking({ functions: [{ name: "f" }] })).param, "functions")
    assert.strictEqual(refused(asking({ tools: [{ type: "web_search" }] })).param, "tools[0]")
    assert.strictEqual(refused(asking({ reasoning_effort: "huge" })).param, "reasoning_effort")
    assert.strictEqual(refused({ messages: [{ role: "assistant", content: "" }] }).param, "messages")
  })

  it("ask models that draw for what the caller wants to see", () => {
    const model = "gemini-2.5-flash-image"
    assert.deepStrictEqual(config({ modalities: ["image", "text"] }, model), { responseModalities: ["IMAGE", "TEXT"] })
    assert.isUndefined(config({}, model))
    assert.isUndefined(config({ modalities: ["text"] }))
  })
})

describe("reasoning effort", () => {
  const thinking = (effort: string, model: string, maxOutput?: number) =>
    (config({ reasoning_effort: effort }, model, maxOutput) as { thinkingConfig?: unknown } | undefined)?.thinkingConfig

  it("is a budget of tokens for Gemini 2.5", () => {
    assert.deepStrictEqual(thinking("low", "gemini-2.5-flash"), { thinkingBudget: 1_024, includeThoughts: true })
    assert.deepStrictEqual(thinking("xhigh", "gemini-2.5-flash"), { thinkingBudget: 24_576, includeThoughts: true })
    assert.deepStrictEqual(thinking("xhigh", "gemini-2.5-pro"), { thinkingBudget: 32_768, includeThoughts: true })
    assert.deepStrictEqual(thinking("none", "gemini-2.5-flash"), { thinkingBudget: 0 })
    // Thoughts count within the output limit, and must leave some of it.
    assert.deepStrictEqual(thinking("high", "gemini-2.5-pro", 1_000), { thinkingBudget: 800, includeThoughts: true })
    assert.deepStrictEqual(thinking("high", "gemini-2.5-pro", 100), { thinkingBudget: 128, includeThoughts: true })
  })

  it("is a level for Gemini 3, the nearest that is not less", () => {
    assert.deepStrictEqual(thinking("minimal", "gemini-3-flash-preview"), {
      thinkingLevel: "minimal",
      includeThoughts: true
    })
    assert.deepStrictEqual(thinking("minimal", "gemini-3.8-flash"), { thinkingLevel: "low", includeThoughts: true })
    assert.deepStrictEqual(thinking("minimal", "gemini-3.1-pro-preview"), {
      thinkingLevel: "low",
      includeThoughts: true
    })
    assert.deepStrictEqual(thinking("xhigh", "gemini-3.1-pro-preview"), {
      thinkingLevel: "high",
      includeThoughts: true
    })
    assert.deepStrictEqual(thinking("xhigh", "gemini-4-hydrogen"), { thinkingLevel: "xhigh", includeThoughts: true })
  })

  it("none, of a model that always thinks, is as little as there is, and said to be", () => {
    assertDropped(asking({ reasoning_effort: "none" }), "reasoning_effort", { model: "gemini-3.8-flash" })
    assertDropped(asking({ reasoning_effort: "none" }), "reasoning_effort", { model: "gemini-2.5-pro" })
    assert.deepStrictEqual(thinking("none", "gemini-2.5-pro"), { thinkingBudget: 128 })
    assert.deepStrictEqual(lowered(asking({ reasoning_effort: "none" }), { model: "gemini-2.0-flash" }).dropped, [])
  })

  it("gives way to Google's own field", () => {
    const extra_body = { google: { thinking_config: { thinking_budget: 7, include_thoughts: false } } }
    assert.deepStrictEqual(config({ reasoning_effort: "high", extra_body }), {
      thinkingConfig: { thinkingBudget: 7, includeThoughts: false }
    })
  })
})

describe("tools", () => {
  const choice = (tool_choice: unknown, more: object = {}) =>
    sent(asking({ tools: [tool, { type: "function", function: { name: "g" } }], tool_choice, ...more }))["toolConfig"]
      ?.functionCallingConfig as unknown

  it("are called as the caller wants", () => {
    const named = (name: string) => ({ type: "function", function: { name } })
    assert.isUndefined(choice(undefined))
    assert.deepStrictEqual(choice("auto"), { mode: "AUTO" })
    assert.deepStrictEqual(choice("none"), { mode: "NONE" })
    assert.deepStrictEqual(choice("required"), { mode: "ANY" })
    assert.deepStrictEqual(choice(named("g")), { mode: "ANY", allowedFunctionNames: ["g"] })
    const allowed = { mode: "required", tools: [named("f"), named("g")] }
    assert.deepStrictEqual(choice({ type: "allowed_tools", allowed_tools: allowed }), {
      mode: "ANY",
      allowedFunctionNames: ["f", "g"]
    })
  })

  it("that may be called but need not are the only ones that are offered", () => {
    const tool_choice = {
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "f" } }] }
    }
    const body = sent(asking({ tools: [tool, { type: "function", function: { name: "g" } }], tool_choice }))
    assert.deepStrictEqual(
      body["tools"][0].functionDeclarations.map(({ name }: { name: string }) => name),
      ["f"]
    )
    assert.deepStrictEqual(body["toolConfig"].functionCallingConfig, { mode: "AUTO" })
  })

  it("with strict arguments are validated", () => {
    const strict = { type: "function", function: { name: "f", parameters: schema, strict: true } }
    assert.deepStrictEqual(sent(asking({ tools: [strict] }))["toolConfig"], {
      functionCallingConfig: { mode: "VALIDATED" }
    })
  })

  it("of Google's own go as they are, but for callers who want no tool at all", () => {
    const tools = [{ googleSearch: {} }, tool]
    assert.deepStrictEqual(sent(asking({ tools }))["tools"].map(Object.keys), [
      ["functionDeclarations"],
      ["googleSearch"]
    ])
    assert.deepStrictEqual(sent(asking({ tools, tool_choice: "none" }))["tools"].map(Object.keys), [
      ["functionDeclarations"]
    ])
  })
})

describe("a JSON schema for the answer", () => {
  const both = { tools: [tool], response_format: format }

  it("is native, beside tools for Gemini 3 alone", () => {
    const native = { responseMimeType: "application/json", responseJsonSchema: schema }
    assert.deepStrictEqual(config({ response_format: format }), native)
    assert.deepStrictEqual(config({ response_format: { type: "json_object" } }), {
      responseMimeType: "application/json"
    })
    assert.deepStrictEqual(config(both, "gemini-3-flash-preview"), native)
  })

  it("is a tool that has to be called where it goes with no others, and names no schema where one of the caller's has to", () => {
    const body = sent(asking(both), { model: "gemini-2.5-flash" })
    assert.notProperty(body, "generationConfig")
    assert.deepStrictEqual(
      body["tools"][0].functionDeclarations.map(({ name }: { name: string }) => name),
      ["f", "json"]
    )
    assert.deepStrictEqual(body["toolConfig"].functionCallingConfig, { mode: "ANY" })
    assert.notProperty(sent(asking({ ...both, tool_choice: "required" })), "generationConfig")
  })

  it("without which there is no JSON mode beside tools is dropped and named", () => {
    const loose = { tools: [tool], response_format: { type: "json_object" } }
    assertDropped(asking(loose), "response_format", { model: "gemini-2.5-flash" })
  })
})
