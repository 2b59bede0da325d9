/** Answers of the wire as LangChain's messages. */
import {
  AIMessage,
  type AIMessageChunkFields,
  type AIMessageFields,
  type InvalidToolCall,
  type ToolCall,
  type UsageMetadata
} from "@langchain/core/messages"
import type { ChatGeneration, ChatResult } from "@langchain/core/outputs"
import { AnswerChunk } from "./AnswerChunk.ts"
import { readArguments, UNREADABLE } from "./CallArguments.ts"
import type { GatewayDecision } from "../spend/Decision.ts"
import { newCallId } from "./ToolCallPieces.ts"
import { PROVIDER } from "../Version.ts"
import type { WireAnswer, WireChoice, WireChunk, WireEnvelope, WireMessage, WireUsage } from "./Wire.ts"

/** The message of a whole answer; undefined when it has none. */
export const toMessage = (answer: WireAnswer, decision: GatewayDecision | undefined): AIMessage | undefined => {
  const choice = answer.choices?.[0]
  const message = choice?.message
  if (choice === undefined || !message) return undefined
  const { invalid, valid } = toolCallsOf(message)
  const usage = toUsage(answer.usage)
  return new AIMessage({
    ...(answer.id === undefined ? {} : { id: answer.id }),
    content: message.content ?? "",
    tool_calls: valid,
    invalid_tool_calls: invalid,
    additional_kwargs: extrasOf(message),
    response_metadata: metadataOf(answer, choice, decision),
    ...(usage === undefined ? {} : { usage_metadata: usage })
  } as AIMessageFields)
}

/**
 * What one event of a stream adds; undefined when it adds nothing. Nothing in it that core's merge would double: it concatenates
 * strings and adds numbers, so what is said once rides on the closing chunk.
 */
export const toChunk = (event: WireChunk): AnswerChunk | undefined => {
  const delta = event.choices?.[0]?.delta
  if (!delta) return undefined
  const calls = (delta.tool_calls ?? []).map((call, position) => ({
    type: "tool_call_chunk" as const,
    index: call.index ?? position,
    args: call.function?.arguments ?? "",
    ...(call.id ? { id: call.id } : {}),
    ...(call.function?.name ? { name: call.function.name } : {})
  }))
  const additional_kwargs = extrasOf(delta)
  if (!delta.content && calls.length === 0 && Object.keys(additional_kwargs).length === 0) return undefined
  return new AnswerChunk({
    ...(event.id === undefined ? {} : { id: event.id }),
    content: delta.content ?? "",
    tool_call_chunks: calls,
    additional_kwargs,
    response_metadata: { model_provider: PROVIDER }
  })
}

/** The last chunk of a stream: all that is said once. `usage` is left out when the caller does not want it. */
export const toClosingChunk = (
  end: WireEnvelope,
  choice: WireChoice,
  decision: GatewayDecision | undefined
): AnswerChunk => {
  const usage = toUsage(end.usage)
  // That it has finished is known where the server does not say why, too.
  const response_metadata: Record<string, unknown> = { finish_reason: null, ...metadataOf(end, choice, decision) }
  return new AnswerChunk({
    ...(end.id === undefined ? {} : { id: end.id }),
    content: "",
    response_metadata,
    ...(usage === undefined ? {} : { usage_metadata: usage })
  } as AIMessageChunkFields)
}

/** A call's outcome, with its tokens where callback handlers look for them. */
export const toResult = (generation: ChatGeneration): ChatResult => {
  const { usage_metadata: usage } = generation.message as { readonly usage_metadata?: UsageMetadata }
  if (usage === undefined) return { generations: [generation] }
  const tokenUsage = {
    promptTokens: usage.input_tokens,
    completionTokens: usage.output_tokens,
    totalTokens: usage.total_tokens
  }
  return { generations: [generation], llmOutput: { tokenUsage } }
}

/** What `response_metadata` says of an answer. */
export const metadataOf = (
  answer: WireEnvelope,
  choice: WireChoice,
  decision: GatewayDecision | undefined
): Record<string, unknown> => {
  const model = answer.model ?? decision?.model
  const metadata = {
    model_provider: PROVIDER,
    model,
    model_name: model,
    finish_reason: choice.finish_reason,
    logprobs: choice.logprobs,
    system_fingerprint: answer.system_fingerprint,
    service_tier: answer.service_tier,
    usage: answer.usage,
    gateway: decision
  }
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined && value !== null))
}

/** LangChain's names for the counts; the cost is with the decision, as core's merge drops what it does not know. */
export const toUsage = (usage: WireUsage | null | undefined): UsageMetadata | undefined => {
  if (usage === null || usage === undefined) return undefined
  const input = usage.prompt_tokens ?? 0
  const output = usage.completion_tokens ?? 0
  const read = usage.prompt_tokens_details
  const written = usage.completion_tokens_details
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: usage.total_tokens ?? input + output,
    input_token_details: counts({
      cache_read: read?.cached_tokens,
      cache_creation: read?.cache_creation_tokens ?? read?.cache_write_tokens,
      audio: read?.audio_tokens
    }),
    output_token_details: counts({ reasoning: written?.reasoning_tokens, audio: written?.audio_tokens })
  }
}

const counts = (details: Readonly<Record<string, number | null | undefined>>): Record<string, number> =>
  Object.fromEntries(Object.entries(details).filter((entry): entry is [string, number] => typeof entry[1] === "number"))

/** Under the names that LangChain's other packages use. */
const extrasOf = (message: WireMessage): Record<string, unknown> => {
  const reasoning = message.reasoning_content ?? message.reasoning
  return {
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(message.refusal ? { refusal: message.refusal } : {}),
    ...(message.audio ? { audio: message.audio } : {}),
    ...(message.annotations && message.annotations.length > 0 ? { annotations: message.annotations } : {})
  }
}

const toolCallsOf = (
  message: WireMessage
): { readonly valid: Array<ToolCall>; readonly invalid: Array<InvalidToolCall> } => {
  const valid: Array<ToolCall> = []
  const invalid: Array<InvalidToolCall> = []
  for (const { function: called, id } of message.tool_calls ?? []) {
    if (!called) continue
    const { arguments: text, name } = called
    const args = readArguments(text)
    const known = { name: name ?? "", id: id || newCallId() }
    if (args !== undefined) valid.push({ type: "tool_call", ...known, args })
    else invalid.push({ type: "invalid_tool_call", ...known, args: text ?? "", error: UNREADABLE })
  }
  return { valid, invalid }
}
