/**
 * Turns of a conversation in the order that chat servers take: one turn of the assistant at a time, and the results of its calls right
 * behind it. Anthropic joins turns of one role, so its callers may write several.
 */
import type { JsonObject } from "../../../core/domain/Json.ts"
import { arrayOf } from "../../json/LooseJson.ts"

export const ordered = (messages: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const list: Array<JsonObject> = []
  for (const message of messages) {
    const last = list.at(-1)
    if (message["role"] === "assistant" && last?.["role"] === "assistant") list[list.length - 1] = joined(last, message)
    else if (message["role"] === "tool") list.splice(placeOfResult(list), 0, message)
    else list.push(message)
  }
  return list
}

/** Behind the calls and the results before it: what the user said meanwhile comes after. */
const placeOfResult = (list: ReadonlyArray<JsonObject>): number => {
  const before = list.findLastIndex(({ role }) => role === "assistant" || role === "tool")
  return before < 0 ? list.length : before + 1
}

const joined = (one: JsonObject, other: JsonObject): JsonObject => {
  const { content, role, tool_calls: calls, ...thoughts } = one
  const { content: more, role: _, tool_calls: moreCalls, ...moreThoughts } = other
  const texts = [content, more].filter((text) => typeof text === "string" && text !== "")
  const allCalls = [...arrayOf(calls), ...arrayOf(moreCalls)]
  const allThoughts = { ...thoughts, ...moreThoughts }
  for (const [field, before] of Object.entries(thoughts)) {
    const after = moreThoughts[field]
    if (typeof before === "string" && typeof after === "string") allThoughts[field] = before + after
    else if (Array.isArray(before) && Array.isArray(after)) allThoughts[field] = [...before, ...after]
  }
  return {
    role,
    content: texts.length === 0 ? null : texts.join("\n"),
    ...allThoughts,
    ...(allCalls.length === 0 ? {} : { tool_calls: allCalls })
  }
}
