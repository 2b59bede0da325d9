/** `reasoning_effort` as a budget of tokens. A model that reasons does so unless it is told not to. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { BUDGETS, isEffort } from "../../shared/Efforts.ts"
import { isObject } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"

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
    if (typeof budget === "number") return { type: thinking["type"], token_budget: budget }
    // An effort says how much.
    if (!isAsked || thinking["type"] === "disabled") return { type: thinking["type"] }
  }
  if (!isAsked) return undefined
  if (!isEffort(effort)) {
    losses.refuse("reasoning_effort", "`reasoning_effort` must be none, minimal, low, medium, high or xhigh here")
    return undefined
  }
  if (effort === "none") return { type: "disabled" }
  const room = call.maxOutput === undefined ? Number.POSITIVE_INFINITY : Math.floor(call.maxOutput * MOST_SHARE)
  return { type: "enabled", token_budget: Math.min(BUDGETS[effort], room) }
}
