/** Transcriptions, and translations into English. A translation is a transcript that is never streamed. */
import { transcriptsContent } from "@model-gateway/protocol"
import type { Operation } from "../Operation.ts"
import { LastEventRelay } from "../LastEventRelay.ts"
import { wrong } from "../ParseFields.ts"
import { nothing } from "../ProducedText.ts"
import type { RequestBody } from "../RequestBody.ts"
import { costInUsd, gatewayObject } from "../RoutingMetadata.ts"
import { readTranscription } from "./ReadTranscription.ts"
import { Result } from "effect"
import type { JsonObject } from "../../domain/Json.ts"
import { type Usage, inputTokens, outputTokens, totalTokens } from "../../domain/Usage.ts"

const transcripts = (name: string, path: string, mayStream: boolean): Operation => ({
  name,
  path,
  accepts: "form",
  content: transcriptsContent,
  read: (body: RequestBody) =>
    body.kind === "form"
      ? readTranscription(body, mayStream)
      : wrong("file", "the body must be a form (multipart/form-data) with a file in `file`"),
  produced: ({ text }) => ({ ...nothing, text: typeof text === "string" ? text : "" }),
  withMetadata: ({ body, raw }, usage, metadata) =>
    raw ??
    JSON.stringify({
      ...body,
      usage: { ...(body["usage"] ?? transcriptUsage(usage)), cost: costInUsd(metadata) },
      gateway: gatewayObject(metadata)
    }),
  relay: () => new LastEventRelay({ textOf: deltaText, usage: transcriptUsage })
})

export const transcriptions = transcripts("transcriptions", "/v1/audio/transcriptions", true)
export const translations = transcripts("translations", "/v1/audio/translations", false)

// How transcripts say what they hold and what they used.
/** The `usage` of a transcript: by the second, or by the token. */
const transcriptUsage = (usage: Usage): JsonObject =>
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
const deltaText = (data: string): string => {
  const event = Result.getOrUndefined(Result.try(() => JSON.parse(data) as { readonly delta?: unknown }))
  return typeof event?.delta === "string" ? event.delta : ""
}
