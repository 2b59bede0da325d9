/** The JSON of a complete response: the provider's text if it can stay, with the gateway's additions inserted. */
import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, outputTokens, totalTokens, type Usage } from "../../domain/Usage.ts"
import type { LiftedAnswer } from "../LiftedAnswer.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"

/** Usage in OpenAI's shape. */
export const wireUsage = (usage: Usage): JsonObject => ({
  prompt_tokens: inputTokens(usage),
  completion_tokens: outputTokens(usage),
  total_tokens: totalTokens(usage),
  prompt_tokens_details: {
    cached_tokens: usage.cachedInput + usage.cachedAudioInput,
    cache_write_tokens: usage.cacheWrite + usage.cacheWrite1h + usage.cacheWrite12h,
    audio_tokens: usage.audioInput + usage.cachedAudioInput
  },
  completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: usage.audioOutput }
})

/** `answer` with `gateway` and the cost. `wire` writes a usage that the provider did not report. */
export const answerText = (
  answer: LiftedAnswer,
  usage: Usage,
  report: RoutingMetadata,
  wire: (usage: Usage) => JsonObject = wireUsage
): string => {
  const cost = costInUsd(report)
  const gateway = gatewayObject(report)
  return (
    spliced(answer, cost, gateway) ??
    JSON.stringify({
      ...answer.body,
      usage: { ...((answer.body["usage"] as JsonObject | undefined) ?? wire(usage)), cost },
      gateway
    })
  )
}

/** Without its last quote: from seven characters on V8 looks for a text in another way, which takes twice as long here. */
const NAME = '"usage'
const USAGE = '"usage":{"'

/** Undefined if the places to insert are not certain: then the complete response is encoded again. */
const spliced = ({ body, text }: LiftedAnswer, cost: number | null, gateway: JsonObject): string | undefined => {
  if (text === undefined || "gateway" in body || isCosted(body["usage"])) return undefined
  // Inside strings quotes are escaped, so this is a member; if it is the only one of such a name, it is the one that was parsed.
  const at = text.indexOf(NAME)
  if (at < 0 || !text.startsWith(USAGE, at) || text.indexOf(NAME, at + 1) >= 0) return undefined
  if (text.charCodeAt(at - 1) === BACKSLASH) return undefined
  const first = at + USAGE.length - 1
  const end = text.lastIndexOf("}")
  return `${text.slice(0, first)}"cost":${cost},${text.slice(first, end)},"gateway":${JSON.stringify(gateway)}}`
}

const BACKSLASH = 92

const isCosted = (usage: unknown): boolean => typeof usage !== "object" || usage === null || "cost" in usage
