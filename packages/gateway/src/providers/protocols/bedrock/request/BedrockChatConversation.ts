/**
 * The chat's messages as Converse's `system` and alternating turns: instructions hoisted, turns of one role merged, all tool results of
 * one turn in a single user message and first in it, no blank text, a text beside every document.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { parseArguments } from "../../../json/BoundedJson.ts"
import { argumentsText, arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import { reminders } from "../../shared/Reminders.ts"
import { ToolIds } from "../../shared/ToolIds.ts"
import { GO_ON, reportGoOn } from "../../shared/LastTurn.ts"
import { cachePoint } from "./BedrockChatCaching.ts"
import { contentBlocks, type Writing } from "./BedrockChatContent.ts"
import { replayedReasoning } from "./BedrockChatReplay.ts"

export interface BedrockTurn {
  readonly role: "user" | "assistant"
  readonly content: Array<JsonObject>
}

export interface BedrockConversation {
  readonly system: ReadonlyArray<JsonObject>
  readonly turns: ReadonlyArray<BedrockTurn>
}

/** Conversations start with the user; one that starts with a greeting of the assistant gets this in front. */
const OPENING = "(The assistant begins.)"
/** A message with a document has to have a text. */
const BESIDE_DOCUMENT = "(The document is attached.)"
/** A tool result has to have something in it. */
const EMPTY_RESULT = "(no output)"

export const lowerConversation = (messages: unknown, writing: Writing): BedrockConversation => {
  const { losses, traits } = writing
  if (!Array.isArray(messages)) {
    losses.refuse("messages", "`messages` must be a list")
    return { system: [], turns: [] }
  }
  const writer = new BedrockTurnWriter(new ToolIds(traits.toolIds, callIds(messages)), writing)
  for (const [index, message] of messages.entries()) writer.message(message, `messages[${index}]`)
  return writer.finished()
}

class BedrockTurnWriter {
  private readonly ids: ToolIds
  private readonly writing: Writing
  private readonly system: Array<JsonObject> = []
  private readonly turns: Array<BedrockTurn> = []

  constructor(ids: ToolIds, writing: Writing) {
    this.ids = ids
    this.writing = writing
  }

  message(message: unknown, param: string): void {
    const { losses } = this.writing
    if (!isObject(message)) return losses.refuse(param, "a message must be an object")
    if (textOf(message["name"]) !== undefined && message["role"] !== "tool") {
      losses.drop("messages.name", "Bedrock has no names of participants")
    }
    switch (message["role"]) {
      case "system":
      case "developer": {
        const blocks = contentBlocks(message, param, this.writing, "text only")
        if (this.turns.length === 0) this.system.push(...blocks)
        else this.append("user", reminders(blocks))
        return
      }
      case "user":
        return this.append("user", contentBlocks(message, param, this.writing, "with media"))
      case "assistant":
        return this.append("assistant", this.assistantBlocks(message, param))
      case "tool":
        return this.append("user", this.toolResult(message, param))
      default:
        losses.refuse(`${param}.role`, "`role` must be system, developer, user, assistant or tool at this provider")
    }
  }

  finished(): BedrockConversation {
    const { losses, traits } = this.writing
    const { system, turns } = this
    // A request of instructions only is valid too: they become the user's message.
    if (turns.length === 0 && system.length > 0) this.append("user", system.splice(0))
    if (turns.length === 0) losses.refuse("messages", "at least one message with text, an image or a file is needed")
    // Anthropic's models may speak first here.
    if (turns[0]?.role === "assistant" && traits.claude === undefined) {
      losses.drop("messages", "Bedrock's conversations begin with the user")
      turns.unshift({ role: "user", content: [{ text: OPENING }] })
    }
    if (!traits.system && system.length > 0) turns[0]?.content.unshift(...system.splice(0))
    const ordered = turns.map((turn) => (turn.role === "user" ? withText(resultsFirst(turn)) : turn))
    const last = ordered.at(-1)
    if (last?.role !== "assistant") return { system, turns: ordered }
    trimPrefill(last.content)
    if (traits.claude?.prefill !== false) return { system, turns: ordered }
    reportGoOn(losses)
    return { system, turns: [...ordered, { role: "user", content: [{ text: GO_ON }] }] }
  }

  private append(role: BedrockTurn["role"], blocks: Array<JsonObject>): void {
    if (blocks.length === 0) return
    const last = this.turns.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else this.turns.push({ role, content: blocks })
  }

  private assistantBlocks(message: JsonObject, param: string): Array<JsonObject> {
    const { losses, traits } = this.writing
    if (isObject(message["function_call"])) {
      losses.refuse(`${param}.function_call`, "`function_call` is not supported at this provider: use `tool_calls`")
    }
    const { cache_control: mark, ...unmarked } = message
    const blocks = [...replayedReasoning(message, traits), ...contentBlocks(unmarked, param, this.writing, "text only")]
    for (const [index, call] of arrayOf(message["tool_calls"]).entries()) {
      blocks.push(this.toolUse(call, `${param}.tool_calls[${index}]`))
    }
    // Nothing is cached after thoughts.
    const isSaid = blocks.length > 0 && blocks.at(-1)?.["reasoningContent"] === undefined
    return isSaid ? [...blocks, ...cachePoint(mark, "messages", traits, losses)] : blocks
  }

  private toolUse(call: unknown, param: string): JsonObject {
    const called = isObject(call) ? call["function"] : undefined
    if (!isObject(call) || !isObject(called)) {
      this.writing.losses.refuse(param, "only function calls can be sent to this provider")
      return {}
    }
    const input = this.toolInput(called["arguments"], `${param}.function.arguments`)
    return { toolUse: { toolUseId: this.ids.open(idOf(call["id"])), name: called["name"], input } }
  }

  private toolInput(given: unknown, param: string): JsonObject {
    if (argumentsText(given) === "") return {}
    const input = typeof given === "string" ? parseArguments(given) : given
    if (isObject(input)) return input
    this.writing.losses.refuse(param, "`arguments` must be the JSON text of an object")
    return {}
  }

  /** Text and images are in the result. Models don't see documents and videos there, so these follow it. */
  private toolResult(message: JsonObject, param: string): Array<JsonObject> {
    const { losses, traits } = this.writing
    const { cache_control: mark, ...unmarked } = message
    const blocks = contentBlocks(unmarked, param, this.writing, "with media")
    const inside = blocks.filter((block) => "text" in block || "image" in block)
    const beside = blocks.filter((block) => "document" in block || "video" in block)
    const content = inside.length === 0 ? [{ text: beside.length === 0 ? EMPTY_RESULT : BESIDE_DOCUMENT }] : inside
    const toolUseId = this.ids.answered(idOf(message["tool_call_id"]))
    const status = message["is_error"] === true ? { status: "error" } : {}
    const result: JsonObject = { toolResult: { toolUseId, content, ...status } }
    // A point inside of a result is taken for one behind it.
    const points = [...blocks.filter((block) => "cachePoint" in block), ...cachePoint(mark, "messages", traits, losses)]
    return [result, ...beside, ...points.slice(-1)]
  }
}

const idOf = (id: unknown): string => (typeof id === "string" ? id : "")

const callIds = (messages: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  messages.flatMap((message) =>
    isObject(message) ? arrayOf(message["tool_calls"]).map((call) => idOf(isObject(call) ? call["id"] : "")) : []
  )

const resultsFirst = (turn: BedrockTurn): BedrockTurn => {
  const results = turn.content.filter((block) => "toolResult" in block)
  if (results.length === 0) return turn
  const others = turn.content.filter((block) => !("toolResult" in block))
  const isDouble = (block: JsonObject, index: number) =>
    "cachePoint" in block && "cachePoint" in (others[index - 1] ?? {})
  return { role: turn.role, content: [...results, ...others.filter((block, index) => !isDouble(block, index))] }
}

const withText = (turn: BedrockTurn): BedrockTurn => {
  const needsText = turn.content.some((block) => "document" in block) && !turn.content.some((block) => "text" in block)
  return needsText ? { role: turn.role, content: [...turn.content, { text: BESIDE_DOCUMENT }] } : turn
}

/** White space at the end of a prefill is refused by Anthropic's models. */
const trimPrefill = (content: Array<JsonObject>): void => {
  const text = content.at(-1)?.["text"]
  if (typeof text === "string") content[content.length - 1] = { text: text.trimEnd() }
}
