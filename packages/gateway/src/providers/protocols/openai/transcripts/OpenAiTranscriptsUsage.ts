/** What a transcript used, as the provider tells it: tokens, or the length of the recording. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { isObject, objectOr } from "../../../json/LooseJson.ts"

/** A recording of a year; what claims to be longer is garbage. So are more tokens. */
const MOST_SECONDS = 31_536_000
const MOST_TOKENS = 1e9

/** Undefined where the provider told nothing that the deployment has a price for. */
export const transcriptUsageOf = (body: JsonObject, { deployment, now }: UpstreamCall): Usage | undefined => {
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
  // What is not said to be text counts as sound, which is the dearer.
  const read = Math.min(input, text ?? Math.max(0, input - (count(details["audio_tokens"]) ?? input)))
  return { ...noUsage, input: read, audioInput: input - read, output }
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= MOST_TOKENS ? value : undefined

/** Some servers write it as a text. */
const secondsIn = (value: unknown): number | undefined => {
  const seconds = typeof value === "string" && value !== "" ? Number(value) : value
  return typeof seconds === "number" && seconds >= 0 && seconds <= MOST_SECONDS ? seconds : undefined
}
