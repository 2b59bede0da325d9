/** Transcriptions, and translations into English. A translation is a transcript that is never streamed. */
import { transcriptsContent } from "@model-gateway/protocol"
import { Effect, Result } from "effect"
import type { Deployment } from "../../domain/Deployment.ts"
import type { InvalidField } from "../../domain/Errors.ts"
import { Unsupported } from "../../domain/Failures.ts"
import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, noUsage, outputTokens, totalTokens, type Usage } from "../../domain/Usage.ts"
import { type Bound, zeroBound } from "../../domain/pricing/Bound.ts"
import { cannot, type PriceSheet } from "../../domain/pricing/Pricing.ts"
import { READABLE, type Recording } from "../../media/Contents.ts"
import { secondsOf } from "../../media/Measure.ts"
import { type Billing, type CallRequest, unwritten } from "../CallRequest.ts"
import { oneFile, withFlag } from "../FormFields.ts"
import { LastEventRelay } from "../LastEventRelay.ts"
import type { Operation } from "../Operation.ts"
import { readFlag, readOptionalModel, wrong } from "../ParseFields.ts"
import { nothing, type Produced } from "../ProducedText.ts"
import type { FormBody, RequestBody, Upload } from "../RequestBody.ts"
import { found, given } from "../RequestScan.ts"
import { costInUsd, gatewayObject } from "../RoutingMetadata.ts"
import { countTokens } from "../Tokens.ts"

// Reads the form of a transcription leniently: unknown fields pass, and empty ones count as absent.

/** Tokens that an API adds around the prompt. */
const FRAME_TOKENS = 128

/** `mayStream`: whether `stream` means something here. */
const readTranscription = (form: FormBody, mayStream: boolean): Result.Result<CallRequest, InvalidField> =>
  Result.gen(function* () {
    const file = yield* oneFile(form, "file")
    const fields = withFlag(form.fields, "stream")
    const model = yield* readOptionalModel(fields)
    const stream = yield* readFlag(fields, "stream")
    const format = given(fields["response_format"]) ?? "json"
    if (typeof format !== "string") {
      return yield* wrong("response_format", `\`response_format\` must be a format such as "json", ${found(format)}`)
    }
    const textBound = Buffer.byteLength(JSON.stringify(fields)) + FRAME_TOKENS
    const prompt = given(fields["prompt"])
    const names = namesOf(file)
    return {
      ...unwritten,
      body: fields,
      files: form.files,
      contents: "prompt",
      model,
      stream: stream === true && mayStream,
      hasUnread: true,
      textBound,
      media: [{ kind: "audio", path: "file", source: undefined, detail: undefined, file, names }],
      billing: recordingBilling(file, names, typeof prompt === "string" ? prompt : "", textBound)
    } satisfies CallRequest as CallRequest
  })

/** What is said of the kind of a recording. Clients that know nothing of it say that it is bytes. */
const namesOf = ({ contentType, filename }: Upload): ReadonlyArray<string> => {
  const ending = /\.(\w+)$/.exec(filename)?.[1]
  const type = contentType.split(";")[0]!.trim()
  return [ending, type].flatMap((name) =>
    name === undefined || name === "" || name === "application/octet-stream" ? [] : [name.toLowerCase()]
  )
}

// What hearing a recording costs: by the second, or by the token of sound, prompt and transcript. Which of the two a deployment
// bills, its prices say.

/** As OpenAI counts sound: a token for 100 ms. For estimates where the vendor's file says nothing. */
const TOKENS_PER_SECOND = 10
/** Nobody speaks faster: some 200 words a minute. For estimates of what did not arrive. */
const SPOKEN_TOKENS_PER_SECOND = 5

/** Of a recording whose length can't be told, for estimates: the lowest rate of Opus is 6 kbit/s (RFC 6716, 2.1.1). */
const BYTES_PER_SECOND = 750

/** `names`: what the request says of its kind. `textBound`: an upper bound of the tokens of its text. */
const recordingBilling = (
  file: Recording,
  names: ReadonlyArray<string>,
  prompt: string,
  textBound: number
): Billing => ({
  bound: (deployment, measures) => boundOf(deployment, within(measures.get("file")?.seconds, deployment), textBound),
  unpriced: (_, sheet) => {
    const { audioInput, audioSeconds, output } = ratesOf(sheet)
    if (!Number.isNaN(audioSeconds)) return undefined
    if (Number.isNaN(output)) return "audioSeconds"
    return Number.isNaN(audioInput) ? "audioInput" : undefined
  },
  estimate: (deployment, produced) =>
    Effect.flatMap(secondsOf(file, names), (seconds = file.size / BYTES_PER_SECOND) =>
      estimated(deployment, Math.ceil(within(seconds, deployment)!), prompt, produced)
    )
})

/** No vendor hears more than it accepts. */
const within = (seconds: number | undefined, { bounds }: Deployment): number | undefined =>
  seconds === undefined
    ? bounds?.mostAudioSeconds
    : Math.min(seconds, bounds?.mostAudioSeconds ?? Number.POSITIVE_INFINITY)

const ratesOf = (sheet: PriceSheet) => sheet.ratesAt(0).base

/** Whether seconds have a price, and whether tokens of sound and text have. */
const billedBy = ({ price }: Deployment): { readonly seconds: boolean; readonly tokens: boolean } => {
  if (price === undefined) return { seconds: false, tokens: false }
  const { audioSeconds, output } = ratesOf(price)
  return { seconds: !Number.isNaN(audioSeconds), tokens: !Number.isNaN(output) }
}

const boundOf = (deployment: Deployment, seconds: number | undefined, textBound: number): Bound | Unsupported => {
  const { bounds, contextWindow: window, id, maxOutputTokens = window } = deployment
  const by = billedBy(deployment)
  const perSecond = bounds?.audioTokensPerSecond
  if (seconds === undefined && (by.seconds || window === undefined)) return unreadable(id)
  const audio = perSecond === undefined || seconds === undefined ? window : Math.ceil((seconds + 1) * perSecond)
  if (by.tokens && !by.seconds && audio === undefined) return unbounded("file", "this recording is in tokens", id)
  if (by.tokens && !by.seconds && maxOutputTokens === undefined) {
    return unbounded("model", "a transcript may be in tokens", id)
  }
  return {
    ...zeroBound,
    input: textBound,
    audio: audio ?? 0,
    unlimitedOutput: maxOutputTokens ?? 0,
    units: { audioSeconds: seconds === undefined ? 0 : Math.ceil(seconds) + 1 },
    cannot: cannot.speak | cannot.cache
  }
}

const unbounded = (param: string, what: string, id: string): Unsupported =>
  new Unsupported({
    param,
    code: "cost_unbounded",
    message: `a budget requires a known maximum cost, and the gateway does not know how long ${what} at ${id}. The operator can set it in the deployment's \`bounds.audio_tokens_per_second\` and \`max_output_tokens\``
  })

const unreadable = (id: string): Unsupported =>
  new Unsupported({
    param: "file",
    code: "cost_unbounded",
    message: `a budget requires a known maximum cost, and the length of the recording in \`file\` can't be read: ${id} is billed by it. ${READABLE}`
  })

const estimated = (
  deployment: Deployment,
  seconds: number,
  prompt: string,
  produced: Produced
): Effect.Effect<Usage> => {
  const by = billedBy(deployment)
  if (by.seconds || !by.tokens) return Effect.succeed({ ...noUsage, audioSeconds: seconds })
  const perSecond = deployment.bounds?.audioTokensPerSecond ?? TOKENS_PER_SECOND
  return Effect.zipWith(
    countTokens(prompt, deployment.protocol),
    countTokens(produced.text, deployment.protocol),
    (input, output) => ({
      ...noUsage,
      input,
      audioInput: Math.ceil(seconds * perSecond),
      output: produced.isUnseen === true ? seconds * SPOKEN_TOKENS_PER_SECOND : output
    })
  )
}

const transcripts = (name: string, path: string, mayStream: boolean): Operation => ({
  name,
  path,
  accepts: "form",
  content: transcriptsContent,
  read: (body: RequestBody) =>
    body.kind === "form"
      ? readTranscription(body, mayStream)
      : wrong("file", "the body must be a form (multipart/form-data) with a file in `file`"),
  produced: ({ text }) => ({ ...nothing, text: typeof text === "string" ? text : "" }),
  withMetadata: ({ body, raw }, usage, metadata) =>
    raw ??
    JSON.stringify({
      ...body,
      usage: { ...(body["usage"] ?? transcriptUsage(usage)), cost: costInUsd(metadata) },
      gateway: gatewayObject(metadata)
    }),
  relay: () => new LastEventRelay({ textOf: deltaText, usage: transcriptUsage })
})

export const transcriptions = transcripts("transcriptions", "/v1/audio/transcriptions", true)
export const translations = transcripts("translations", "/v1/audio/translations", false)

// How transcripts say what they hold and what they used.
const transcriptUsage = (usage: Usage): JsonObject =>
  usage.audioSeconds > 0
    ? { type: "duration", seconds: usage.audioSeconds }
    : {
        type: "tokens",
        input_tokens: inputTokens(usage),
        input_token_details: { text_tokens: usage.input, audio_tokens: usage.audioInput },
        output_tokens: outputTokens(usage),
        total_tokens: totalTokens(usage)
      }

/** The text of a `transcript.text.delta`; other events repeat what came, or hold none. */
const deltaText = (data: string): string => {
  const event = Result.getOrUndefined(Result.try(() => JSON.parse(data) as { readonly delta?: unknown }))
  return typeof event?.delta === "string" ? event.delta : ""
}
