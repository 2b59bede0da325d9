import { assert, describe, it } from "@effect/vitest"
import { asking, assertDropped, lowered, refused, sent, type CallChanges } from "../Support.ts"

const effort = (reasoning_effort: string, aim: CallChanges = {}) => sent(asking({ reasoning_effort }), aim)

describe("reasoning_effort on models that steer themselves", () => {
  const model = "claude-opus-4-6"

  it("is passed as effort", () => {
    const body = effort("medium", { model })
    assert.deepStrictEqual(body["thinking"], { type: "adaptive" })
    assert.deepStrictEqual(body["output_config"], { effort: "medium" })
  })

  it("takes the nearest that the model has", () => {
    assert.strictEqual(effort("minimal", { model })["output_config"].effort, "low")
    assert.strictEqual(effort("xhigh", { model })["output_config"].effort, "max")
    assert.strictEqual(effort("xhigh", { model: "claude-opus-4-7" })["output_config"].effort, "xhigh")
  })

  it("asks for summaries where thoughts would come back empty", () => {
    assert.deepStrictEqual(effort("high", { model: "claude-opus-4.8" })["thinking"], {
      type: "adaptive",
      display: "summarized"
    })
  })

  it("none switches thinking off in so many words, for some think unasked", () => {
    assert.deepStrictEqual(effort("none", { model: "claude-sonnet-5" })["thinking"], { type: "disabled" })
  })

  it("none is the least where it can't be switched off, and reported", () => {
    assert.deepStrictEqual(effort("none", { model: "claude-fable-5" })["output_config"], { effort: "low" })
    assert.deepStrictEqual(effort("none", { model: "claude-sonnet-5-5" })["thinking"], { type: "between_tools" })
    assertDropped(asking({ reasoning_effort: "none" }), "reasoning_effort", { model: "claude-fable-5" })
  })

  it("allows a forced tool", () => {
    const body = sent(
      asking({
        reasoning_effort: "low",
        tools: [{ type: "function", function: { name: "a" } }],
        tool_choice: "required"
      }),
      { model }
    )
    assert.deepStrictEqual(body["tool_choice"], { type: "any" })
    assert.deepStrictEqual(body["thinking"], { type: "adaptive" })
  })
})

describe("reasoning_effort on models with a budget", () => {
  it("is a part of the output, at least 1,024 tokens and less than all of it", () => {
    const budgets = ["minimal", "low", "medium", "high", "xhigh"].map(
      (level) => effort(level, { maxOutput: 10_000 })["thinking"]
    )
    assert.deepStrictEqual(
      budgets.map(({ budget_tokens: budget }) => budget),
      [1_024, 2_000, 5_000, 8_000, 9_000]
    )
    for (const budget of budgets) assert.strictEqual(budget.type, "enabled")
  })

  it("does not change max_tokens, which the chat API counts thoughts into", () => {
    assert.strictEqual(effort("high", { maxOutput: 10_000 })["max_tokens"], 10_000)
  })

  it("is reported where there is no room for it", () => {
    assertDropped(asking({ reasoning_effort: "low" }), "reasoning_effort", { maxOutput: 1_024 })
    assert.deepStrictEqual(effort("low", { maxOutput: 1_025 })["thinking"], { type: "enabled", budget_tokens: 1_024 })
  })

  it("gives way to a forced tool and to a prefill", () => {
    const tools = [{ type: "function", function: { name: "a" } }]
    assertDropped(asking({ reasoning_effort: "low", tools, tool_choice: "required" }), "reasoning_effort")
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "I" }
    ]
    assertDropped({ messages, reasoning_effort: "low" }, "reasoning_effort")
  })

  it("gives way where an open tool call came without signed thoughts", () => {
    const opened = (more: object) => ({
      reasoning_effort: "low",
      tools: [{ type: "function", function: { name: "a" } }],
      messages: [
        { role: "user", content: "Hi" },
        {
          role: "assistant",
          tool_calls: [{ id: "c", type: "function", function: { name: "a", arguments: "{}" } }],
          ...more
        },
        { role: "tool", tool_call_id: "c", content: "1" }
      ]
    })
    assertDropped(opened({ reasoning_content: "Hm." }), "reasoning_effort")
    const thinking_blocks = [{ type: "thinking", thinking: "Hm.", signature: "sig" }]
    assert.strictEqual(sent(opened({ thinking_blocks }))["thinking"].type, "enabled")
  })

  it("is reported on models that do not think, where none is granted", () => {
    assertDropped(asking({ reasoning_effort: "low" }), "reasoning_effort", { model: "claude-3-5-haiku-latest" })
    const { dropped, sent: body } = lowered(asking({ reasoning_effort: "none" }), { model: "claude-3-5-haiku-latest" })
    assert.deepStrictEqual(dropped, [])
    assert.isUndefined(body["thinking"])
  })
})

describe("thinking in Anthropic's own words", () => {
  it("is passed as it is and wins", () => {
    const thinking = { type: "enabled", budget_tokens: 2_000 }
    assert.deepStrictEqual(sent(asking({ thinking, reasoning_effort: "high" }))["thinking"], thinking)
  })

  it("gives way to a forced tool as well", () => {
    const body = {
      tools: [{ type: "function", function: { name: "a" } }],
      tool_choice: "required",
      thinking: { type: "enabled", budget_tokens: 2_000 }
    }
    assertDropped(asking(body), "thinking")
  })
})

it("refuses an effort nobody knows", () => {
  assert.strictEqual(refused(asking({ reasoning_effort: "colossal" })).param, "reasoning_effort")
})
