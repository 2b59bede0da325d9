/**
 * OpenAI's speech. Sound alone does not say what it cost. Where that is billed by the token, the vendor is asked for events, whose
 * last one says it, and the sound is put together here.
 */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import type { LiftedAnswer, BinaryAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import { charactersIn, speechUnit } from "../../../../core/operations/speech/SpeechBilling.ts"
import type { Dialect, UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { serverSentEvents } from "../../../framing/Sse.ts"
import { usageOf } from "../answer/OpenAiChatUsage.ts"
import { errorIn, failureOfErrorBody } from "../OpenAiErrors.ts"
import { forwarded, jsonRequest } from "../OpenAiForwarded.ts"
import { TypedEvents } from "../OpenAiEventStream.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectOr, textOf } from "../../../json/LooseJson.ts"

const DONE = "speech.audio.done"

const lower: Dialect["lower"] = (call) => {
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
  new TypedEvents(DONE, ({ usage }) => usageOf(usage) ?? byCharacter(call))

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

export const OpenAiSpeech: Dialect = { lower, liftRaw, lift: (text) => Result.fail(notSound(text)), stream }
