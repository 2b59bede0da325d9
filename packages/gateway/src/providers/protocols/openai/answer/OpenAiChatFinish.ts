/**
 * Why a response ended, in OpenAI's words. A response that was blocked or broke off must not look like one that is finished.
 *
 * Where the words come from, all read on 2026-11-22:
 * - Gemini's, which its OpenAI-compatible endpoint passes on, alone or after `content_filter: ` and `function_call_filter: `:
 *   https://docs.cloud.google.com/ruby/docs/reference/google-cloud-ai_platform-v1/0.43.0/Google-Cloud-AIPlatform-V1-Candidate-FinishReason
 *   and https://cloud.google.com/dotnet/docs/reference/Google.Cloud.AIPlatform.V1Beta1/latest/Google.Cloud.AIPlatform.V1Beta1.Candidate.Types.FinishReason
 *   (`MODEL_ARMOR` and `UNEXPECTED_TOOL_CALL` were recorded on Vertex).
 *   The newer words (`IMAGE_RECITATION`, `MALFORMED_RESPONSE`, `TOO_MANY_TOOL_CALLS` and so on) are in the enum of `@google/genai` 2.12.0.
 * - `insufficient_system_resource`: DeepSeek's reference as quoted by
 *   https://deepseekv4pro.com/guides/deepseek-create-chat-completion-api; `abort`, `error`: `FINISH_REASON_STRINGS` in vLLM's
 *   `vllm/v1/engine/__init__.py`; `sensitive`, `network_error`, `model_context_window_exceeded`: clients of Z.ai, not its own pages.
 * - `eos`: recorded at Together. `""` instead of null: recorded at Snowflake.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { ProviderFailure } from "../../../../core/domain/Failures.ts"
import type { Usage } from "../../../../core/domain/Usage.ts"

export type OpenAiFinish = "stop" | "length" | "tool_calls" | "content_filter" | "function_call"

/** `failed`: there is no response. `unexpected_call`: there is one when the tool call came all the same. */
type Meaning = OpenAiFinish | "failed" | "unexpected_call"

const listed = (meaning: Meaning, words: string): ReadonlyArray<readonly [string, Meaning]> =>
  words.split(" ").map((word) => [word, meaning] as const)

const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ...listed("stop", "stop eos eos_token end_turn stop_sequence complete completed"),
  ...listed("length", "length max_tokens model_length max_length model_context_window_exceeded continuation"),
  ...listed("tool_calls", "tool_calls tool_use tool_call"),
  ...listed("function_call", "function_call"),
  ...listed("content_filter", "content_filter content_filtered guardrail_intervened refusal sensitive"),
  ...listed("content_filter", "safety recitation blocklist prohibited_content spii model_armor language other"),
  ...listed("content_filter", "image_safety image_prohibited_content image_recitation image_other"),
  ...listed("failed", "error abort aborted network_error insufficient_system_resource"),
  ...listed("failed", "malformed_function_call malformed_response function_call_filter too_many_tool_calls"),
  ...listed("failed", "missing_thought_signature no_image"),
  ...listed("unexpected_call", "unexpected_tool_call")
])

const isOwn = (reason: string): reason is OpenAiFinish =>
  reason === "stop" || reason === "length" || reason === "tool_calls" || reason === "content_filter"

/** What follows the colon says more than what stands before it. What nobody knows is an ordinary end. */
const meaningOf = (reason: string): Meaning => {
  const words = reason.toLowerCase()
  const known = MEANINGS.get(words)
  if (known !== undefined) return known
  const colon = words.indexOf(":")
  if (colon < 0) return "stop"
  return MEANINGS.get(words.slice(colon + 1).trim()) ?? MEANINGS.get(words.slice(0, colon).trim()) ?? "stop"
}

/** Whether a choice ended with a reason whose meaning is known. */
export const isKnownEnd = ({ finish_reason: reason }: JsonObject): boolean =>
  typeof reason === "string" && (isOwn(reason) || MEANINGS.has(reason.toLowerCase()))

/** `reason` in OpenAI's vocabulary; undefined where it says that the provider has failed. */
export const finishReason = (reason: string, calledTools: boolean): OpenAiFinish | undefined => {
  const meaning = isOwn(reason) ? reason : meaningOf(reason)
  if (meaning === "failed") return undefined
  if (meaning === "unexpected_call") return calledTools ? "tool_calls" : undefined
  // Clients go by the reason: they would call nothing, and ask again for ever.
  if (meaning === "tool_calls" && !calledTools) return "stop"
  return meaning === "stop" && calledTools ? "tool_calls" : meaning
}

const MAX_REASON = 100

/** The failure of a response that ended with `reason`. `usage`: what it used all the same, where that was told. */
export const stoppedWith = (reason: string, usage?: Usage): ProviderFailure => {
  const message =
    reason === "error"
      ? "the provider stopped with an error"
      : `the provider stopped with ${JSON.stringify(reason.slice(0, MAX_REASON))}`
  const words = { class: "truncated", status: 200, message, type: null, code: null, param: null } as const
  return new ProviderFailure(usage === undefined ? words : { ...words, usage })
}
