/** Price sheets from the configuration, and how classes without a price of their own are priced. */
import { type PriceSheet, type Rates, type TieredRates, usdToPico } from "../../core/domain/pricing/Pricing.ts"
import type { ConfiguredPrice, ConfiguredRates, SomeRates } from "../../core/domain/Settings.ts"
import { eachClass, type UsageClass, usageClasses } from "../../core/domain/Usage.ts"

export const sheetFromConfig = (price: ConfiguredPrice): PriceSheet =>
  fixedSheet("configuration", `${price.input}/${price.output} USD per million`, price)

export const fixedSheet = (source: string, version: string, price: ConfiguredPrice): PriceSheet => {
  const { serviceTiers, tiers = [], ...base } = price
  const rates: TieredRates = {
    base: configuredRates(base),
    tiers: tiers.map((tier) => ({
      above: tier.above,
      rates: configuredRates({ ...base, ...tier.rates } as ConfiguredRates)
    }))
  }
  const sheet = sheetOf(source, version, () => rates)
  if (serviceTiers === undefined) return sheet
  const others = Object.entries(serviceTiers).map(([name, one]) => {
    const own = Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined))
    return [name, fixedSheet(source, version, { ...feesOf(base), ...(own as unknown as ConfiguredPrice) })] as const
  })
  return { ...sheet, serviceTiers: new Map(others) }
}

/** Prices of everything that is not billed by the token. */
const feesOf = (price: ConfiguredRates): SomeRates =>
  Object.fromEntries(
    usageClasses.flatMap(({ name, unit }) =>
      unit === "token" || price[name] === undefined ? [] : [[name, price[name]]]
    )
  )

const configuredRates = (price: ConfiguredRates): Rates =>
  completed((name, unit) => (price[name] === undefined ? undefined : usdToPico(price[name], unit)))

/**
 * Cached and reasoning tokens without a price cost what input and output cost, and image input costs what text does. Any other
 * class without a price is unknown, and calls without a fee have none.
 */
export const completed = (rateOf: (name: UsageClass, unit: UnitName) => number | undefined): Rates => {
  const own = eachClass(({ name, unit }) => rateOf(name, unit) ?? Number.NaN)
  const or = (rate: number, otherwise: number) => (Number.isNaN(rate) ? otherwise : rate)
  const cacheWrite = or(own.cacheWrite, own.input)
  const cacheWrite1h = or(own.cacheWrite1h, cacheWrite)
  return {
    ...own,
    cachedInput: or(own.cachedInput, own.input),
    cacheWrite,
    cacheWrite1h,
    cacheWrite12h: or(own.cacheWrite12h, cacheWrite1h),
    imageInput: or(own.imageInput, own.input),
    cachedAudioInput: or(own.cachedAudioInput, own.audioInput),
    reasoning: or(own.reasoning, own.output),
    requestFees: or(own.requestFees, 0)
  }
}

type UnitName = Parameters<typeof usdToPico>[1]

const sheetOf = (source: string, version: string, ratesAt: PriceSheet["ratesAt"]): PriceSheet => ({
  source,
  version,
  ratesAt,
  hasRequestFee: ratesAt(0).base.requestFees !== 0
})
