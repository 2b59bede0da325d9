/** The events of a stream, as Anthropic sends them. */
import type { StreamEvent } from "../../../../../src/core/operations/LiftedAnswer.ts"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import { asking, callOf, frames, replay } from "../Support.ts"

export const start = (
  usage: JsonObject = { input_tokens: 5, output_tokens: 1 },
  more: JsonObject = {}
): JsonObject => ({
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", model: "claude-x", content: [], usage, ...more }
})
export const open = (index: number, content_block: JsonObject): JsonObject => ({
  type: "content_block_start",
  index,
  content_block
})
export const delta = (index: number, value: JsonObject): JsonObject => ({
  type: "content_block_delta",
  index,
  delta: value
})
export const close = (index: number): JsonObject => ({ type: "content_block_stop", index })
export const ends = (stop_reason: string, usage: JsonObject = { output_tokens: 9 }, more: JsonObject = {}) => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null, ...more }, usage },
  { type: "message_stop" }
]
export const text = (index: number, ...parts: ReadonlyArray<string>) => [
  open(index, { type: "text", text: "" }),
  ...parts.map((part) => delta(index, { type: "text_delta", text: part })),
  close(index)
]
export const tool = (index: number, id: string, ...parts: ReadonlyArray<string>) => [
  open(index, { type: "tool_use", id, name: `f_${id}`, input: {} }),
  ...["", ...parts].map((partial_json) => delta(index, { type: "input_json_delta", partial_json })),
  close(index)
]
/** What becomes of them. */
export const run = (...events: ReadonlyArray<JsonObject>): ReadonlyArray<StreamEvent> =>
  replay([frames(...events)], callOf(asking({ stream: true })))
