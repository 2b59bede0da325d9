/** Output that was written but never arrived: hidden reasoning, complete responses that broke off. It is billed. */
import { Predicate } from "effect"
import { sentLimit } from "../bounds/BoundedRequests.ts"
import type { CallRequest } from "../operations/CallRequest.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { costOf, sheetOf } from "../domain/pricing/Pricing.ts"
import { GENERATION_IS_FASTER } from "../ledger/AbandonedCost.ts"
import type { Reservation } from "../ledger/Reservation.ts"
import { type Usage, outputTokens } from "../domain/Usage.ts"
import { writesBeyondLimit } from "../bounds/BeyondLimit.ts"
import type { Produced } from "../operations/ProducedText.ts"

/** Whether `deployment` may reason about `request` without showing all of it. */
const mayThink = ({ hidesReasoning, quirks }: Deployment, { body }: CallRequest): boolean => {
  if (hidesReasoning === undefined) return false
  const reasoning = body["reasoning"]
  const effort = body["reasoning_effort"] ?? (Predicate.hasProperty(reasoning, "effort") ? reasoning.effort : undefined)
  // A model without that effort gets its least.
  if (hidesReasoning === "always") return effort !== "none" || quirks?.efforts?.includes("none") === false
  const thinking = body["thinking"]
  const isOn = Predicate.hasProperty(thinking, "type") && thinking.type !== "disabled"
  return isOn || (typeof effort === "string" && effort !== "" && effort !== "none")
}

/** The usage class of unseen output; undefined where all output was seen. */
export const unseenClass = (
  deployment: Deployment,
  request: CallRequest,
  produced: Produced
): "reasoning" | "audioOutput" | "output" | undefined => {
  const { modalities } = request.body
  // Only the provider knows how many tokens its audio is.
  if (Array.isArray(modalities) && modalities.includes("audio")) return "audioOutput"
  // A summary of thoughts does not show how many there were.
  const showsAll = produced.hasThoughts && deployment.protocol === "openai-chat"
  if (!showsAll && mayThink(deployment, request)) return "reasoning"
  return produced.isUnseen === true ? "output" : undefined
}

/** Large enough that rounding does not matter. */
const MANY = 1_000_000

/** `usage` plus the tokens that `ms` at `rate` tokens a second may have produced per choice, at most those reserved. */
export const withUnseen = (
  usage: Usage,
  written: "reasoning" | "audioOutput" | "output",
  { at, deployment, maxOutput, reserved, tier }: Reservation,
  request: CallRequest,
  ms: number,
  rate: number
): Usage => {
  const { bounds, maxOutputTokens, price } = deployment
  const limit = sentLimit(request.maxOutput, deployment) ?? maxOutput ?? maxOutputTokens ?? Number.POSITIVE_INFINITY
  const fastest = written === "reasoning" ? rate * GENERATION_IS_FASTER : rate
  const made = Math.floor(Math.min((ms / 1000) * fastest, limit + writesBeyondLimit(bounds)) * request.choices)
  const unseen = Math.max(0, made - outputTokens(usage))
  const sheet = price === undefined ? undefined : (sheetOf(price, tier) ?? price)
  if (sheet === undefined || unseen === 0) return { ...usage, [written]: usage[written] + unseen }
  const seen = costOf(sheet, usage, at)
  const each = (costOf(sheet, { ...usage, [written]: usage[written] + MANY }, at) - seen) / MANY
  // Output without a price is not held either.
  const most = each > 0 ? Math.max(0, Math.floor((reserved - seen) / each)) : unseen
  return { ...usage, [written]: usage[written] + Math.min(unseen, most) }
}
