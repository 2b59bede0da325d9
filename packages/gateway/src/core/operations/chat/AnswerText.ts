/** The JSON of a whole answer: the provider's own text where it can stay as it is, with what the gateway adds put in between. */
import type { JsonObject } from "../../domain/Json.ts"
import { wireUsage } from "./WireUsage.ts"
import type { LiftedAnswer } from "../LiftedAnswer.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"
import type { Usage } from "../../domain/Usage.ts"

/** `answer` with `gateway`, and with `cost` in its `usage`; `usage` is told where the provider did not. */
export const answerText = (answer: LiftedAnswer, usage: Usage, report: RoutingMetadata): string => {
  const cost = costInUsd(report)
  const gateway = gatewayObject(report)
  return (
    spliced(answer, cost, gateway) ??
    JSON.stringify({
      ...answer.body,
      usage: { ...((answer.body["usage"] as JsonObject | undefined) ?? wireUsage(usage)), cost },
      gateway
    })
  )
}

const NAME = '"usage"'
const USAGE = '"usage":{"'

/** Undefined where the places are not certain: then the whole is written anew. */
const spliced = ({ body, text }: LiftedAnswer, cost: number | null, gateway: JsonObject): string | undefined => {
  if (text === undefined || "gateway" in body || isCosted(body["usage"])) return undefined
  // Quotes inside of strings are escaped, so this is a member; the only one there is is the one that was parsed.
  const at = text.indexOf(NAME)
  if (at < 0 || !text.startsWith(USAGE, at) || text.indexOf(NAME, at + 1) >= 0) return undefined
  if (text.charCodeAt(at - 1) === BACKSLASH) return undefined
  const first = at + USAGE.length - 1
  const end = text.lastIndexOf("}")
  return `${text.slice(0, first)}"cost":${cost},${text.slice(first, end)},"gateway":${JSON.stringify(gateway)}}`
}

const BACKSLASH = 92

const isCosted = (usage: unknown): boolean => typeof usage !== "object" || usage === null || "cost" in usage
