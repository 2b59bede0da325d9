/**
 * Vendors sell the same model in tiers at different prices, and say in the answer which one it was. A tier is what the answer says;
 * before there is one it is held by the dearest it may come with.
 */
import type { RoutedRequest } from "../operations/ChatRequest.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { STANDARD, tierNamed } from "../domain/ServiceTier.ts"

/** What an attempt's tier is before it is answered. */
export interface TierPlan {
  /** Sent in place of what the caller said; undefined: that is left as it is. */
  readonly send: string | undefined
  /** The dearest that it may be; also what is booked when the answer does not say. */
  readonly dearest: string
}

const AS_IT_IS: TierPlan = { send: undefined, dearest: STANDARD }

/** A project's own settings may make a dear tier of a request that names none: so one is named. */
const STANDARD_ONLY: TierPlan = { send: STANDARD, dearest: STANDARD }

const FLEX: TierPlan = { send: "flex", dearest: STANDARD }

const PRIORITY: TierPlan = { send: "priority", dearest: "priority" }

const AS_THE_PROJECT_SAYS: TierPlan = { send: undefined, dearest: "priority" }

/** Vendors where a request that names no tier may be served in a dearer one. */
const MAY_RAISE = new Set(["openai", "anthropic"])

export const tierPlan = (
  { protocol, serviceTier: setting, vendor }: Pick<Deployment, "protocol" | "serviceTier" | "vendor">,
  { body }: Pick<RoutedRequest, "body">,
  hasBudget: boolean
): TierPlan => {
  const asked = body["service_tier"]
  const named = asked === undefined || vendor === "demo" ? undefined : tierNamed(asked)
  if (named !== undefined && (protocol !== "anthropic-messages" || named === STANDARD)) {
    // What is asked for cheaply may all the same be served at the standard price.
    return named === STANDARD || named === "flex" ? AS_IT_IS : { send: undefined, dearest: named }
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
