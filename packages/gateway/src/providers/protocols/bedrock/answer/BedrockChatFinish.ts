/** Why an answer ended. */
import type { AnthropicFinish } from "../../anthropic/answer/AnthropicChatFinish.ts"

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (2026-11-22). */
const reasons = new Map<unknown, AnthropicFinish>([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["content_filtered", "content_filter"],
  ["guardrail_intervened", "content_filter"]
])

/** What the model wrote makes no sense: another attempt may. */
const MALFORMED = new Set<unknown>(["malformed_model_output", "malformed_tool_use"])

export const isMalformed = (stopReason: unknown): boolean => MALFORMED.has(stopReason)

/** `calls`: how many tool calls the caller gets. The others (`end_turn`, `stop_sequence`, `tool_use`) follow from it. */
export const finishReason = (stopReason: unknown, calls: number): AnthropicFinish =>
  reasons.get(stopReason) ?? (calls > 0 ? "tool_calls" : "stop")
