/** The demo vendor's transcripts: how long the recording is. */
import { Result } from "effect"
import { MultipartParser } from "effect/http"
import { soundSeconds } from "../../core/media/sound/Sound.ts"
import { playedEvents, playedJson } from "./DemoPlayed.ts"
import { invalidRequest, modelNotFound } from "./DemoVendorErrors.ts"

const NO_WORDS = "The demo provider does not know its words."
const lengthOf = (seconds: number): string => `This is a recording of ${seconds} seconds.`

interface DemoFormCall {
  readonly path: string
  readonly form?: { readonly bytes: Uint8Array; readonly contentType: string }
}

export const transcription = (call: DemoFormCall) => {
  const form = call.form === undefined ? undefined : formOf(call.form)
  if (form?.file === undefined) return Result.fail(invalidRequest("We could not parse your multipart form.", "file"))
  const { fields, file } = form
  const model = fields.get("model") ?? ""
  if (model !== "transcribe") return Result.fail(modelNotFound(model))
  const seconds = Math.round((soundSeconds(file, []) ?? 1) * 1000) / 1000
  const text = `${lengthOf(seconds)} ${NO_WORDS}`
  const format = fields.get("response_format") ?? "json"
  const usage = { type: "duration", seconds: Math.ceil(seconds) }
  const isTranslation = call.path.endsWith("translations")
  switch (format) {
    case "json":
      return Result.succeed(fields.get("stream") === "true" ? events(text, usage) : playedJson({ text, usage }))
    case "verbose_json":
      return Result.succeed(
        playedJson({
          task: isTranslation ? "translate" : "transcribe",
          language: "english",
          duration: seconds,
          text,
          segments: segmentsOf(seconds),
          usage
        })
      )
    default:
      return Result.fail(
        invalidRequest(`response_format '${format}' is not compatible with model 'transcribe'.`, "response_format")
      )
  }
}

interface Form {
  readonly fields: Map<string, string>
  file?: Buffer
}

/** The fields of a form, and its last file; undefined: it is no form. */
export const formOf = ({ bytes, contentType }: NonNullable<DemoFormCall["form"]>): Form | undefined => {
  const form: Form = { fields: new Map() }
  let isComplete = false
  const parser = MultipartParser.make({
    headers: { "content-type": contentType },
    onField: (info, value) => form.fields.set(info.name, MultipartParser.decodeField(info, value)),
    onFile: () => {
      const pieces: Array<Uint8Array> = []
      return (piece) => {
        if (piece === null) form.file = Buffer.concat(pieces)
        else pieces.push(piece)
      }
    },
    onError: () => (isComplete = false),
    onDone: () => (isComplete = true)
  })
  parser.write(bytes)
  return isComplete ? form : undefined
}

/** One for each of the two sentences, half of the recording each. */
const segmentsOf = (seconds: number): ReadonlyArray<object> =>
  [lengthOf(seconds), ` ${NO_WORDS}`].map((text, id) => {
    const sure = { temperature: 0, avg_logprob: -0.1, compression_ratio: 1, no_speech_prob: 0 }
    return { id, seek: 0, start: (id * seconds) / 2, end: ((id + 1) * seconds) / 2, text, tokens: [], ...sure }
  })

const events = (text: string, usage: object) =>
  playedEvents([
    ...(text.match(/\S+\s*/g) ?? []).map((delta) => ({ type: "transcript.text.delta", delta })),
    { type: "transcript.text.done", text, usage }
  ])
