/** What the price list does not say of Bedrock: prices of an hour in the cache, and of service tiers. */
import type { PriceSheet, Rates, TieredRates } from "../../../core/domain/pricing/Pricing.ts"
import { eachClass, tokenClasses } from "../../../core/domain/Usage.ts"
import { priceSheetFor } from "../../prices/PriceList.ts"
import { derived } from "../../prices/PublishedTiers.ts"

/** Writing for an hour costs twice the input: https://platform.claude.com/docs/en/build-with-claude/prompt-caching (2026-11-22). */
const HOUR = 2

/**
 * Flex costs half, priority 1.75 times the standard price: AWS's price list of 2026-09-01, as read in
 * https://raw.githubusercontent.com/api-evangelist/amazon-nova/refs/heads/main/plans/amazon-nova-plans-pricing.yml (2026-11-22).
 */
const TIERS: ReadonlyArray<readonly [name: string, factor: number]> = [
  ["flex", 0.5],
  ["priority", 1.75]
]

const IN_LIST = { priceListId: "aws" }

/** Undefined where the list does not know the model. */
export const bedrockPrices = (model: string): PriceSheet | undefined => {
  const listed = priceSheetFor(IN_LIST, model)
  if (listed === undefined) return undefined
  const standard = /claude/.test(model) ? derived(listed, withHours) : listed
  const tiers = TIERS.map(([name, factor]) => [name, derived(standard, times(factor))] as const)
  return { ...standard, serviceTiers: new Map(tiers) }
}

const each =
  (change: (rates: Rates) => Rates) =>
  ({ base, tiers }: TieredRates): TieredRates => ({
    base: change(base),
    tiers: tiers.map(({ above, rates }) => ({ above, rates: change(rates) }))
  })

const withHours = each((rates) => ({ ...rates, cacheWrite1h: rates.input * HOUR }))

const tokens: ReadonlySet<string> = new Set(tokenClasses)

const times = (factor: number) =>
  each((rates) => eachClass(({ name }) => (tokens.has(name) ? Math.round(rates[name] * factor) : rates[name])))
