/** OpenAI's transcriptions and translations: asked for in a format that reports the usage, and written in the caller's format. */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import type { BinaryAnswer, LiftedAnswer, StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import { charactersIn, speechUnit } from "../../../../core/operations/speech/Speech.ts"
import type { Dialect, UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { serverSentEvents } from "../../../framing/Sse.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectOr, objectsIn, textOf, isGarbage, type JsonObject } from "../../../json/LooseJson.ts"
import { formBody } from "../../../transport/FormBody.ts"
import { errorIn, failureOfErrorBody } from "../OpenAiErrors.ts"
import { lastEvents, TypedEvents } from "../OpenAiEventStream.ts"
import { forwarded, jsonRequest } from "../OpenAiForwarded.ts"
import { usageOf } from "../answer/OpenAiChatUsage.ts"

/** A recording of a year; what claims to be longer is garbage. */
const MOST_SECONDS = 31_536_000

/** Undefined where the provider told nothing that the deployment has a price for. */
const transcriptUsageOf = (body: JsonObject, { deployment, now }: UpstreamCall): Usage | undefined => {
  const told = objectOr(body["usage"])
  const tokens = told["type"] === "duration" ? undefined : tokensIn(told)
  const seconds = secondsIn(told["seconds"]) ?? secondsIn(body["duration"])
  const timed = seconds === undefined ? undefined : { ...noUsage, audioSeconds: Math.ceil(seconds) }
  const rates = deployment.price?.ratesAt(now).base
  if (rates === undefined) return tokens ?? timed
  if (!Number.isNaN(rates.audioSeconds)) return timed ?? (Number.isNaN(rates.output) ? undefined : tokens)
  return tokens ?? (Number.isNaN(rates.output) ? timed : undefined)
}

const tokensIn = (usage: JsonObject): Usage | undefined => {
  const [input, output] = [count(usage["input_tokens"]), count(usage["output_tokens"])]
  if (input === undefined || output === undefined) return undefined
  const details = objectOr(usage["input_token_details"] ?? usage["input_tokens_details"])
  const text = isObject(details) ? count(details["text_tokens"]) : undefined
  // What is not said to be text counts as sound, which is the more expensive.
  const read = Math.min(input, text ?? Math.max(0, input - (count(details["audio_tokens"]) ?? input)))
  return { ...noUsage, input: read, audioInput: input - read, output }
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && !isGarbage(value) ? value : undefined

/** Some servers write it as a text. */
const secondsIn = (value: unknown): number | undefined => {
  const seconds = typeof value === "string" && value !== "" ? Number(value) : value
  return typeof seconds === "number" && seconds >= 0 && seconds <= MOST_SECONDS ? seconds : undefined
}

// OpenAI's speech. Sound alone does not say what it cost. Where that is billed by the token, the vendor is asked for events, whose
// last one says it, and the sound is put together here.

const SPEECH_DONE = "speech.audio.done"

const lowerSpeech: Dialect["lower"] = (call) => {
  const { stream_format: _, ...fields } = forwarded(call).body
  const isEvents = call.request.stream || reportsInEvents(call)
  const wire = jsonRequest("/audio/speech", isEvents ? { ...fields, stream_format: "sse" } : fields, { streams: true })
  return Result.succeed(isEvents ? wire : { ...wire, headers: { accept: "*/*" } })
}

/** The vendor's own models have events, but for some. */
const reportsInEvents = ({ deployment }: UpstreamCall): boolean =>
  deployment.quirks?.isNative === true &&
  speechUnit(deployment) === "token" &&
  deployment.facts?.protocol?.["speechEvents"] !== false

const liftRaw = (
  { bytes, contentType }: BinaryAnswer,
  call: UpstreamCall
): Result.Result<LiftedAnswer, ProviderFailure> => {
  if (/^text\/event-stream/i.test(contentType)) return joined(bytes, call)
  if (/json/i.test(contentType)) return Result.fail(notSound(Buffer.from(bytes).toString()))
  if (bytes.length === 0) return Result.fail(truncated("the response is empty"))
  return Result.succeed({ body: {}, raw: { contentType, bytes }, usage: byCharacter(call) })
}

const notSound = (text: string): ProviderFailure => {
  const body = parseJson(text)
  const error = isObject(body) ? errorIn(body) : undefined
  return !isObject(body) || error === undefined
    ? truncated(text.trim() === "" ? "the response is empty" : "the response is not audio")
    : failureOfErrorBody(error, body)
}

const joined = (bytes: Uint8Array, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const decoder = serverSentEvents.decoder()
  const pieces: Array<Buffer> = []
  const events = stream(call)
  let usage: Usage | undefined
  let isComplete = false
  for (const event of [...decoder.push(bytes), ...decoder.end()].flatMap((one) => events.push(one))) {
    if (event.kind === "failed") return Result.fail(event.failure)
    if (event.kind === "malformed") return Result.fail(truncated("the provider sent events that can't be read"))
    if (event.kind === "content") pieces.push(Buffer.from(String(objectOr(parseJson(event.data))["audio"]), "base64"))
    if (event.kind === "usage") usage = event.usage
    if (event.kind === "done") isComplete = true
  }
  if (!isComplete) return Result.fail(truncated("the provider's stream ended before the response did"))
  const raw = { contentType: typeOf(call.request.body["response_format"]), bytes: Buffer.concat(pieces) }
  return Result.succeed({ body: {}, raw, usage })
}

const stream = (call: UpstreamCall): TypedEvents =>
  new TypedEvents(SPEECH_DONE, ({ usage }) => usageOf(usage) ?? byCharacter(call))

/** What was spoken is known without being told. */
const byCharacter = ({ deployment, request }: UpstreamCall): Usage | undefined =>
  speechUnit(deployment) === "token"
    ? undefined
    : { ...noUsage, characters: charactersIn(String(request.body["input"])) }

const TYPES: { readonly [format: string]: string } = {
  mp3: "audio/mpeg",
  opus: "audio/opus",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm"
}

const typeOf = (format: unknown): string => TYPES[textOf(format) ?? "mp3"] ?? "application/octet-stream"

export const OpenAiSpeech: Dialect = {
  lower: lowerSpeech,
  liftRaw,
  lift: (text) => Result.fail(notSound(text)),
  stream
}

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
