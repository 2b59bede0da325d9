/** An Anthropic, played: it calls the first tool it is given once, and otherwise says a sentence. */
import type { Asked, Reply } from "../../support/Upstream.ts"
import { event } from "../../support/Upstream.ts"

const usage = { input_tokens: 20, output_tokens: 9 }
const head = { id: "msg_claude", type: "message", role: "assistant", model: "claude-haiku-4-5" }
const thinking = { type: "thinking", thinking: "Let me see.", signature: "c2lnbmVk" }

type Block = Readonly<Record<string, unknown>>

const blocksFor = (body: Asked["body"]): ReadonlyArray<Block> => {
  const isAnswered = JSON.stringify(body.messages.at(-1)).includes("tool_result")
  if (body.tools === undefined || isAnswered) return [thinking, { type: "text", text: textFor(body) }]
  const { input_schema: schema, name } = body.tools[0]
  const fields = Object.keys(schema.properties ?? {})
  const input = Object.fromEntries(fields.map((field) => [field, "Paris"]))
  return [thinking, { type: "text", text: "I ask." }, { type: "tool_use", id: "toolu_1", name, input }]
}

const textFor = (body: Asked["body"]): string =>
  body.output_config?.format === undefined ? "Here is an answer." : '{"mood":"good"}'

export const claude = ({ body }: Asked): Reply => {
  const blocks = blocksFor(body)
  const stop_reason = blocks.some((block) => block["type"] === "tool_use") ? "tool_use" : "end_turn"
  if (body.stream !== true) return { body: { ...head, content: blocks, stop_reason, stop_sequence: null, usage } }
  const say = (data: { readonly type: string }) => `event: ${data.type}\n${event(data)}`
  return {
    body: [
      say({ type: "message_start", message: { ...head, content: [], stop_reason: null, usage } } as never),
      ...blocks.flatMap((block, index) => pieces(block).map((data) => say({ ...data, index } as never))),
      say({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage } as never),
      say({ type: "message_stop" })
    ]
  }
}

const pieces = (block: Block): ReadonlyArray<{ readonly type: string }> => {
  const start = (content_block: object) => ({ type: "content_block_start", content_block })
  const delta = (one: object) => ({ type: "content_block_delta", delta: one })
  const stop = { type: "content_block_stop" }
  switch (block["type"]) {
    case "thinking":
      return [
        start({ type: "thinking", thinking: "", signature: "" }),
        delta({ type: "thinking_delta", thinking: block["thinking"] }),
        delta({ type: "signature_delta", signature: block["signature"] }),
        stop
      ]
    case "text":
      return [start({ type: "text", text: "" }), delta({ type: "text_delta", text: block["text"] }), stop]
    default: {
      const json = JSON.stringify(block["input"])
      return [
        start({ ...block, input: {} }),
        delta({ type: "input_json_delta", partial_json: json.slice(0, 5) }),
        delta({ type: "input_json_delta", partial_json: json.slice(5) }),
        stop
      ]
    }
  }
}
