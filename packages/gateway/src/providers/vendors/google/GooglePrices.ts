/** Google's prices where the list has not all of them. */
import { type PriceSheet, type Rates, type TieredRates } from "../../../core/domain/pricing/Pricing.ts"
import type { ProviderOptions } from "../../../core/domain/ProviderOptions.ts"
import { eachClass } from "../../../core/domain/Usage.ts"
import { priceSheetFor } from "../../prices/PriceList.ts"
import { derived } from "../../prices/PublishedTiers.ts"

const LIST = { priceListId: "google" }

/** The list names a price for audio where it is another one than that of text: https://ai.google.dev/gemini-api/docs/pricing (2026-11-22). */
const withAudio = (rates: Rates): Rates =>
  Number.isNaN(rates.audioInput) ? { ...rates, audioInput: rates.input } : rates

/**
 * Regions cost a tenth more than the global endpoint, for Claude from 4.5 on and for Gemini from 3 on.
 * https://docs.claude.com/en/docs/build-with-claude/claude-on-vertex-ai, https://github.com/promptfoo/promptfoo/pull/10389 and
 * https://github.com/truefoundry/models/pull/2180 (2026-11-22).
 */
const REGIONAL = 1.1
const IS_DEARER = /gemini-(?:[3-9]|\d\d)|claude-(?:opus|sonnet|haiku|fable|mythos)-(?:4-[5-9]|[5-9])/

const regional = (rates: Rates): Rates => eachClass(({ name }) => Math.ceil(rates[name] * REGIONAL))

const inAll =
  (change: (rates: Rates) => Rates) =>
  ({ base, tiers }: TieredRates): TieredRates => ({
    base: change(base),
    tiers: tiers.map(({ above, rates }) => ({ above, rates: change(rates) }))
  })

export const googlePrices = (model: string, options?: ProviderOptions): PriceSheet | undefined => {
  const listed = priceSheetFor(LIST, model)
  if (listed === undefined) return undefined
  const sheet = /claude/.test(model) ? listed : derived(listed, inAll(withAudio))
  const { location = "global" } = options?.shown ?? {}
  return location !== "global" && IS_DEARER.test(model) ? derived(sheet, inAll(regional)) : sheet
}
