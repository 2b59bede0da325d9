/**
 * Thoughts of earlier answers. Anthropic signs them and wants them back unchanged in front of the tool calls they led to; the chat
 * API has no field for that, so answers carry `thinking_blocks` and callers send them back with the message.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"

/** The signed blocks of an assistant message, in order and each once; unsigned `reasoning_content` can't be replayed. */
export const replayedThinking = (message: JsonObject): Array<JsonObject> => {
  const own = arrayOf(message["thinking_blocks"]).map(ownBlock)
  const blocks = own.length > 0 ? own : arrayOf(message["reasoning_details"]).map(detailBlock)
  const seen = new Set<string>()
  return blocks.filter((block) => {
    if (block === undefined) return false
    // A client that appends the lists of a stream's chunks has some blocks twice.
    const key = String(block["signature"] ?? block["data"])
    return !seen.has(key) && seen.add(key) !== undefined
  }) as Array<JsonObject>
}

const ownBlock = (block: unknown): JsonObject | undefined => {
  if (!isObject(block)) return undefined
  const { data, signature, thinking, type } = block
  if (type === "thinking" && textOf(signature) !== undefined && typeof thinking === "string") {
    return { type, thinking, signature }
  }
  return type === "redacted_thinking" && textOf(data) !== undefined ? { type, data } : undefined
}

/** The shape that OpenRouter made common; what another vendor signed is of no use here. */
const detailBlock = (detail: unknown): JsonObject | undefined => {
  if (!isObject(detail)) return undefined
  const { data, format, signature, text, type } = detail
  if (typeof format === "string" && !format.startsWith("anthropic")) return undefined
  if (type === "reasoning.text" && textOf(signature) !== undefined) {
    return { type: "thinking", thinking: typeof text === "string" ? text : "", signature }
  }
  return type === "reasoning.encrypted" && textOf(data) !== undefined ? { type: "redacted_thinking", data } : undefined
}
