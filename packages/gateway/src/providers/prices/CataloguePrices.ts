/** Price sheets from the model catalogue: dated prices, thresholds of long inputs, service tiers, shutdowns and resellers' factors. */
import {
  type PriceSheet,
  priceKey,
  type Rates,
  type TieredRates,
  usdToPico
} from "../../core/domain/pricing/Pricing.ts"
import type { ProviderOptions } from "../../core/domain/ProviderOptions.ts"
import { eachClass, tokenClasses } from "../../core/domain/Usage.ts"
import type { Catalogue, FoundModel } from "../catalogue/facts/CatalogueInForce.ts"
import type { Model, Price, Resold, CatalogueTier, Usds } from "../../core/domain/models/CatalogueFormat.ts"
import { completed } from "./ConfiguredPrices.ts"

const SOURCE = "catalogue"

/** Rates from a time on (epoch milliseconds), until the next one begins. */
interface PricePeriod {
  readonly from: number
  readonly rates: TieredRates
}

/** Undefined where the catalogue knows no price: of a name that only a glob has, and where a rule about prices is not understood. */
export const catalogueSheet = (
  catalogue: Catalogue,
  vendor: string,
  name: string,
  options?: ProviderOptions
): PriceSheet | undefined => {
  const found = catalogue.find(vendor, name)
  const spans = spansOf(catalogue, found, options)
  if (spans === undefined) return undefined
  const sheet = sheetFrom(catalogue.versionOf(found), spans)
  const { model, resold } = found
  const tiers = Object.entries(
    (resold === undefined || resold.of === vendor ? model?.tiers : resold.tiers) ?? {}
  ).flatMap(([tier, price]) => {
    const own = price === null ? undefined : tierSpans(price, spans, model?.fees)
    return own === undefined ? [] : [[tier, sheetFrom(sheet.version, own)] as const]
  })
  return {
    ...sheet,
    ...(tiers.length === 0 ? {} : { serviceTiers: new Map(tiers.toSorted(standardFirst)) }),
    answeredAs: remembered((answered) => {
      const other = catalogue.find(vendor, answered).facts
      if (other.key === undefined || other.key === found.facts.key) return undefined
      const sheet = catalogueSheet(catalogue, vendor, answered, options)
      return sheet && withVersion(sheet, `${sheet.version} as ${nameIn(other.key)}`)
    })
  }
}

/** The first price of an image is that of a request which names no quality. The file sorts its names. */
const standardFirst = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  Number(b.startsWith("standard-")) - Number(a.startsWith("standard-"))

const MOST_REMEMBERED = 100

const remembered = (sheetOf: (model: string) => PriceSheet | undefined) => {
  const known = new Map<string, PriceSheet | undefined>()
  return (model: string): PriceSheet | undefined => {
    if (known.has(model)) return known.get(model)
    const sheet = sheetOf(model)
    if (known.size < MOST_REMEMBERED) known.set(model, sheet)
    return sheet
  }
}

/** `xai/grok-4.3` → `grok-4.3`. */
const nameIn = (key: string): string => key.slice(key.indexOf("/") + 1)

const withVersion = (sheet: PriceSheet, version: string): PriceSheet => ({
  ...sheet,
  version,
  ...(sheet.serviceTiers === undefined
    ? {}
    : { serviceTiers: new Map([...sheet.serviceTiers].map(([name, tier]) => [name, { ...tier, version }] as const)) })
})

const spansOf = (
  { file }: Catalogue,
  { facts, model, name, resold }: FoundModel,
  options: ProviderOptions | undefined
): ReadonlyArray<PricePeriod> | undefined => {
  if (model === undefined || resold?.priced === false || facts.hasUnknownPriceRule === true) return undefined
  const own = pricedSpans(model)
  const { billedAs, on } = model.shutdown ?? {}
  const vendor = name.slice(0, name.indexOf("/"))
  const other = billedAs === undefined ? [] : pricedSpans(file.models[`${vendor}/${billedAs}`] ?? {})
  const spans = redirected(own, other, on === undefined ? 0 : dayMs(on))
  if (spans.length === 0) return undefined
  const factor = factorOf(resold, options)
  return factor === 1 ? spans : spans.map(({ from, rates }) => ({ from, rates: times(rates, factor, upwards) }))
}

const pricedSpans = ({ fees = {}, prices = [] }: Partial<Model>): ReadonlyArray<PricePeriod> =>
  prices.map((price) => ({ from: price.from === undefined ? 0 : dayMs(price.from), rates: tieredRates(price, fees) }))

/** From `on` the other model's prices hold. */
const redirected = (
  own: ReadonlyArray<PricePeriod>,
  other: ReadonlyArray<PricePeriod>,
  on: number
): ReadonlyArray<PricePeriod> => {
  if (other.length === 0) return own
  const then = other.findLast(({ from }) => from <= on) ?? other[0]!
  const later = other.filter(({ from }) => from > on)
  return [...own.filter(({ from }) => from < on), { from: own.length === 0 ? 0 : on, rates: then.rates }, ...later]
}

/** To whole pico-USD, but for what is the noise of the multiplication. */
const upwards = (rate: number): number => Math.ceil(rate - 1e-3)

const factorOf = (resold: Resold | undefined, options: ProviderOptions | undefined): number => {
  const { location = "global" } = options?.shown ?? {}
  return (resold?.factor ?? 1) * (location === "global" ? 1 : (resold?.regional ?? 1))
}

/** Undefined: its price is unknown. */
const tierSpans = (
  tier: Exclude<CatalogueTier, null>,
  standard: ReadonlyArray<PricePeriod>,
  fees: Usds = {}
): ReadonlyArray<PricePeriod> => {
  if (typeof tier === "number") return standard.map(({ from, rates }) => ({ from, rates: times(rates, tier) }))
  if ("usd" in tier) return [{ from: 0, rates: tieredRates(tier, fees) }]
  const begins = tier.flatMap(({ from, until }) => [
    from === undefined ? 0 : dayMs(from),
    ...(until === undefined ? [] : [dayMs(until) + DAY_MS])
  ])
  const changes = [...new Set([0, ...begins, ...standard.map(({ from }) => from)])].sort((a, b) => a - b)
  return changes.map((from) => {
    const holds = tier.find(
      (one) =>
        (one.from === undefined ? 0 : dayMs(one.from)) <= from &&
        (one.until === undefined || from < dayMs(one.until) + DAY_MS)
    )
    return { from, rates: times(at(standard, from), holds?.factor ?? Number.NaN) }
  })
}

const at = (spans: ReadonlyArray<PricePeriod>, time: number): TieredRates => {
  let { rates } = spans[0]!
  for (const span of spans) if (span.from <= time) ({ rates } = span)
  return rates
}

const sheetFrom = (version: string, spans: ReadonlyArray<PricePeriod>): PriceSheet => {
  const first = spans[0]!.rates
  const changes = spans.slice(1).map(({ from }) => from)
  return {
    source: SOURCE,
    version,
    ratesAt: changes.length === 0 ? () => first : (time) => at(spans, time),
    hasRequestFee: first.base.requestFees !== 0,
    ...(changes.length === 0 ? {} : { changes })
  }
}

const DAY_MS = 86_400_000

const dayMs = (day: string): number => Date.parse(`${day}T00:00:00Z`)

const tieredRates = ({ above = [], usd }: Price, fees: Usds): TieredRates => ({
  base: ratesOf(usd, fees),
  tiers: above.map(({ tokens, usd: other }) => ({ above: tokens, rates: ratesOf(other, fees) }))
})

const ratesOf = (usd: Usds, fees: Usds): Rates =>
  completed((name, unit) => {
    const rate = usd[priceKey(name)] ?? fees[priceKey(name)]
    return rate === undefined ? undefined : usdToPico(rate, unit)
  })

const tokens: ReadonlySet<string> = new Set(tokenClasses)

const times = (
  { base, tiers }: TieredRates,
  factor: number,
  rounded: (rate: number) => number = Math.round
): TieredRates => {
  const changed = (rates: Rates): Rates =>
    eachClass(({ name }) => (tokens.has(name) ? rounded(rates[name] * factor) : rates[name]))
  return { base: changed(base), tiers: tiers.map(({ above, rates }) => ({ above, rates: changed(rates) })) }
}
