/**
 * Published prices of service tiers for models of the price list, which has only the standard tier. A tier whose price could not
 * be read is left out, so it is unknown.
 */
import {
  type PriceSheet,
  type Rates,
  type TieredRates,
  usdPerMillionToPico
} from "../../core/domain/pricing/Pricing.ts"
import { eachClass, tokenClasses } from "../../core/domain/Usage.ts"

export const publishedTiers = (
  priceListId: string,
  model: string,
  standard: PriceSheet
): ReadonlyMap<string, PriceSheet> | undefined => {
  if (priceListId !== "openai") return undefined
  const tiers = new Map([["flex", derived(standard, half)]])
  const priority = PRIORITY.find(([name]) => name.test(model))
  if (priority !== undefined) {
    const sheet = derived(standard, raised(priority))
    for (const name of ["priority", "fast"]) tiers.set(name, sheet)
  }
  return tiers
}

/**
 * Since 2026-07-30 its other name is "fast" (developers.openai.com/api/docs/guides/fast-mode, read 2026-11-24).
 * USD per million tokens: input, cached input (undefined: none), output. openai.com/api-priority-processing, read 2026-11-22. It says
 * "excludes long context", for which no price is known.
 */
const PRIORITY: ReadonlyArray<readonly [model: RegExp, input: number, cached: number | undefined, output: number]> = [
  [named("gpt-5\\.5"), 12.5, 1.25, 75],
  [named("gpt-5\\.4-mini"), 1.5, 0.15, 9],
  [named("gpt-5\\.4"), 5, 0.5, 30],
  [named("gpt-5\\.2"), 3.5, 0.35, 28],
  [named("gpt-5\\.1(?:-codex)?"), 2.5, 0.25, 20],
  [named("gpt-5(?:-codex)?"), 2.5, 0.25, 20],
  [named("gpt-5-mini"), 0.45, 0.045, 3.6],
  [named("gpt-4\\.1"), 3.5, 0.875, 14],
  [named("gpt-4\\.1-mini"), 0.7, 0.175, 2.8],
  [named("gpt-4\\.1-nano"), 0.2, 0.05, 0.8],
  [/^gpt-4o-2024-05-13$/, 8.75, undefined, 26.25],
  [named("gpt-4o"), 4.25, 2.125, 17],
  [named("gpt-4o-mini"), 0.25, 0.125, 1]
]

/** The model itself, or one of its dated versions. */
function named(model: string): RegExp {
  return new RegExp(`^${model}(?:-\\d{4}-\\d\\d-\\d\\d)?$`)
}

/** The same sheet with other rates; the same rates object gives the same one. */
export const derived = (standard: PriceSheet, change: (rates: TieredRates) => TieredRates): PriceSheet => {
  let from: TieredRates | undefined
  let rates: TieredRates
  const ratesAt = (at: number): TieredRates => {
    const now = standard.ratesAt(at)
    if (now !== from) [from, rates] = [now, change(now)]
    return rates
  }
  return { ...standard, ratesAt }
}

const tokens: ReadonlySet<string> = new Set(tokenClasses)

/**
 * Flex: "Tokens are priced at Batch API rates", which are half of the standard ones:
 * developers.openai.com/api/docs/guides/flex-processing, read 2026-11-22. A model that has no flex answers in another tier.
 */
const half = ({ base, tiers }: TieredRates): TieredRates => {
  const halved = (rates: Rates): Rates =>
    eachClass(({ name }) => (tokens.has(name) ? Math.round(rates[name] / 2) : rates[name]))
  return { base: halved(base), tiers: tiers.map(({ above, rates }) => ({ above, rates: halved(rates) })) }
}

const raised =
  ([, input, cached, output]: (typeof PRIORITY)[number]) =>
  ({ base, tiers }: TieredRates): TieredRates => {
    const of = new Map<string, number>([
      ["input", usdPerMillionToPico(input)],
      ["cachedInput", usdPerMillionToPico(cached ?? input)],
      ["imageInput", usdPerMillionToPico(input)],
      ["output", usdPerMillionToPico(output)],
      ["reasoning", usdPerMillionToPico(output)]
    ])
    const other = (rates: Rates, isLong: boolean): Rates =>
      eachClass(({ name }) => {
        if (!tokens.has(name)) return rates[name]
        return isLong ? Number.NaN : (of.get(name) ?? Number.NaN)
      })
    return {
      base: other(base, false),
      tiers: tiers.map(({ above, rates }) => ({ above, rates: other(rates, true) }))
    }
  }
