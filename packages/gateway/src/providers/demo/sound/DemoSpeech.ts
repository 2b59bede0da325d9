/** The demo vendor speaks: a WAV file, whole or as events. It has no encoder for other formats. */
import { Result, Schema } from "effect"
import { playedEvents, playedWhole } from "./DemoPlayed.ts"
import { invalidRequest, modelNotFound } from "../DemoVendorErrors.ts"
import { pcmOf, waveOf } from "./DemoWave.ts"

const MAX_CHARACTERS = 4096
/** The sound in one event. */
const PIECE_BYTES = 12_000

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
  const { input, model, response_format: format = "wav", stream_format: streamed } = read.success
  if (model !== "speech") return Result.fail(modelNotFound(model))
  if (input.length > MAX_CHARACTERS) {
    return Result.fail(invalidRequest(`Input should have at most ${MAX_CHARACTERS} characters`, "input"))
  }
  const isBare = format === "pcm"
  const sound = isBare ? pcmOf(input) : waveOf(input)
  return Result.succeed(streamed === "sse" ? events(sound) : playedWhole(isBare ? "audio/pcm" : "audio/wav", sound))
}

const events = (sound: Buffer) => {
  const pieces: Array<object> = []
  for (let at = 0; at < sound.length; at += PIECE_BYTES) {
    pieces.push({ type: "speech.audio.delta", audio: sound.toString("base64", at, at + PIECE_BYTES) })
  }
  return playedEvents([...pieces, { type: "speech.audio.done" }])
}
