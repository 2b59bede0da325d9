/**
 * Vendors sell the same model in tiers at different prices, and say in the answer which one it was. A tier is what the answer says;
 * before there is one it is held by the dearest it may come with.
 */
import type { RoutedRequest } from "./ChatRequest.ts"
import type { Deployment } from "./Deployment.ts"

/** The tier that has the prices of the list; vendors call it by several names. */
export const STANDARD = "default"

/** Tiers that can have prices of their own in the configuration. */
export const pricedTiers = ["flex", "priority", "scale", "batch"] as const

const STANDARD_NAMES = new Set([STANDARD, "standard", "standard_only", "on_demand"])

/** Undefined where it says nothing: absent, empty, or `auto`, which is a wish and no tier. */
export const tierNamed = (told: unknown): string | undefined => {
  if (typeof told !== "string" || told === "" || told === "auto") return undefined
  if (STANDARD_NAMES.has(told)) return STANDARD
  // Of a caller or a provider: it is kept, so it must be short.
  return /^[a-z][a-z_-]{0,31}$/.test(told) ? told : "unknown"
}

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
