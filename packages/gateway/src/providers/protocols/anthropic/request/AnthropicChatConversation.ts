/** The chat's messages as Anthropic's `system` and alternating turns, all tool results of a turn in one user message and first in it. */
import { arrayOf, isBlank, isObject, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import {
  callIds,
  callsIn,
  type ChatCall,
  contentOf,
  dropDetail,
  eachMessage,
  fileDataOf,
  idOf,
  inputOf,
  parseDataUrl,
  parseFile,
  refusePart,
  roleOf,
  textIn,
  urlOf
} from "../../shared/ChatMessages.ts"
import { GO_ON, reportGoOn } from "../../shared/LastTurn.ts"
import type { Losses } from "../../shared/Losses.ts"
import { keptTurn } from "../../shared/OwnTurn.ts"
import { reminders } from "../../shared/Reminders.ts"
import { plainIds, ToolIds } from "../../shared/ToolIds.ts"
import type { AnthropicTraits } from "../AnthropicModels.ts"
import { OWN_BLOCKS } from "../answer/AnthropicChatResponse.ts"

/** Blank text is left out. `media`: whether images and files make sense here. */
const contentBlocks = (
  message: JsonObject,
  param: string,
  losses: Losses,
  media: "with media" | "text only"
): Array<JsonObject> => {
  const blocks = contentOf(message, param, losses, (part, place) => {
    const block = blockOf(part, place, losses, media)
    return block === undefined ? undefined : withCacheControl([block], part["cache_control"])[0]
  })
  return withCacheControl(blocks, message["cache_control"])
}

/** A cache mark on a whole message belongs to its last block. */
const withCacheControl = (blocks: Array<JsonObject>, cacheControl: unknown): Array<JsonObject> => {
  const last = blocks.at(-1)
  if (isObject(cacheControl) && last !== undefined) blocks[blocks.length - 1] = { ...last, cache_control: cacheControl }
  return blocks
}

const blockOf = (part: JsonObject, param: string, losses: Losses, media: string): JsonObject | undefined => {
  const text = textIn(part)
  if (text !== undefined) return isBlank(text) ? undefined : { type: "text", text }
  if (media === "with media") {
    if (part["type"] === "image_url") return imageBlock(part["image_url"], param, losses)
    if (part["type"] === "file") return fileBlock(part["file"], param, losses)
  }
  return refusePart(part, param, losses)
}

const imageBlock = (image: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const url = urlOf(image) ?? ""
  dropDetail(image, "Anthropic", losses)
  const data = parseDataUrl(url)
  if (data !== undefined) return base64Block("image", data.mediaType, data.base64)
  if (isWebUrl(url)) return { type: "image", source: { type: "url", url } }
  losses.refuse(`${param}.image_url`, "an image must be a base64 data: URL or an http(s) URL at this provider")
  return undefined
}

const base64Block = (type: "image" | "document", mediaType: string, data: string): JsonObject => ({
  type,
  source: { type: "base64", media_type: mediaType, data }
})

const fileBlock = (file: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const given = fileDataOf(file, param, losses)
  if (given === undefined) return undefined
  const title = isObject(file) ? textOf(file["filename"]) : undefined
  const named = title === undefined ? {} : { title }
  if (isWebUrl(given)) return { type: "document", source: { type: "url", url: given }, ...named }
  const data = parseFile(given)
  if (data?.mediaType.startsWith("image/")) return base64Block("image", data.mediaType, data.base64)
  if (data?.mediaType === "application/pdf")
    return { ...base64Block("document", data.mediaType, data.base64), ...named }
  if (data?.mediaType.startsWith("text/")) {
    const text = Buffer.from(data.base64, "base64").toString("utf8")
    return { type: "document", source: { type: "text", media_type: "text/plain", data: text }, ...named }
  }
  const why =
    data === undefined
      ? "`file_data` must be a base64 data: URL"
      : `files of type ${data.mediaType} can't be read by this provider`
  losses.refuse(`${param}.file`, why)
  return undefined
}

const isWebUrl = (url: string): boolean => /^https?:\/\//i.test(url)

// Thoughts of earlier answers. Anthropic signs them and wants them back unchanged in front of the tool calls they led to; the chat
// API has no field for that, so answers carry `thinking_blocks` and callers send them back with the message.

/** In order and each once; unsigned `reasoning_content` can't be replayed. */
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

export interface AnthropicTurn {
  readonly role: "user" | "assistant"
  readonly content: Array<JsonObject>
}

interface AnthropicConversation {
  /** One string where no cache mark needs blocks; undefined without instructions. */
  readonly system: string | ReadonlyArray<JsonObject> | undefined
  readonly turns: ReadonlyArray<AnthropicTurn>
}

/** Conversations start with the user; one that starts with a greeting of the assistant gets this in front. */
const OPENING = "(The assistant begins.)"

export const lowerConversation = (
  messages: unknown,
  { prefill }: Pick<AnthropicTraits, "prefill">,
  losses: Losses
): AnthropicConversation => {
  const ids = new ToolIds(plainIds, callIds(messages))
  const system: Array<JsonObject> = []
  const turns: Array<AnthropicTurn> = []
  const append = (role: AnthropicTurn["role"], blocks: Array<JsonObject>): void => {
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else if (blocks.length > 0) turns.push({ role, content: blocks })
  }
  eachMessage(messages, losses, (message, param) => {
    switch (roleOf(message, param, "Anthropic", losses)) {
      case "system": {
        const blocks = contentBlocks(message, param, losses, "text only")
        if (turns.length === 0) system.push(...blocks)
        else append("user", reminders(blocks))
        break
      }
      case "user":
        append("user", contentBlocks(message, param, losses, "with media"))
        break
      case "assistant":
        append("assistant", assistantBlocks(message, param, ids, losses))
        break
      case "tool":
        append("user", [toolResult(message, param, ids, losses)])
    }
    return []
  })
  // A request of instructions only is valid too: the last of them becomes the user's message.
  if (turns.length === 0 && system.length > 0) append("user", [system.pop()!])
  if (turns.length === 0) losses.refuse("messages", "at least one message with text, an image or a file is needed")
  return { system: systemField(system), turns: withUserLast(finished(turns, losses), prefill, losses) }
}

const assistantBlocks = (message: JsonObject, param: string, ids: ToolIds, losses: Losses): Array<JsonObject> => {
  const { cache_control: cacheControl, content } = message
  const calls = callsIn(message, param, losses).map((call) => toolUse(call, ids, losses))
  const blocks = keptTurn(OWN_BLOCKS, message, calls) ?? [
    ...replayedThinking(message),
    ...contentBlocks({ content }, param, losses, "text only"),
    ...calls
  ]
  return blocks.at(-1)?.["type"]?.toString().endsWith("thinking") ? blocks : withCacheControl(blocks, cacheControl)
}

const toolUse = (call: ChatCall, ids: ToolIds, losses: Losses): JsonObject => ({
  type: "tool_use",
  id: ids.open(call.id),
  name: call.name,
  input: inputOf(call, losses)
})

const toolResult = (message: JsonObject, param: string, ids: ToolIds, losses: Losses): JsonObject => {
  const { cache_control: cacheControl, content: given, is_error: isError } = message
  const isText = typeof given === "string" && !isBlank(given)
  const content = isText ? given : contentBlocks({ content: given }, param, losses, "with media")
  return {
    type: "tool_result",
    tool_use_id: ids.answered(idOf(message["tool_call_id"])),
    ...(content.length > 0 ? { content } : {}),
    ...(typeof isError === "boolean" ? { is_error: isError } : {}),
    ...(isObject(cacheControl) ? { cache_control: cacheControl } : {})
  }
}

const systemField = (blocks: ReadonlyArray<JsonObject>): AnthropicConversation["system"] => {
  if (blocks.length === 0) return undefined
  if (blocks.some((block) => block["cache_control"] !== undefined)) return blocks
  return blocks.map((block) => block["text"]).join("\n")
}

const finished = (turns: Array<AnthropicTurn>, losses: Losses): ReadonlyArray<AnthropicTurn> => {
  const ordered = turns.map((turn) => (turn.role === "user" ? resultsFirst(turn) : turn))
  const last = ordered.at(-1)
  if (last?.role === "assistant") trimPrefill(last.content)
  if (ordered[0]?.role !== "assistant") return ordered
  losses.drop("messages", "Anthropic's conversations begin with the user")
  return [{ role: "user", content: [{ type: "text", text: OPENING }] }, ...ordered]
}

const withUserLast = (
  turns: ReadonlyArray<AnthropicTurn>,
  prefill: boolean,
  losses: Losses
): ReadonlyArray<AnthropicTurn> => {
  if (prefill || turns.at(-1)?.role !== "assistant") return turns
  reportGoOn(losses)
  return [...turns, { role: "user", content: [{ type: "text", text: GO_ON }] }]
}

const isResult = (block: JsonObject): boolean => block["type"] === "tool_result"

const resultsFirst = (turn: AnthropicTurn): AnthropicTurn => {
  const results = turn.content.filter(isResult)
  if (results.length === 0) return turn
  return { role: turn.role, content: [...results, ...turn.content.filter((block) => !isResult(block))] }
}

const trimPrefill = (content: Array<JsonObject>): void => {
  const block = content.at(-1)
  const text = block?.["text"]
  if (block?.["type"] === "text" && typeof text === "string")
    content[content.length - 1] = { ...block, text: text.trimEnd() }
}
