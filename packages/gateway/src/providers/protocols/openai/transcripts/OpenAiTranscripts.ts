/**
 * OpenAI's transcriptions and translations. The upstream is asked for a format that reports the usage, and the answer is written in
 * the format that the caller wants.
 */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { Usage } from "../../../../core/domain/Usage.ts"
import type { BinaryAnswer, LiftedAnswer, StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectsIn, textOf } from "../../../json/LooseJson.ts"
import { formBody } from "../../../transport/FormBody.ts"
import { errorIn, failureOfErrorBody } from "../OpenAiErrors.ts"
import { lastEvents, TypedEvents } from "../OpenAiEventStream.ts"
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

/** What the caller wants. A stream has no other format than that of its events. */
const wantedFormat = ({ request }: UpstreamCall): string => {
  const wanted = textOf(request.body["response_format"]) ?? "json"
  return request.stream && wanted !== "diarized_json" ? "json" : wanted
}

/**
 * The format to ask for. A model that times its words reports the length of the recording only in `verbose_json`, of which subtitles are
 * written too. Servers other than the vendor's own may lack it, so they are asked for it only where nothing else will do.
 */
const upstreamFormat = (call: UpstreamCall): string => {
  const wanted = wantedFormat(call)
  const { isNative, timesTranscripts: isTimed = false } = call.deployment.quirks ?? {}
  switch (wanted) {
    case "srt":
    case "vtt":
      return isTimed ? "verbose_json" : wanted
    case "json":
    case "text":
      return isTimed && isNative === true ? "verbose_json" : "json"
    default:
      return wanted
  }
}

const isJsonFormat = (format: string): boolean => format.endsWith("json")

const plainText = (text: string): BinaryAnswer => ({
  contentType: "text/plain; charset=utf-8",
  bytes: Buffer.from(text)
})

/** The answer in the format that is wanted. `text`: the JSON that `body` came as. */
const written = (
  body: JsonObject,
  wanted: string,
  text: string,
  usage: Usage | undefined
): Result.Result<LiftedAnswer, ProviderFailure> => {
  const said = String(body["text"])
  const raw = (content: string) => Result.succeed({ body: { text: said }, raw: plainText(content), usage })
  switch (wanted) {
    case "text":
      return raw(`${said}\n`)
    case "srt":
    case "vtt": {
      const segments = segmentsIn(body)
      if (segments === undefined) return Result.fail(truncated("the response has no segments to make subtitles of"))
      return raw(wanted === "srt" ? srt(segments) : vtt(segments))
    }
    case "json": {
      if (body["segments"] === undefined) return Result.succeed({ body, text, usage })
      const { text: own, usage: told } = body
      return Result.succeed({ body: { text: own, ...(told === undefined ? {} : { usage: told }) }, usage })
    }
    default:
      return Result.succeed({ body, text, usage })
  }
}

interface Segment {
  /** Seconds. */
  readonly start: number
  readonly end: number
  readonly text: string
}

const segmentsIn = (body: JsonObject): ReadonlyArray<Segment> | undefined => {
  const { segments } = body
  if (!Array.isArray(segments)) return undefined
  const found = objectsIn(segments).flatMap(({ end, start, text }) =>
    typeof start === "number" && typeof end === "number" && typeof text === "string" ? [{ start, end, text }] : []
  )
  return found.length === segments.length ? found : undefined
}

/** As Whisper writes them: https://github.com/openai/whisper/blob/main/whisper/utils.py (2026-11-22). */
const srt = (segments: ReadonlyArray<Segment>): string =>
  segments
    .map(({ end, start, text }, index) => `${index + 1}\n${time(start, ",")} --> ${time(end, ",")}\n${words(text)}\n\n`)
    .join("")

const vtt = (segments: ReadonlyArray<Segment>): string =>
  `WEBVTT\n\n${segments.map(({ end, start, text }) => `${time(start, ".")} --> ${time(end, ".")}\n${words(text)}\n\n`).join("")}`

/** An arrow in the words would begin another subtitle. */
const words = (text: string): string => text.trim().replaceAll("-->", "->")

const time = (seconds: number, mark: string): string => {
  const all = Math.round(seconds * 1000)
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0")
  return `${two(all / 3_600_000)}:${two((all / 60_000) % 60)}:${two((all / 1000) % 60)}${mark}${String(all % 1000).padStart(3, "0")}`
}

const DONE = "transcript.text.done"

/** Whisper answers a request for a stream with a complete transcript. */
const replay = ({ body, usage }: LiftedAnswer): ReadonlyArray<StreamEvent> => {
  const { text, usage: told } = body
  const done = JSON.stringify({ type: DONE, text, ...(told === undefined ? {} : { usage: told }) })
  return [
    { kind: "content", data: JSON.stringify({ type: "transcript.text.delta", delta: text }) },
    ...lastEvents(done, usage)
  ]
}

const dialect = (path: string): Dialect => ({
  lower: lower(path),
  lift,
  stream: (call) => new TypedEvents(DONE, (event) => transcriptUsageOf(event, call)),
  replay
})

export const OpenAiTranscriptions: Dialect = dialect("/audio/transcriptions")
export const OpenAiTranslations: Dialect = dialect("/audio/translations")
