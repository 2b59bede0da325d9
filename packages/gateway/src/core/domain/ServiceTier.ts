/** The tiers in which vendors sell the same model at different prices. A tier is what the answer says. */

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

/** How requests go out that name no service tier. */
export const tierSettings = ["auto", "default", "flex", "priority"] as const

export type TierSetting = (typeof tierSettings)[number]
