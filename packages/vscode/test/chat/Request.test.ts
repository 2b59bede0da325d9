import { assert, describe, it } from "@effect/vitest"
import { callOptionsOf, requestOf } from "../../src/chat/Request.ts"
import type { Asked, Turn } from "../../src/chat/Turns.ts"
import { model } from "../support/Models.ts"

const turn = (text: string): Turn => ({ role: "user", parts: [{ kind: "text", text }] })

const asked = (more: Partial<Asked> = {}): Asked => ({
  turns: [turn("Hello")],
  tools: [],
  mustCall: false,
  options: {},
  chosen: {},
  ...more
})

const { signal } = new AbortController()

describe("what is asked", () => {
  it("is the gateway's model, with the usage at the end", () => {
    assert.deepStrictEqual(requestOf(model({ id: "Work/auto", model: "auto" }), asked()), {
      model: "auto",
      messages: [{ role: "user", content: "Hello" }],
      stream_options: { include_usage: true }
    })
  })

  it("has the tools, and says where one must be called", () => {
    const tools = [{ name: "read", description: "Reads", inputSchema: undefined }]
    const request = requestOf(model(), asked({ tools, mustCall: true }))
    assert.deepStrictEqual(request.tools, [
      {
        type: "function",
        function: { name: "read", description: "Reads", parameters: { type: "object", properties: {} } }
      }
    ])
    assert.strictEqual(request.tool_choice, "required")
    assert.notProperty(requestOf(model(), asked({ mustCall: true })), "tool_choice")
  })

  it("takes an extension's options, but neither another model nor the editor's own marks", () => {
    const options = { temperature: 0, model: "dear/one", messages: [], n: 100, _token: "x" }
    const request = requestOf(model({ model: "demo/mini" }), asked({ options }))
    assert.deepStrictEqual(Object.keys(request).toSorted(), ["messages", "model", "stream_options", "temperature"])
    assert.strictEqual(request.model, "demo/mini")
  })

  it("takes what was chosen in the picker", () => {
    const chosen = { reasoningEffort: "high", routing: "cost" }
    assert.strictEqual(requestOf(model(), asked({ chosen }))["reasoning_effort"], "high")
    assert.strictEqual(callOptionsOf(asked({ chosen }), signal).prefer, "cost")
    const usual = { reasoningEffort: "default", routing: "balanced" }
    assert.notProperty(requestOf(model(), asked({ chosen: usual })), "reasoning_effort")
    assert.notProperty(callOptionsOf(asked({ chosen: usual }), signal), "prefer")
  })
})

describe("a conversation", () => {
  const sessionOf = (...turns: ReadonlyArray<Turn>) => callOptionsOf(asked({ turns }), signal).session

  it("keeps its session as it grows, and another one has another", () => {
    const first = sessionOf(turn("Hello"))
    assert.strictEqual(sessionOf(turn("Hello"), { role: "assistant", parts: [] }, turn("More")), first)
    assert.notStrictEqual(sessionOf(turn("Bye")), first)
  })

  it("is not told by its session's name", () => {
    assert.match(sessionOf(turn("Hello")) ?? "", /^vscode-[0-9a-f]{24}$/)
  })
})
