/** The formats of a transcript: which one is asked for, and how one is made of another. */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { Usage } from "../../../../core/domain/Usage.ts"
import type { LiftedAnswer, BinaryAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { objectsIn } from "../../../json/LooseJson.ts"

/** What the caller wants. A stream has no other format than that of its events. */
export const wantedFormat = ({ request }: UpstreamCall): string => {
  const format = request.body["response_format"]
  const wanted = typeof format === "string" && format !== "" ? format : "json"
  return request.stream && wanted !== "diarized_json" ? "json" : wanted
}

/**
 * The format to ask for. A model that times its words tells the length of the recording only in `verbose_json`. Subtitles are written here from `verbose_json`, where the model has it. Servers other than the vendor's
 * own may lack `verbose_json`, so they are asked for it only where nothing else will do.
 */
export const upstreamFormat = (call: UpstreamCall): string => {
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

export const isJsonFormat = (format: string): boolean => format.endsWith("json")

export const plainText = (text: string): BinaryAnswer => ({
  contentType: "text/plain; charset=utf-8",
  bytes: Buffer.from(text)
})

/** The answer in the format that is wanted. `text`: the JSON that `body` came as. */
export const written = (
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
