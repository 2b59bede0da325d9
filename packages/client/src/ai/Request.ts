/** A call of the AI SDK as a chat request, and what of it can't be said in one. */
import type { LanguageModelV4CallOptions, SharedV4ProviderOptions, SharedV4Warning } from "@ai-sdk/provider"
import type { Whole } from "../api/Chat.ts"
import type { CallOptions } from "../Settings.ts"
import type { ChatRequest } from "../wire/Inference.ts"
import { messagesOf } from "./Prompt.ts"

export interface Asked {
  readonly body: Whole<ChatRequest>
  readonly options: CallOptions
  readonly warnings: Array<SharedV4Warning>
}

export const chatRequest = (model: string, call: LanguageModelV4CallOptions): Asked => {
  const warnings: Array<SharedV4Warning> = []
  const { fields, options } = ownOptions(call)
  const tools = call.tools?.flatMap((tool) => {
    if (tool.type === "provider") {
      warnings.push({ type: "unsupported", feature: `tool ${tool.id}`, details: "Only functions can be called." })
      return []
    }
    const { description, inputSchema, name, strict } = tool
    return [
      {
        type: "function",
        function: {
          name,
          parameters: inputSchema,
          ...(description === undefined ? {} : { description }),
          ...(strict === undefined ? {} : { strict })
        }
      }
    ]
  })
  const body: Whole<ChatRequest> = {
    model,
    messages: messagesOf(call.prompt),
    max_completion_tokens: call.maxOutputTokens,
    temperature: call.temperature,
    top_p: call.topP,
    top_k: call.topK,
    presence_penalty: call.presencePenalty,
    frequency_penalty: call.frequencyPenalty,
    seed: call.seed,
    stop: call.stopSequences,
    reasoning_effort: call.reasoning === "provider-default" ? undefined : call.reasoning,
    response_format: formatOf(call.responseFormat),
    tools: tools?.length === 0 ? undefined : tools,
    tool_choice: choiceOf(call.toolChoice),
    ...fields,
    // Which of the two it is, the AI SDK says by what it calls.
    stream: undefined
  }
  return { body, options, warnings }
}

const formatOf = (format: LanguageModelV4CallOptions["responseFormat"]): ChatRequest["response_format"] => {
  if (format?.type !== "json") return undefined
  if (format.schema === undefined) return { type: "json_object" }
  const { description, name = "answer", schema } = format
  return {
    type: "json_schema",
    json_schema: { name, schema, strict: true, ...(description === undefined ? {} : { description }) }
  }
}

const choiceOf = (choice: LanguageModelV4CallOptions["toolChoice"]): unknown =>
  choice?.type === "tool" ? { type: "function", function: { name: choice.toolName } } : choice?.type

type OwnOptions = Omit<CallOptions, "headers" | "timeout" | "maxRetries" | "signal"> & {
  readonly [field: string]: unknown
}

interface Caller {
  readonly providerOptions?: SharedV4ProviderOptions
  readonly abortSignal?: AbortSignal
  readonly headers?: Record<string, string | undefined>
}

/** `providerOptions.gateway`: what is asked of the gateway; whatever else stands there goes into the body. */
export const ownOptions = ({ abortSignal, headers = {}, providerOptions }: Caller) => {
  const own = (providerOptions?.["gateway"] as OwnOptions | undefined) ?? {}
  const { cache, content, endUser, guardrails, idempotencyKey, noFallback, prefer, recovery, ...others } = own
  const { session, strict, tags, ...fields } = others
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const options: CallOptions = {
    cache,
    content,
    endUser,
    guardrails,
    idempotencyKey,
    noFallback,
    prefer,
    recovery,
    session,
    strict,
    tags,
    headers: Object.fromEntries(given),
    // The AI SDK tries again by itself.
    maxRetries: 0,
    signal: abortSignal
  }
  return { fields, options }
}
