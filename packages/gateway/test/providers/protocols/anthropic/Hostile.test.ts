import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { AnthropicChat, AnthropicProtocol } from "../../../../src/providers/protocols/anthropic/AnthropicProtocol.ts"
import { hasData } from "../../../support/Transcripts.ts"
import { callFor, exchanges, seeded, textOf } from "./Recordings.ts"
import { asking, callOf, frames, kinds, refused, replay, sent } from "./Support.ts"

/** Deeper than anything that recursion can follow. */
const deep = `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`

describe("nesting beyond measure", () => {
  it("in the arguments of a call is refused", () => {
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: deep } }] }
    ]
    assert.strictEqual(refused({ messages }).param, "messages[1].tool_calls[0].function.arguments")
  })

  it("made of references goes the way of schemas that can't be held to", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }])
    )
    const schema = { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, required: ["a"], $defs }
    const body = sent(asking({ response_format: { type: "json_schema", json_schema: { name: "n", schema } } }))
    assert.strictEqual(body["tool_choice"].name, "json")
  })

  it("in an answer is no answer, in an event no event", () => {
    const block = `{"type":"tool_use","id":"a","name":"f","input":${deep}}`
    const lifted = AnthropicChat.lift(`{"id":"m","type":"message","content":[${block}]}`, callOf(asking()))
    assert.strictEqual(Result.getOrThrow(Result.flip(lifted)).class, "truncated")
    const event = `data: {"type":"content_block_start","index":0,"content_block":${block}}\n\n`
    const start = frames({ type: "message_start", message: { id: "m", model: "c" } })
    assert.deepStrictEqual(kinds(replay([start, Buffer.from(event)], callOf(asking()))), ["malformed"])
  })
})

describe("an answer that is not whole", () => {
  it("is no answer where a tool call has no name or id", () => {
    for (const block of [{ type: "tool_use", id: "a" }, { type: "tool_use", name: "f", input: {} }, 7, null]) {
      const lifted = AnthropicChat.lift(JSON.stringify({ id: "m", content: [block] }), callOf(asking()))
      assert.strictEqual(Result.getOrThrow(Result.flip(lifted)).class, "truncated")
    }
  })
})

describe.skipIf(!hasData)("recordings with values put in the wrong places", () => {
  const wrong = ["null", "[]", "{}", '""', "7", "-1", "true", '{"type":"text"}', "[[null]]"]
  const random = seeded(11)
  /** Some JSON values of the text replaced by others. */
  const spoil = (text: string): string =>
    text.replace(/(?<=":)(?:"[^"\\]*"|\d+|null|\{\}|\[\])/g, (value) =>
      random() < 0.05 ? wrong[Math.floor(random() * wrong.length)]! : value
    )

  it("crash nothing, and whatever is said is JSON", () => {
    let outcomes = 0
    for (const exchange of exchanges) {
      const call = callFor(exchange)
      for (let round = 0; round < 5; round++) {
        const text = spoil(textOf(exchange))
        if (exchange.streamed) {
          for (const event of replay([Buffer.from(text)], call))
            if ("data" in event) assert.isObject(JSON.parse(event.data))
        } else {
          const lifted = AnthropicChat.lift(text, call)
          if (Result.isSuccess(lifted)) assert.isString(JSON.stringify(lifted.success.body))
          assert.isString(AnthropicProtocol.failure({ status: 400, headers: {}, text }).message)
        }
        outcomes++
      }
    }
    assert.strictEqual(outcomes, exchanges.length * 5)
  })

  it("crash no request either: it goes out or names what is wrong", () => {
    const counts = { sent: 0, refused: 0 }
    const source = JSON.stringify({
      messages: [
        { role: "system", content: [{ type: "text", text: "S" }] },
        {
          role: "user",
          content: [
            { type: "text", text: "U" },
            { type: "image_url", image_url: { url: "https://a.b/c.png" } }
          ]
        },
        {
          role: "assistant",
          content: "A",
          thinking_blocks: [{ type: "thinking", thinking: "T", signature: "x" }],
          tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }]
        },
        { role: "tool", tool_call_id: "c", content: [{ type: "text", text: "R" }] }
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "f",
            strict: true,
            parameters: { type: "object", properties: { a: { type: "string" } }, required: [] }
          }
        }
      ],
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "f" } }] }
      },
      response_format: {
        type: "json_schema",
        json_schema: { name: "n", schema: { type: "object", properties: {}, $ref: "#/$defs/a" } }
      },
      stop: ["a", "b"],
      temperature: 1,
      reasoning_effort: "low",
      service_tier: "auto",
      user: "u"
    })
    for (let round = 0; round < 3_000; round++) {
      const body = JSON.parse(spoil(source)) as Record<string, unknown>
      const model = ["claude-sonnet-4-5", "claude-3-haiku", "claude-opus-5-5"][round % 3]!
      const result = AnthropicChat.lower(callOf(body, { model }))
      counts[Result.isSuccess(result) ? "sent" : "refused"]++
      if (Result.isFailure(result)) assert.isNotEmpty(result.failure.param)
    }
    assert.isAbove(counts.sent, 100)
    assert.isAbove(counts.refused, 100)
  })
})
