/** Turns a complete message into the events of a stream, for providers that response a stream request with one. */
import type { LiftedAnswer, StreamEvent } from "../../../core/operations/LiftedAnswer.ts"
import { objectOr, objectsIn, type JsonObject } from "../../json/LooseJson.ts"

/** In stream order; the usage if it was reported; the end mark. */
export const messageEvents = ({ body, serviceTier, usage }: LiftedAnswer): ReadonlyArray<StreamEvent> => {
  const { content, stop_details: details, stop_reason: reason, stop_sequence: sequence, usage: told, ...rest } = body
  const events: Array<StreamEvent> = []
  const say = (kind: "lifecycle" | "content" | "finish", event: JsonObject) =>
    events.push({ kind, data: JSON.stringify(event) })
  const counted = objectOr(told)
  const start = {
    ...rest,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...counted, output_tokens: 0 }
  }
  say("lifecycle", { type: "message_start", message: start })
  for (const [index, block] of objectsIn(content).entries()) {
    const { begun, deltas } = pieces(block)
    say(deltas.length === 0 ? "content" : "lifecycle", { type: "content_block_start", index, content_block: begun })
    for (const delta of deltas) say("content", { type: "content_block_delta", index, delta })
    say("lifecycle", { type: "content_block_stop", index })
  }
  const delta = {
    stop_reason: reason ?? null,
    stop_sequence: sequence ?? null,
    ...(details === undefined ? undefined : { stop_details: details })
  }
  say("finish", { type: "message_delta", delta, ...(told === undefined ? undefined : { usage: told }) })
  say("lifecycle", { type: "message_stop" })
  if (usage !== undefined) events.push({ kind: "usage", usage, serviceTier, data: "" })
  events.push({ kind: "done" })
  return events
}

/** The beginning of a block, and what follows. Blocks of the vendor's own tools come in one piece. */
const pieces = (block: JsonObject): { readonly begun: JsonObject; readonly deltas: ReadonlyArray<JsonObject> } => {
  switch (block["type"]) {
    case "text": {
      const { citations, ...begun } = block
      return {
        begun: { ...begun, text: "" },
        deltas: [
          ...objectsIn(citations).map((citation) => ({ type: "citations_delta", citation })),
          { type: "text_delta", text: block["text"] }
        ]
      }
    }
    case "thinking":
      return {
        begun: { ...block, thinking: "", signature: "" },
        deltas: [
          { type: "thinking_delta", thinking: block["thinking"] },
          { type: "signature_delta", signature: block["signature"] }
        ]
      }
    case "tool_use":
    case "server_tool_use":
      return {
        begun: { ...block, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(block["input"] ?? {}) }]
      }
    default:
      return { begun: block, deltas: [] }
  }
}
