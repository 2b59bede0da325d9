/**
 * The chat's messages as Anthropic's `system` and alternating turns: instructions that stand first hoisted, turns of one role merged, all
 * tool results of one turn in a single user message and first in it, no blank text, no white space at the end of a prefill.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isBlank, isObject } from "../../../json/LooseJson.ts"
import { callIds, type ChatCall, callsIn, eachMessage, idOf, inputOf, roleOf } from "../../shared/ChatMessages.ts"
import { GO_ON, reportGoOn } from "../../shared/LastTurn.ts"
import type { Losses } from "../../shared/Losses.ts"
import { keptTurn } from "../../shared/OwnTurn.ts"
import { reminders } from "../../shared/Reminders.ts"
import { plainIds, ToolIds } from "../../shared/ToolIds.ts"
import type { AnthropicTraits } from "../AnthropicModels.ts"
import { OWN_BLOCKS } from "../answer/AnthropicOwnBlocks.ts"
import { contentBlocks, withCacheControl } from "./AnthropicChatContent.ts"
import { replayedThinking } from "./AnthropicChatReplay.ts"

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
