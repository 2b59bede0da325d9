/** The demo vendor's speech: the same tone for every text, as WAV or PCM, complete or as events. It has no other format. */
import { Result, Schema } from "effect"
import { maybe, readBody } from "./chat/DemoRequest.ts"
import { type DemoAnswer, played, playedEvents } from "./DemoPlayed.ts"
import { invalidRequest, modelNotFound, type VendorError } from "./DemoVendorErrors.ts"

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

/** The 44 bytes before these samples in a WAV file. */
const HEAD = "52494646247d000057415645666d74201000000001000100401f0000803e00000200100064617461007d0000"
const wav = Buffer.concat([Buffer.from(HEAD, "hex"), pcm])

const read = readBody(
  Schema.Struct({
    model: Schema.String,
    input: Schema.String,
    response_format: maybe(Schema.String),
    stream_format: maybe(Schema.String)
  })
)

export const speech = ({ body }: { readonly body: string }): Result.Result<DemoAnswer, VendorError> =>
  Result.flatMap(read(body), ({ input, model, response_format: format, stream_format: streamed }) => {
    if (model !== "speech") return Result.fail(modelNotFound(model))
    if (input.length > MAX_CHARACTERS) {
      return Result.fail(invalidRequest(`Input should have at most ${MAX_CHARACTERS} characters`, "input"))
    }
    const [type, sound] = format === "pcm" ? (["audio/pcm", pcm] as const) : (["audio/wav", wav] as const)
    return Result.succeed(streamed === "sse" ? events(sound) : played(type, [{ bytes: sound, tokens: 0 }]))
  })

const events = (sound: Buffer): DemoAnswer => {
  const pieces: Array<object> = []
  for (let at = 0; at < sound.length; at += PIECE_BYTES) {
    pieces.push({ type: "speech.audio.delta", audio: sound.toString("base64", at, at + PIECE_BYTES) })
  }
  return playedEvents([...pieces, { type: "speech.audio.done" }])
}
