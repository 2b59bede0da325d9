/**
 * The chat's messages as Anthropic's `system` and alternating turns: instructions that stand first hoisted, turns of one role merged, all tool results of
 * one turn in a single user message and first in it, no blank text, no white space at the end of a prefill.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { contentBlocks, withCacheControl } from "./AnthropicChatContent.ts"
import { parseArguments } from "../../../json/BoundedJson.ts"
import { argumentsText, arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import { GO_ON, reportGoOn } from "../../shared/LastTurn.ts"
import type { Losses } from "../../shared/Losses.ts"
import { keptTurn } from "../../shared/OwnTurn.ts"
import { reminders } from "../../shared/Reminders.ts"
import type { AnthropicTraits } from "../AnthropicModels.ts"
import { replayedThinking } from "./AnthropicChatReplay.ts"
import { OWN_BLOCKS } from "../answer/AnthropicOwnBlocks.ts"
import { plainIds, ToolIds } from "../../shared/ToolIds.ts"

export interface AnthropicTurn {
  readonly role: "user" | "assistant"
  readonly content: Array<JsonObject>
}

export interface AnthropicConversation {
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
  if (!Array.isArray(messages)) {
    losses.refuse("messages", "`messages` must be a list")
    return { system: undefined, turns: [] }
  }
  const ids = new ToolIds(plainIds, callIds(messages))
  const system: Array<JsonObject> = []
  const turns: Array<AnthropicTurn> = []
  for (let index = 0; index < messages.length; index++) {
    const param = `messages[${index}]`
    const message: unknown = messages[index]
    if (!isObject(message)) losses.refuse(param, "a message must be an object")
    else lowerMessage(message, param, ids, losses, system, turns)
  }
  // A request of instructions only is valid too: the last of them becomes the user's message.
  if (turns.length === 0 && system.length > 0) append(turns, "user", [system.pop()!])
  if (turns.length === 0) losses.refuse("messages", "at least one message with text, an image or a file is needed")
  return { system: systemField(system), turns: withUserLast(finished(turns, losses), prefill, losses) }
}

const lowerMessage = (
  message: JsonObject,
  param: string,
  ids: ToolIds,
  losses: Losses,
  system: Array<JsonObject>,
  turns: Array<AnthropicTurn>
): void => {
  if (textOf(message["name"]) !== undefined && message["role"] !== "tool") {
    losses.drop("messages.name", "Anthropic has no names of participants")
  }
  switch (message["role"]) {
    case "system":
    case "developer":
      instruct(contentBlocks(message, param, losses, "text only"), system, turns)
      return
    case "user":
      append(turns, "user", contentBlocks(message, param, losses, "with media"))
      return
    case "assistant":
      append(turns, "assistant", assistantBlocks(message, param, ids, losses))
      return
    case "tool":
      append(turns, "user", [toolResult(message, param, ids, losses)])
      return
    default:
      losses.refuse(`${param}.role`, "`role` must be system, developer, user, assistant or tool at this provider")
  }
}

const instruct = (blocks: Array<JsonObject>, system: Array<JsonObject>, turns: Array<AnthropicTurn>): void => {
  if (turns.length === 0) system.push(...blocks)
  else append(turns, "user", reminders(blocks))
}

const append = (turns: Array<AnthropicTurn>, role: AnthropicTurn["role"], blocks: Array<JsonObject>): void => {
  if (blocks.length === 0) return
  const last = turns.at(-1)
  if (last?.role === role) last.content.push(...blocks)
  else turns.push({ role, content: blocks })
}

const assistantBlocks = (message: JsonObject, param: string, ids: ToolIds, losses: Losses): Array<JsonObject> => {
  if (isObject(message["function_call"])) {
    losses.refuse(`${param}.function_call`, "`function_call` is not supported at this provider: use `tool_calls`")
  }
  const { cache_control: cacheControl, ...unmarked } = message
  const calls = arrayOf(message["tool_calls"]).map((call, index) =>
    toolUse(call, `${param}.tool_calls[${index}]`, ids, losses)
  )
  const blocks = keptTurn(OWN_BLOCKS, message, calls) ?? [
    ...replayedThinking(message),
    ...contentBlocks(unmarked, param, losses, "text only"),
    ...calls
  ]
  return blocks.at(-1)?.["type"]?.toString().endsWith("thinking") ? blocks : withCacheControl(blocks, cacheControl)
}

const toolUse = (call: unknown, param: string, ids: ToolIds, losses: Losses): JsonObject => {
  const called = isObject(call) ? call["function"] : undefined
  if (!isObject(call) || !isObject(called)) {
    losses.refuse(param, "only function calls can be sent to this provider")
    return {}
  }
  return {
    type: "tool_use",
    id: ids.open(idOf(call["id"])),
    name: called["name"],
    input: toolInput(called["arguments"], `${param}.function.arguments`, losses)
  }
}

const toolInput = (given: unknown, param: string, losses: Losses): JsonObject => {
  if (argumentsText(given) === "") return {}
  const input = typeof given === "string" ? parseArguments(given) : given
  if (isObject(input)) return input
  losses.refuse(param, "`arguments` must be the JSON text of an object")
  return {}
}

const toolResult = (message: JsonObject, param: string, ids: ToolIds, losses: Losses): JsonObject => {
  const { cache_control: cacheControl, ...unmarked } = message
  const content =
    typeof message["content"] === "string" ? undefined : contentBlocks(unmarked, param, losses, "with media")
  const text = textOf(message["content"])
  return {
    type: "tool_result",
    tool_use_id: ids.answered(idOf(message["tool_call_id"])),
    ...(text !== undefined && text.trim() !== "" ? { content: text } : {}),
    ...(content !== undefined && content.length > 0 ? { content } : {}),
    ...(typeof message["is_error"] === "boolean" ? { is_error: message["is_error"] } : {}),
    ...(isObject(cacheControl) ? { cache_control: cacheControl } : {})
  }
}

const idOf = (id: unknown): string => (typeof id === "string" ? id : "")

const callIds = (messages: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  messages.flatMap((message) =>
    isObject(message) ? arrayOf(message["tool_calls"]).map((call) => idOf(isObject(call) ? call["id"] : "")) : []
  )

const systemField = (blocks: ReadonlyArray<JsonObject>): AnthropicConversation["system"] => {
  if (blocks.length === 0) return undefined
  if (blocks.some((block) => block["cache_control"] !== undefined)) return blocks
  return blocks.map((block) => block["text"]).join("\n")
}

/** The rules that hold for whole turns. */
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
