/** `reasoning_effort` as a budget of tokens. A model that reasons does so unless it is told not to. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { isObject } from "../../../Json.ts"
import type { Losses } from "../../../Losses.ts"

/** Shares of `MOST_OUTPUT`, and that number itself: as `@ai-sdk/cohere` 4.0.52 has them (2026-11-22). */
const SHARES: ReadonlyMap<unknown, number> = new Map<unknown, number>([
  ["minimal", 0.02],
  ["low", 0.1],
  ["medium", 0.3],
  ["high", 0.6],
  ["xhigh", 0.9]
])
const MOST_OUTPUT = 32_768
/** The part of the caller's output limit that thoughts may take. */
const MOST_SHARE = 0.8

export const lowerThinking = (call: UpstreamCall, losses: Losses): JsonObject | undefined => {
  const { reasoning_effort: effort, thinking } = call.request.body
  const isAsked = effort !== undefined && effort !== null && effort !== ""
  if (!call.deployment.supports.has("reasoning")) {
    if (isAsked && effort !== "none") losses.drop("reasoning_effort", "this model does not reason")
    return undefined
  }
  // Cohere's own words, or Anthropic's.
  if (isObject(thinking)) {
    const budget = thinking["token_budget"] ?? thinking["budget_tokens"]
    return { type: thinking["type"], ...(typeof budget === "number" ? { token_budget: budget } : {}) }
  }
  if (!isAsked) return undefined
  if (effort === "none") return { type: "disabled" }
  const share = SHARES.get(effort)
  if (share === undefined) {
    losses.refuse("reasoning_effort", "`reasoning_effort` must be none, minimal, low, medium, high or xhigh here")
    return undefined
  }
  const limit = call.maxOutput ?? MOST_OUTPUT / MOST_SHARE
  return { type: "enabled", token_budget: Math.round(Math.min(share * MOST_OUTPUT, limit * MOST_SHARE)) }
}
