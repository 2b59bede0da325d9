/** The chat's messages as Converse's `system` and alternating turns, with a text beside every document. */
import { isBlank, type JsonObject } from "../../../json/LooseJson.ts"
import { foreignField } from "../../anthropic/messages/AnthropicMessagesRequest.ts"
import { replayedThinking } from "../../anthropic/request/AnthropicChatConversation.ts"
import {
  callIds,
  callsIn,
  contentOf,
  eachMessage,
  idOf,
  inputOf,
  refusePart,
  roleOf,
  textIn
} from "../../shared/ChatMessages.ts"
import { GO_ON, reportGoOn } from "../../shared/LastTurn.ts"
import type { Losses } from "../../shared/Losses.ts"
import { reminders } from "../../shared/Reminders.ts"
import { ToolIds } from "../../shared/ToolIds.ts"
import { cachePoint, type ConverseTraits } from "../BedrockModels.ts"
import { type DocumentNames, fileBlock, imageBlock, videoBlock } from "./BedrockChatMedia.ts"

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
  const writer = new BedrockTurnWriter(new ToolIds(writing.traits.toolIds, callIds(messages)), writing)
  eachMessage(messages, writing.losses, (message, param) => {
    writer.message(message, param)
    return []
  })
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

  message(message: JsonObject, param: string): void {
    switch (roleOf(message, param, "Bedrock", this.writing.losses)) {
      case "system": {
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
    const last = this.turns.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else if (blocks.length > 0) this.turns.push({ role, content: blocks })
  }

  private assistantBlocks(message: JsonObject, param: string): Array<JsonObject> {
    const { losses, traits } = this.writing
    const { cache_control: mark, content } = message
    const calls = callsIn(message, param, losses).map((call): JsonObject => ({
      toolUse: { toolUseId: this.ids.open(call.id), name: call.name, input: inputOf(call, losses) }
    }))
    const texts = contentBlocks({ content }, param, this.writing, "text only")
    const blocks = [...replayedReasoning(message, traits), ...texts, ...calls]
    // Nothing is cached after thoughts.
    const isSaid = blocks.length > 0 && blocks.at(-1)?.["reasoningContent"] === undefined
    return isSaid ? [...blocks, ...cachePoint(mark, "messages", traits, losses)] : blocks
  }

  /** Text and images are in the result. Models don't see documents and videos there, so these follow it. */
  private toolResult(message: JsonObject, param: string): Array<JsonObject> {
    const { losses, traits } = this.writing
    const { cache_control: mark, content: given } = message
    const blocks = contentBlocks({ content: given }, param, this.writing, "with media")
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

const trimPrefill = (content: Array<JsonObject>): void => {
  const text = content.at(-1)?.["text"]
  if (typeof text === "string") content[content.length - 1] = { text: text.trimEnd() }
}

interface Writing {
  readonly traits: ConverseTraits
  readonly losses: Losses
  readonly names: DocumentNames
}

const contentBlocks = (
  message: JsonObject,
  param: string,
  writing: Writing,
  media: "with media" | "text only"
): Array<JsonObject> => {
  const { losses, traits } = writing
  const pointOf = ({ cache_control: mark }: JsonObject) => cachePoint(mark, "messages", traits, losses)
  const blocks = contentOf(message, param, losses, (part, place) => {
    const block = blockOf(part, place, writing, media)
    return block === undefined ? undefined : [block, ...pointOf(part)]
  }).flat()
  return blocks.length === 0 ? blocks : [...blocks, ...pointOf(message)]
}

const blockOf = (part: JsonObject, param: string, writing: Writing, media: string): JsonObject | undefined => {
  const { losses, names } = writing
  const text = textIn(part)
  if (text !== undefined) return isBlank(text) ? undefined : { text }
  if (media === "with media") {
    if (part["type"] === "image_url") return imageBlock(part["image_url"], param, losses)
    if (part["type"] === "video_url") return videoBlock(part["video_url"], param, losses)
    if (part["type"] === "file") return fileBlock(part["file"], param, names, losses)
  }
  return refusePart(part, param, losses)
}

/** What Anthropic's models signed goes back unchanged in front of the tool calls that it led to; other models take none back. */
const replayedReasoning = (message: JsonObject, { claude }: ConverseTraits): Array<JsonObject> => {
  if (claude === undefined || claude.thinking === "none") return []
  return replayedThinking(message)
    .filter(({ signature }) => foreignField(signature) === undefined)
    .map(({ data, signature, thinking }) =>
      data === undefined
        ? { reasoningContent: { reasoningText: { text: thinking, signature } } }
        : // Anthropic's own text is bytes here.
          { reasoningContent: { redactedContent: Buffer.from(String(data)).toString("base64") } }
    )
}
