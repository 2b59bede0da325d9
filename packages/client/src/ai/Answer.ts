/** Answers of the gateway in the AI SDK's words. */
import {
  APICallError,
  type JSONObject,
  type LanguageModelV4Content,
  type LanguageModelV4FinishReason,
  type LanguageModelV4Usage,
  type SharedV4ProviderMetadata
} from "@ai-sdk/provider"
import { pauseBefore } from "../connection/Retry.ts"
import type { Decision } from "../Decision.ts"
import { GatewayError, StreamInterruptedError } from "../Errors.ts"
import type { ChatCompletion, Usage } from "../wire/Inference.ts"

/** `providerMetadata.gateway`: the decision; null where another server answered. */
export const metadataOf = (decision: Decision | undefined): SharedV4ProviderMetadata =>
  decision === undefined ? {} : { gateway: { ...decision } }

export const contentOf = (answer: Pick<ChatCompletion, "choices">): Array<LanguageModelV4Content> => {
  const { content, reasoning_content: thoughts, tool_calls: calls } = answer.choices[0]?.message ?? {}
  return [
    ...(thoughts ? [{ type: "reasoning" as const, text: thoughts }] : []),
    ...(content ? [{ type: "text" as const, text: content }] : []),
    ...(calls ?? []).map((call) => ({
      type: "tool-call" as const,
      toolCallId: call.id,
      toolName: call.function?.name ?? "",
      input: call.function?.arguments ?? "{}"
    }))
  ]
}

const reasons = {
  stop: "stop",
  length: "length",
  content_filter: "content-filter",
  tool_calls: "tool-calls",
  function_call: "tool-calls"
} as const

export const finishOf = (raw: string | null | undefined): LanguageModelV4FinishReason => ({
  unified: Object.hasOwn(reasons, raw ?? "") ? reasons[raw as keyof typeof reasons] : "other",
  raw: raw ?? undefined
})

export const usageOf = (usage: Usage | null | undefined): LanguageModelV4Usage => {
  const cached = numberIn(usage?.["prompt_tokens_details"], "cached_tokens")
  const written = numberIn(usage?.["prompt_tokens_details"], "cache_creation_tokens")
  const thought = numberIn(usage?.["completion_tokens_details"], "reasoning_tokens")
  const { completion_tokens: output, prompt_tokens: input } = usage ?? {}
  return {
    inputTokens: {
      total: input,
      noCache: input === undefined ? undefined : input - (cached ?? 0) - (written ?? 0),
      cacheRead: cached,
      cacheWrite: written
    },
    outputTokens: {
      total: output,
      text: output === undefined ? undefined : output - (thought ?? 0),
      reasoning: thought
    },
    ...(usage ? { raw: usage as JSONObject } : {})
  }
}

const numberIn = (value: unknown, name: string): number | undefined => {
  const number = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined
  return typeof number === "number" ? number : undefined
}

/** What the AI SDK asks an error: whether another try helps, and when. The original is its cause. */
export const thrown = (error: unknown, url: string, body: unknown): unknown => {
  if (!(error instanceof GatewayError) || error instanceof StreamInterruptedError) return error
  const { headers, message, status } = error
  return new APICallError({
    message,
    url,
    requestBodyValues: body,
    cause: error,
    isRetryable: pauseBefore(error, 0, false) !== undefined,
    ...(status === undefined ? {} : { statusCode: status }),
    ...(headers === undefined ? {} : { responseHeaders: Object.fromEntries(headers) })
  })
}
