/** The demo vendor's pictures, speech and transcripts: one picture, one tone, and how long a recording is. */
import { Result, Schema } from "effect"
import { MultipartParser } from "effect/http"
import type { JsonObject } from "../../core/domain/Json.ts"
import { soundSeconds } from "@model-gateway/protocol/files"
import { anyObject, estimatedTokens, maybe, readBody } from "./chat/DemoRequest.ts"
import { type DemoAnswer, played, playedEvents, playedJson } from "./DemoPlayed.ts"
import { invalidRequest, modelNotFound, type VendorError } from "./DemoVendorErrors.ts"

export interface DemoMediaCall {
  /** After the base URL, e.g. `/chat/completions`. */
  readonly path: string
  readonly body: string
  /** A form, which is read as bytes, and its media type. */
  readonly form?: { readonly bytes: Uint8Array; readonly contentType: string }
  /** Epoch seconds. */
  readonly created: number
}

type MediaAnswer = Result.Result<DemoAnswer, VendorError>

/** A PNG file of 1,024 by 1,024 pixels in one colour, in base64. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAABAAAAAQAAQMAAABF07nAAAAAA1BMVEUfKkSu2pA2AAAAlklEQVR42u3BAQEAAACCIP+vbkhAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADvBgQeAAEN3jhkAAAAAElFTkSuQmCC"
/** Tokens that an image is said to have; it is billed by the image. */
const IMAGE_TOKENS = 272

const readFields = readBody(anyObject)

/** The fields of a body or a form, and the form's last file. */
const fieldsOf = ({ body, form }: DemoMediaCall, fileField: string) => {
  if (form === undefined) return Result.map(readFields(body), (fields) => ({ fields, file: undefined }))
  const read = formOf(form)
  return read?.file === undefined
    ? Result.fail(invalidRequest("We could not parse your multipart form.", fileField))
    : Result.succeed(read)
}

/** `kind`: how the types of events begin. Without a kind nothing is streamed. Every image is the same, whatever was asked for. */
export const images = (call: DemoMediaCall, kind?: string): MediaAnswer =>
  Result.flatMap(fieldsOf(call, "image"), ({ fields }) => {
    const { model, n = 1, partial_images: previews = 0, prompt = "", quality = "auto", stream = false } = fields
    if (model !== "picture") return Result.fail(modelNotFound(String(model)))
    const input = estimatedTokens(String(prompt).length)
    const output = Number(n) * IMAGE_TOKENS
    const usage = {
      total_tokens: input + output,
      input_tokens: input,
      output_tokens: output,
      input_tokens_details: { text_tokens: input, image_tokens: 0 }
    }
    const told = { size: "1024x1024", quality, background: "opaque", output_format: "png" }
    if (kind === undefined || String(stream) !== "true") {
      const data = Array.from({ length: Number(n) }, () => ({ b64_json: PICTURE }))
      return Result.succeed(playedJson({ created: call.created, data, ...told, usage }))
    }
    const event = (type: string, more: object) => ({
      type: `${kind}.${type}`,
      b64_json: PICTURE,
      created_at: call.created,
      ...told,
      ...more
    })
    const partial = Array.from({ length: Number(previews) }, (_, index) =>
      event("partial_image", { partial_image_index: index })
    )
    return Result.succeed(playedEvents([...partial, event("completed", { usage })]))
  })

const MAX_CHARACTERS = 4096
const SAMPLES_PER_SECOND = 8_000
/** The sound in one event. */
const PIECE_BYTES = 12_000

/** Two seconds of 16-bit samples, one channel: a tone of 220 Hz. */
const pcm = Buffer.from(
  Int16Array.from({ length: 2 * SAMPLES_PER_SECOND }, (_, at) =>
    Math.round(6_000 * Math.sin((2 * Math.PI * 220 * at) / SAMPLES_PER_SECOND))
  ).buffer
)

/** The 44 bytes before these samples in a WAV file. */
const HEAD = "52494646247d000057415645666d74201000000001000100401f0000803e00000200100064617461007d0000"
const wav = Buffer.concat([Buffer.from(HEAD, "hex"), pcm])

const readSpeech = readBody(
  Schema.Struct({
    model: Schema.String,
    input: Schema.String,
    response_format: maybe(Schema.String),
    stream_format: maybe(Schema.String)
  })
)

/** WAV or PCM, complete or as events. It has no other format. */
export const speech = ({ body }: DemoMediaCall): MediaAnswer =>
  Result.flatMap(readSpeech(body), ({ input, model, response_format: format, stream_format: streamed }) => {
    if (model !== "speech") return Result.fail(modelNotFound(model))
    if (input.length > MAX_CHARACTERS) {
      return Result.fail(invalidRequest(`Input should have at most ${MAX_CHARACTERS} characters`, "input"))
    }
    const [type, sound] = format === "pcm" ? (["audio/pcm", pcm] as const) : (["audio/wav", wav] as const)
    if (streamed !== "sse") return Result.succeed(played(type, [{ bytes: sound, tokens: 0 }]))
    const deltas = Array.from({ length: Math.ceil(sound.length / PIECE_BYTES) }, (_, index) => ({
      type: "speech.audio.delta",
      audio: sound.toString("base64", index * PIECE_BYTES, (index + 1) * PIECE_BYTES)
    }))
    return Result.succeed(playedEvents([...deltas, { type: "speech.audio.done" }]))
  })

export const transcription = (call: DemoMediaCall): MediaAnswer =>
  Result.flatMap(fieldsOf(call, "file"), ({ fields, file = Buffer.alloc(0) }) => {
    const { model, response_format: format = "json", stream } = fields
    if (model !== "transcribe") return Result.fail(modelNotFound(String(model)))
    const seconds = Math.round((soundSeconds(file, []) ?? 1) * 1000) / 1000
    const sentences = [`This is a recording of ${seconds} seconds.`, " The demo provider does not know its words."]
    const text = sentences.join("")
    const usage = { type: "duration", seconds: Math.ceil(seconds) }
    if (format === "json" && stream === "true") {
      const deltas = (text.match(/\S+\s*/g) ?? []).map((delta) => ({ type: "transcript.text.delta", delta }))
      return Result.succeed(playedEvents([...deltas, { type: "transcript.text.done", text, usage }]))
    }
    if (format === "json") return Result.succeed(playedJson({ text, usage }))
    if (format !== "verbose_json") {
      const message = `response_format '${String(format)}' is not compatible with model 'transcribe'.`
      return Result.fail(invalidRequest(message, "response_format"))
    }
    const sure = { temperature: 0, avg_logprob: -0.1, compression_ratio: 1, no_speech_prob: 0 }
    // One for each of the two sentences, half of the recording each.
    const segments = sentences.map((sentence, id) => {
      const times = { start: (id * seconds) / 2, end: ((id + 1) * seconds) / 2 }
      return { id, seek: 0, ...times, text: sentence, tokens: [], ...sure }
    })
    const task = call.path.endsWith("translations") ? "translate" : "transcribe"
    return Result.succeed(playedJson({ task, language: "english", duration: seconds, text, segments, usage }))
  })

interface DemoForm {
  readonly fields: JsonObject
  readonly file: Buffer | undefined
}

/** The fields of a form, and its last file; undefined: it is no form. */
const formOf = ({ bytes, contentType }: NonNullable<DemoMediaCall["form"]>): DemoForm | undefined => {
  const fields: Record<string, string> = {}
  let file: Buffer | undefined
  let isComplete = false
  const parser = MultipartParser.make({
    headers: { "content-type": contentType },
    onField: (info, value) => (fields[info.name] = MultipartParser.decodeField(info, value)),
    onFile: () => {
      const pieces: Array<Uint8Array> = []
      return (piece) => {
        if (piece === null) file = Buffer.concat(pieces)
        else pieces.push(piece)
      }
    },
    onError: () => (isComplete = false),
    onDone: () => (isComplete = true)
  })
  parser.write(bytes)
  return isComplete ? { fields, file } : undefined
}
