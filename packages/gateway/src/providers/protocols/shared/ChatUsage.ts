/** Usage as the chat API's `usage`. */
import type { JsonObject } from "../../../core/domain/Json.ts"
import { inputTokens, outputTokens, totalTokens, type Usage } from "../../../core/domain/Usage.ts"

export const wireUsage = (usage: Usage): JsonObject => ({
  prompt_tokens: inputTokens(usage),
  completion_tokens: outputTokens(usage),
  total_tokens: totalTokens(usage),
  prompt_tokens_details: {
    cached_tokens: usage.cachedInput + usage.cachedAudioInput,
    cache_write_tokens: usage.cacheWrite + usage.cacheWrite1h + usage.cacheWrite12h,
    audio_tokens: 0
  },
  completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: 0 }
})
