/** Vendors sell one model in tiers. The reservation uses the most expensive tier that may serve the request. */
import type { RoutedRequest } from "../operations/CallRequest.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { type PriceSheet, sheetOf } from "../domain/pricing/Pricing.ts"
import { STANDARD, tierNamed } from "../domain/pricing/ServiceTier.ts"

/** The tier of an attempt before its response. */
export interface TierPlan {
  /** The tier to send in place of the caller's; undefined: the caller's field is sent unchanged. */
  readonly send: string | undefined
  /** The most expensive tier that may serve it. It is also charged if the response names none. */
  readonly dearest: string
  /** Whether the standard tier may serve it instead: its price for a long input may exceed that of `tier`. */
  readonly orStandard?: boolean
}

const AS_IT_IS: TierPlan = { send: undefined, dearest: STANDARD }

/** A project's settings at the vendor may move a request without a tier to an expensive one. So the standard tier is named. */
const STANDARD_ONLY: TierPlan = { send: STANDARD, dearest: STANDARD }

const FLEX: TierPlan = { send: "flex", dearest: STANDARD }

const PRIORITY: TierPlan = { send: "priority", dearest: "priority", orStandard: true }

const AS_THE_PROJECT_SAYS: TierPlan = { send: undefined, dearest: "priority", orStandard: true }

/** Vendors that may serve a request without a named tier in a more expensive one. */
const MAY_RAISE = new Set(["openai", "anthropic"])

export const tierPlan = (
  { price, protocol, serviceTier: setting, vendor }: Pick<Deployment, "price" | "protocol" | "serviceTier" | "vendor">,
  { billing, body }: Pick<RoutedRequest, "billing" | "body">,
  hasBudget: boolean
): TierPlan => {
  if (protocol === "anthropic-messages") {
    if (body["speed"] === "fast") return { send: undefined, dearest: "fast" }
    if (body["inference_geo"] === "us") return { send: undefined, dearest: "us" }
  }
  const variant = price === undefined ? undefined : billing?.variant?.(price)
  if (variant !== undefined) return { send: undefined, dearest: variant }
  const asked = body["service_tier"]
  const named = asked === undefined || vendor === "demo" ? undefined : tierNamed(asked)
  if (named !== undefined && (protocol !== "anthropic-messages" || named === STANDARD)) {
    // A request for a cheap tier may still be served at the standard price.
    return named === STANDARD || isCheap(price, named)
      ? AS_IT_IS
      : { send: undefined, dearest: named, orStandard: true }
  }
  switch (setting) {
    case "default":
      return STANDARD_ONLY
    case "flex":
      return FLEX
    case "priority":
      return PRIORITY
    case "auto":
      return MAY_RAISE.has(vendor) ? AS_THE_PROJECT_SAYS : AS_IT_IS
    default:
      return hasBudget && MAY_RAISE.has(vendor) ? STANDARD_ONLY : AS_IT_IS
  }
}

const isCheap = (price: PriceSheet | undefined, tier: string): boolean => {
  if (tier === "flex") return true
  const sheet = price === undefined ? undefined : sheetOf(price, tier)
  return sheet !== undefined && sheet.ratesAt(0).base.output < price!.ratesAt(0).base.output
}
