/** System prompt and turns as chat messages. Results of tools are messages of their own there. */
import { systemTexts } from "../../../core/operations/messages/ReadMessages.ts"
import { arrayOf, encodeJson, isObject, textOf, objectsIn, type JsonObject } from "../../json/LooseJson.ts"
import { foreignField } from "../../protocols/anthropic/messages/AnthropicMessagesRequest.ts"
import type { Losses } from "../../protocols/shared/Losses.ts"
import { markOf, removeMarks } from "../../protocols/shared/CacheMarks.ts"
import { hostedText } from "./MessagesToChatHostedTools.ts"
import { chatParts } from "./MessagesToChatParts.ts"
import { readId } from "./MessagesCallIds.ts"
import { keptIn, LISTS } from "../Seals.ts"

/** What the server makes of a history. */
interface HistoryReader {
  /** The provider's name: what it has sealed goes back to it. */
  readonly provider: string
  /** It is the vendor's own and refuses fields that it does not know. */
  readonly isNative: boolean
  /** It takes marks for its cache. */
  readonly isMarked: boolean
  /** It wants thoughts with calls, whoever thought them. */
  readonly needsThoughts: boolean
}

export const chatMessages = (given: JsonObject, reader: HistoryReader, losses: Losses): ReadonlyArray<JsonObject> => {
  const body = reader.isMarked ? given : withoutMarks(given)
  const system = systemContent(body["system"])
  const turns = arrayOf(body["messages"]).flatMap((turn, index) => {
    if (!isObject(turn)) return []
    const { content, role } = turn
    if (typeof content === "string") return [{ role, content }]
    const path = `messages[${index}].content`
    if (role === "assistant") return assistant(objectsIn(content), reader, path, losses)
    return role === "user" ? user(objectsIn(content), path, losses) : other(role, objectsIn(content))
  })
  const messages = ordered(turns)
  return system === "" ? messages : [{ role: "system", content: system }, ...messages]
}

const withoutMarks = (given: JsonObject): JsonObject => {
  const body = { ...given }
  removeMarks(body, "system", "messages")
  return body
}

/** One text, or parts where some are marked. */
const systemContent = (system: unknown): string | ReadonlyArray<JsonObject> => {
  const blocks = objectsIn(system)
  if (!blocks.some((block) => block["cache_control"] !== undefined)) return systemTexts(system).join("\n\n")
  return blocks.flatMap((block) => texts([block]).map((text) => ({ type: "text", text, ...markOf(block) })))
}

const texts = (blocks: ReadonlyArray<JsonObject>): ReadonlyArray<string> =>
  blocks.flatMap(({ text, type }) => (type === "text" && typeof text === "string" && text !== "" ? [text] : []))

const other = (role: unknown, blocks: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const content = texts(blocks).join("\n\n")
  return content === "" ? [] : [{ role, content }]
}

/** Results come first, as a chat request has to answer calls at once; then what the user said. */
const user = (blocks: ReadonlyArray<JsonObject>, path: string, losses: Losses): ReadonlyArray<JsonObject> => {
  const results: Array<JsonObject> = []
  const shown: Array<JsonObject> = []
  for (const [index, block] of blocks.entries()) {
    const here = `${path}[${index}]`
    if (block["type"] !== "tool_result") {
      shown.push(...chatParts(block, here, losses))
      continue
    }
    const parts =
      typeof block["content"] === "string"
        ? [{ type: "text", text: block["content"] }]
        : objectsIn(block["content"]).flatMap((part, at) => chatParts(part, `${here}.content[${at}]`, losses))
    const text = parts.flatMap((part) => (part["type"] === "text" ? [String(part["text"])] : [])).join("\n")
    const mark = {
      ...parts.reduce((found, part) => ({ ...found, ...markOf(part) }), {}),
      ...markOf(block)
    } as JsonObject
    const said = resultText(text, block["is_error"])
    const content = mark["cache_control"] === undefined ? said : [{ type: "text", text: said, ...mark }]
    results.push({ role: "tool", tool_call_id: readId(block["tool_use_id"]), content })
    // A result of a chat tool is text; what else it holds is shown by the user.
    shown.push(...parts.filter((part) => part["type"] !== "text"))
  }
  return shown.length === 0 ? results : [...results, { role: "user", content: shown }]
}

const resultText = (text: string, isError: unknown): string =>
  isError === true && !/^\W*error/i.test(text) ? `Error: ${text}` : text

const assistant = (
  blocks: ReadonlyArray<JsonObject>,
  reader: HistoryReader,
  path: string,
  losses: Losses
): ReadonlyArray<JsonObject> => {
  let content = ""
  const calls: Array<JsonObject> = []
  const kept: Record<string, unknown> = {}
  /** The signature of the next call. */
  let signature: JsonObject = {}
  for (const [index, block] of blocks.entries()) {
    switch (block["type"]) {
      case "text":
        content += textOf(block["text"]) ?? ""
        if (arrayOf(block["citations"]).length > 0)
          losses.drop(`${path}[${index}].citations`, "this provider takes no citations of earlier responses")
        break
      case "tool_use":
        calls.push({ ...toolCall(block), ...signature })
        signature = {}
        break
      case "thinking":
        break
      case "redacted_thinking": {
        const found = keptIn(block["data"], reader.provider)
        if (found?.kind === "call") signature = { extra_content: found.value }
        else if (found?.kind === "message") kept["extra_content"] = found.value
        else if (found !== undefined) {
          const list = LISTS[found.kind]!
          kept[list] = [...arrayOf(kept[list]), ...arrayOf(found.value)]
        }
        break
      }
      default:
        content += hostedText(block, `${path}[${index}]`, losses)
    }
  }
  if (content === "" && calls.length === 0 && Object.keys(kept).length === 0) return []
  return [
    {
      role: "assistant",
      content: content === "" ? null : content,
      ...(reader.isNative ? undefined : thoughts(blocks, reader)),
      ...kept,
      ...(calls.length === 0 ? undefined : { tool_calls: calls })
    }
  ]
}

const toolCall = ({ id, input, name }: JsonObject): JsonObject => ({
  id: readId(id),
  type: "function",
  function: { name, arguments: encodeJson(input ?? {}) ?? "{}" }
})

/** Thoughts go back only to servers that send some, under the name that the server gave them; to those that need some, all. */
const thoughts = (blocks: ReadonlyArray<JsonObject>, { needsThoughts }: HistoryReader): JsonObject => {
  const sum: Record<string, string> = {}
  for (const { signature, thinking } of blocks) {
    const field = foreignField(signature) ?? (needsThoughts ? "reasoning_content" : undefined)
    const text = textOf(thinking)
    if (field === undefined || !THOUGHTS.has(field) || text === undefined) continue
    sum[field] = (sum[field] ?? "") + text
  }
  return sum
}

const THOUGHTS = new Set(["reasoning_content", "reasoning"])

/** One turn of the assistant at a time, and the results of its calls behind it. Anthropic's callers may write several turns of one role. */
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
