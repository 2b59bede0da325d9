/**
 * What hearing a recording costs: by the second, or by the token of sound, prompt and transcript. Which of the two a deployment
 * bills, its prices say.
 */
import { Effect } from "effect"
import { type Bound, zeroBound } from "../../domain/pricing/Bound.ts"
import type { Deployment } from "../../domain/Deployment.ts"
import { Unsupported } from "../../domain/Failures.ts"
import { cannot, type PriceSheet } from "../../domain/pricing/Pricing.ts"
import { noUsage, type Usage } from "../../domain/Usage.ts"
import { READABLE, type Recording } from "../../media/Contents.ts"
import { secondsOf } from "../../media/Measure.ts"
import type { Billing } from "../CallRequest.ts"
import type { Produced } from "../ProducedText.ts"
import { countTokens } from "../Tokens.ts"

/** As OpenAI counts sound: a token for 100 ms. For estimates where the vendor's file says nothing. */
const TOKENS_PER_SECOND = 10
/** Nobody speaks faster: some 200 words a minute. For estimates of what did not arrive. */
const SPOKEN_TOKENS_PER_SECOND = 5

/** Of a recording whose length can't be told, for estimates: the lowest rate of Opus is 6 kbit/s (RFC 6716, 2.1.1). */
const BYTES_PER_SECOND = 750

/** `names`: what the request says of its kind. `textBound`: an upper bound of the tokens of its text. */
export const recordingBilling = (
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
