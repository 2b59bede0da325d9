import { assert, describe, it } from "@effect/vitest"
import { secretRule } from "@model-gateway/protocol"
import type { JsonObject } from "../../../gateway/src/core/domain/Json.ts"
import { chat } from "../../../gateway/src/core/operations/chat/Chat.ts"
import { messages } from "../../../gateway/src/core/operations/messages/Messages.ts"
import type { Operation } from "../../../gateway/src/core/operations/Operation.ts"
import { receipt } from "../../../gateway/test/telemetry/Receipts.ts"
import { contentOf } from "../../src/content/ContentRecord.ts"

const KEY = `ghp_${"aB3".repeat(12)}`
const redact = [{ check: "secrets", action: "mask", rule: secretRule }] as const

const recordOf = (operation: Operation, request: JsonObject, events: ReadonlyArray<JsonObject>) =>
  contentOf(
    {
      receipt: receipt(),
      operation,
      level: "full",
      request,
      response: undefined,
      events: events.map((event) => JSON.stringify(event)),
      isCut: false
    },
    { redact, mostCharacters: 10_000 }
  )

const chunk = (delta: JsonObject) => ({ id: "c", choices: [{ index: 0, delta, finish_reason: null }] })
const callChunk = (fn: JsonObject) => chunk({ tool_calls: [{ index: 0, function: fn }] })

describe("the record of a request", () => {
  it("joins the pieces of a streamed chat: reasoning, text and arguments, with secrets in names struck out", () => {
    const { output } = recordOf(chat, { messages: [] }, [
      chunk({ role: "assistant", content: "" }),
      chunk({ reasoning_content: "Think" }),
      chunk({ reasoning_content: "ing" }),
      chunk({ content: "The key is ghp_" }),
      chunk({ content: `${KEY.slice(4)}.` }),
      chunk({ tool_calls: [{ index: 0, id: "t", type: "function", function: { name: "send", arguments: "" } }] }),
      callChunk({ arguments: `{"${KEY}":` }),
      callChunk({ arguments: "1}" })
    ])
    assert.deepStrictEqual(output[0]?.parts, [
      { type: "reasoning", content: "Thinking", length: 8 },
      { type: "text", content: "The key is <SECRET>.", length: 52 },
      { type: "tool_call", name: "send", arguments: '{"<SECRET>":1}', length: 46 }
    ])
  })

  it("joins the blocks of streamed messages, and keeps instructions, documents and results of tools apart", () => {
    const block = (index: number, content_block: JsonObject) => ({ type: "content_block_start", index, content_block })
    const delta = (index: number, one: JsonObject) => ({ type: "content_block_delta", index, delta: one })
    const { input, output, system, tools } = recordOf(
      messages,
      {
        system: [{ type: "text", text: "Brief." }],
        tools: [{ name: "send", input_schema: {} }],
        messages: [
          { role: "assistant", content: [{ type: "tool_use", id: "t", name: "send", input: { to: KEY } }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "sent" }] }
        ]
      },
      [
        block(0, { type: "text", text: "" }),
        delta(0, { type: "text_delta", text: "No" }),
        delta(0, { type: "text_delta", text: "w" }),
        block(1, { type: "tool_use", id: "u", name: "send", input: {} }),
        delta(1, { type: "input_json_delta", partial_json: '{"to":' }),
        delta(1, { type: "input_json_delta", partial_json: '"a"}' })
      ]
    )
    assert.deepStrictEqual(system, [{ type: "text", content: "Brief.", length: 6 }])
    assert.strictEqual(tools, '[{"name":"send","input_schema":{}}]')
    assert.deepStrictEqual(
      input.map(({ parts, role }) => [role, parts[0]]),
      [
        ["assistant", { type: "tool_call", name: "send", arguments: '{"to":"<SECRET>"}', length: 49 }],
        ["tool", { type: "tool_call_response", response: "sent", length: 4 }]
      ]
    )
    assert.deepStrictEqual(output[0]?.parts, [
      { type: "text", content: "Now", length: 3 },
      { type: "tool_call", name: "send", arguments: '{"to":"a"}', length: 10 }
    ])
  })
})
