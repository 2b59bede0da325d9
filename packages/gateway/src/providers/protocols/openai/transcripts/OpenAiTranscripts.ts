/**
 * OpenAI's transcriptions and translations. The upstream is asked for a format that tells the usage, and the answer is written in
 * the format that the caller wants.
 *
 * Formats: `Formats.ts`. Usage: `Usage.ts`. Stream: `Stream.ts`.
 */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { LiftedAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { formBody } from "../../../transport/FormBody.ts"
import { errorIn, failureOfErrorBody } from "../OpenAiErrors.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject } from "../../../json/LooseJson.ts"
import { isJsonFormat, plainText, upstreamFormat, wantedFormat, written } from "./OpenAiTranscriptsFormats.ts"
import { replay, TranscriptStream } from "./OpenAiTranscriptsStream.ts"
import { transcriptUsageOf } from "./OpenAiTranscriptsUsage.ts"

const lower =
  (path: string): Dialect["lower"] =>
  (call) => {
    const { deployment, request } = call
    const { response_format: _, stream: __, ...fields } = request.body
    const format = upstreamFormat(call)
    const named = format === "json" && request.body["response_format"] === undefined ? {} : { response_format: format }
    const { body, form, headers } = formBody(
      { ...fields, model: deployment.model, ...named, ...(request.stream ? { stream: true } : {}) },
      request.files ?? []
    )
    const accept = request.stream ? "text/event-stream" : isJsonFormat(format) ? "application/json" : "*/*"
    return Result.succeed({ path, headers: { ...headers, accept }, body, form, dropped: [] })
  }

const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const wanted = wantedFormat(call)
  const parsed = parseJson(text)
  if (isObject(parsed)) {
    const error = errorIn(parsed)
    if (error !== undefined) return Result.fail(failureOfErrorBody(error, parsed))
  }
  if (!isJsonFormat(upstreamFormat(call))) {
    if (text.trim() === "") return Result.fail(truncated("the response is empty"))
    return Result.succeed({ body: { text }, raw: plainText(text), usage: undefined })
  }
  if (!isObject(parsed)) return Result.fail(truncated("the response is not JSON"))
  if (typeof parsed["text"] !== "string") return Result.fail(truncated("the response has no text"))
  return written(parsed, wanted, text, transcriptUsageOf(parsed, call))
}

const dialect = (path: string): Dialect => ({
  lower: lower(path),
  lift,
  stream: (call) => new TranscriptStream(call),
  replay
})

export const OpenAiTranscriptions: Dialect = dialect("/audio/transcriptions")
export const OpenAiTranslations: Dialect = dialect("/audio/translations")
