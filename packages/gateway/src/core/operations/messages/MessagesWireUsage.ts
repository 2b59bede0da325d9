import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, outputTokens, type Usage } from "../../domain/Usage.ts"

/** Usage in Anthropic's shape, whose cached tokens come on top of `input_tokens`. */
export const wireUsage = (usage: Usage): JsonObject => {
  const written = usage.cacheWrite + usage.cacheWrite1h + usage.cacheWrite12h
  const cached = usage.cachedInput + usage.cachedAudioInput
  return {
    input_tokens: inputTokens(usage) - cached - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: outputTokens(usage),
    ...(usage.reasoning === 0 ? {} : { output_tokens_details: { thinking_tokens: usage.reasoning } })
  }
}
