/** How transcripts say what they hold and what they used. */
import { Result } from "effect"
import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, outputTokens, totalTokens, type Usage } from "../../domain/Usage.ts"

/** The `usage` of a transcript: by the second, or by the token. */
export const transcriptUsage = (usage: Usage): JsonObject =>
  usage.audioSeconds > 0
    ? { type: "duration", seconds: usage.audioSeconds }
    : {
        type: "tokens",
        input_tokens: inputTokens(usage),
        input_token_details: { text_tokens: usage.input, audio_tokens: usage.audioInput },
        output_tokens: outputTokens(usage),
        total_tokens: totalTokens(usage)
      }

/** The text of a `transcript.text.delta`; other events repeat what came, or hold none. */
export const deltaText = (data: string): string => {
  const event = Result.getOrUndefined(Result.try(() => JSON.parse(data) as { readonly delta?: unknown }))
  return typeof event?.delta === "string" ? event.delta : ""
}
