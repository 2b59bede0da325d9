/** Vendors sell one model in several tiers at different prices. The response names the tier that served it. */

/** The usual tier; vendors have several names for it. */
export const STANDARD = "default"

/** Tiers with prices of their own. `fast` and `us` are Anthropic's fast mode and its data residency. */
export const pricedTiers = ["flex", "priority", "scale", "batch", "fast", "ultrafast", "us"] as const

const STANDARD_NAMES = new Set([STANDARD, "standard", "standard_only", "on_demand"])

/** The tier that a field names. Undefined where it names none: it is absent, empty or `auto`, which is a wish. */
export const tierNamed = (told: unknown): string | undefined => {
  if (typeof told !== "string" || told === "" || told === "auto") return undefined
  if (STANDARD_NAMES.has(told)) return STANDARD
  // The name comes from a caller or a provider and is stored, so it must be short.
  return /^[a-z][a-z_-]{0,31}$/.test(told) ? told : "unknown"
}

/** The tier for requests that name none. */
export const tierSettings = ["auto", "default", "flex", "priority"] as const

export type TierSetting = (typeof tierSettings)[number]
