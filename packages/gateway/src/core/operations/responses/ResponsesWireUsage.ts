import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, outputTokens, totalTokens, type Usage } from "../../domain/Usage.ts"

/** Usage as a response tells it. */
export const wireUsage = (usage: Usage): JsonObject => ({
  input_tokens: inputTokens(usage),
  input_tokens_details: {
    cached_tokens: usage.cachedInput + usage.cachedAudioInput,
    cache_write_tokens: usage.cacheWrite + usage.cacheWrite1h + usage.cacheWrite12h
  },
  output_tokens: outputTokens(usage),
  output_tokens_details: { reasoning_tokens: usage.reasoning },
  total_tokens: totalTokens(usage)
})
