import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, outputTokens, totalTokens, type Usage } from "../../domain/Usage.ts"

/** Usage in OpenAI's shape. */
export const wireUsage = (usage: Usage): JsonObject => ({
  prompt_tokens: inputTokens(usage),
  completion_tokens: outputTokens(usage),
  total_tokens: totalTokens(usage),
  prompt_tokens_details: {
    cached_tokens: usage.cachedInput + usage.cachedAudioInput,
    audio_tokens: usage.audioInput + usage.cachedAudioInput
  },
  completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: usage.audioOutput }
})
