/** The demo vendor's speech: the same tone for every text, as WAV or PCM, complete or as events. It has no other format. */
import { Result, Schema } from "effect"
import { playedEvents, playedWhole } from "./DemoPlayed.ts"
import { invalidRequest, modelNotFound } from "./DemoVendorErrors.ts"

const MAX_CHARACTERS = 4096
/** The sound in one event. */
const PIECE_BYTES = 12_000

const SAMPLES_PER_SECOND = 8_000
const HERTZ = 220

/** Two seconds of 16-bit samples, one channel. */
const pcm = Buffer.from(
  Int16Array.from({ length: 2 * SAMPLES_PER_SECOND }, (_, at) =>
    Math.round(6_000 * Math.sin((2 * Math.PI * HERTZ * at) / SAMPLES_PER_SECOND))
  ).buffer
)

const wav = Buffer.concat([Buffer.alloc(44), pcm])
wav.write("RIFF", 0, "latin1")
wav.writeUInt32LE(wav.length - 8, 4)
wav.write("WAVEfmt ", 8, "latin1")
wav.writeUInt32LE(16, 16)
wav.writeUInt16LE(1, 20)
wav.writeUInt16LE(1, 22)
wav.writeUInt32LE(SAMPLES_PER_SECOND, 24)
wav.writeUInt32LE(SAMPLES_PER_SECOND * 2, 28)
wav.writeUInt16LE(2, 32)
wav.writeUInt16LE(16, 34)
wav.write("data", 36, "latin1")
wav.writeUInt32LE(pcm.length, 40)

const decode = Schema.decodeUnknownResult(
  Schema.fromJsonString(
    Schema.Struct({
      model: Schema.String,
      input: Schema.String,
      response_format: Schema.optional(Schema.String),
      stream_format: Schema.optional(Schema.String)
    })
  )
)

export const speech = ({ body }: { readonly body: string }) => {
  const read = decode(body)
  if (Result.isFailure(read)) return Result.fail(invalidRequest("We could not parse the body of your request.", null))
  const { input, model, response_format: format, stream_format: streamed } = read.success
  if (model !== "speech") return Result.fail(modelNotFound(model))
  if (input.length > MAX_CHARACTERS) {
    return Result.fail(invalidRequest(`Input should have at most ${MAX_CHARACTERS} characters`, "input"))
  }
  const [type, sound] = format === "pcm" ? (["audio/pcm", pcm] as const) : (["audio/wav", wav] as const)
  return Result.succeed(streamed === "sse" ? events(sound) : playedWhole(type, sound))
}

const events = (sound: Buffer) => {
  const pieces: Array<object> = []
  for (let at = 0; at < sound.length; at += PIECE_BYTES) {
    pieces.push({ type: "speech.audio.delta", audio: sound.toString("base64", at, at + PIECE_BYTES) })
  }
  return playedEvents([...pieces, { type: "speech.audio.done" }])
}
