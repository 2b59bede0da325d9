/**
 * How `message.contentBlocks` shows a message of the gateway: the model's reasoning first, then its text and its tool calls. Core
 * asks a registry for this by `model_provider`; where a core has none, messages show text and tool calls as any provider's.
 */
import { type AIMessage, AIMessageChunk, type ContentBlock } from "@langchain/core/messages"
import { readArguments } from "./CallArguments.ts"
import { PROVIDER } from "../Version.ts"

type Message = AIMessage | AIMessageChunk

interface Translator {
  readonly translateContent: (message: Message) => Array<ContentBlock.Standard>
  readonly translateContentChunk: (message: AIMessageChunk) => Array<ContentBlock.Standard>
}

/** Idempotent, and so cheap that every model's constructor calls it: the package has no side effects when it is only imported. */
export const registerTranslator = (): void => {
  const registry: unknown = (globalThis as Record<string, unknown>)["lc_block_translators_registry"]
  if (registry instanceof Map && !registry.has(PROVIDER)) registry.set(PROVIDER, translator)
}

const translate = (message: Message): Array<ContentBlock.Standard> => {
  const isChunk = AIMessageChunk.isInstance(message)
  // Blocks of a stream's chunks with the same index and type become one block when they are merged.
  const at = isChunk ? { index: 0 } : {}
  const reasoning = message.additional_kwargs["reasoning_content"]
  const blocks: Array<unknown> = []
  if (typeof reasoning === "string" && reasoning !== "") blocks.push({ type: "reasoning", reasoning, ...at })
  if (typeof message.content !== "string") blocks.push(...message.content.filter((block) => block.type !== "tool_call"))
  else if (message.content !== "") blocks.push({ type: "text", text: message.content, ...at })
  blocks.push(...(isChunk ? callsOfChunk(message) : callsOf(message)))
  return blocks as Array<ContentBlock.Standard>
}

const callsOf = (message: Message) => [
  ...(message.tool_calls ?? []).map(({ args, id, name }) => ({ type: "tool_call", id, name, args })),
  ...(message.invalid_tool_calls ?? []).map(({ args, error, id, name }) => ({
    type: "invalid_tool_call",
    id,
    name,
    args,
    error
  }))
]

/** A call whose arguments are still coming is a piece that merges with the next one. */
const callsOfChunk = (message: AIMessageChunk) => {
  const pieces = message.tool_call_chunks ?? []
  if (pieces.length === 0 || message.response_metadata["finish_reason"] !== undefined) return callsOf(message)
  return pieces.map(({ args, id, index, name }) => {
    const whole = id === undefined || name === undefined || !args ? undefined : readArguments(args)
    return whole === undefined
      ? { type: "tool_call_chunk", id, name, args, index }
      : { type: "tool_call", id, name, args: whole }
  })
}

const translator: Translator = { translateContent: translate, translateContentChunk: translate }
