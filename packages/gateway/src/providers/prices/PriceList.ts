/**
 * Prices per token or second: from the list of `@pydantic/genai-prices` (data in the package, no network) or from the configuration.
 */
import { calcPrice, findProvider, type ModelInfo, type ModelPrice, type TieredPrices } from "@pydantic/genai-prices"
import { Result } from "effect"
import { noRates, type PriceSheet, type Rates, type TieredRates, usdToPico } from "../../core/domain/pricing/Pricing.ts"
import type { Vendor } from "../../core/pool/Vendor.ts"
import type { ConfiguredPrice, ConfiguredRates, SomeRates } from "../../core/domain/Settings.ts"
import { eachClass, type UsageClass, usageClasses } from "../../core/domain/Usage.ts"
import { publishedTiers } from "./PublishedTiers.ts"

const SOURCE = "genai-prices"
/** The package's version, which ledger rows record. */
export const PRICE_LIST_VERSION = "0.1.8"

const MINUTE_MS = 60_000

/** Prices in the list that are not per token: without them an answer would look too cheap. */
const NOT_BY_TOKEN = ["requests_kcount"]

/** The list's prices for a model of this vendor; undefined if it does not know the model. */
export const priceSheetFor = (vendor: Pick<Vendor, "priceListId">, model: string): PriceSheet | undefined => {
  const id = vendor.priceListId
  const found = id === undefined ? undefined : modelInList(id, model)
  if (id === undefined || found === undefined) return undefined
  if (!pricesIn(found).every(isKnownUnit)) return undefined
  const sheet = sheetOf(SOURCE, PRICE_LIST_VERSION, ratesByTime(id, model, found))
  const tiers = publishedTiers(id, model, sheet)
  return tiers === undefined ? sheet : { ...sheet, serviceTiers: tiers }
}

/** Tokens of input and output together; undefined when the list does not say. */
export const contextWindowOf = (vendor: Vendor, model: string): number | undefined =>
  vendor.priceListId === undefined ? undefined : modelInList(vendor.priceListId, model)?.context_window

/** The operator's own prices. */
export const sheetFromConfig = (price: ConfiguredPrice): PriceSheet =>
  fixedSheet("configuration", `${price.input}/${price.output} USD per million`, price)

/** A sheet of prices that never change. */
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
const completed = (rateOf: (name: UsageClass, unit: UnitName) => number | undefined): Rates => {
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

/** Models that the list's matching takes for others: it has the first Titan for embeddings, which cost five times as much. */
const MISTAKEN: ReadonlyArray<readonly [providerId: string, model: RegExp]> = [["aws", /titan-embed-(?!text-v1)/]]

/**
 * Finds a model by the list's own matching, but only among the models of one provider. The list may also match a similarly named
 * provider, or another provider's model, and a wrong price is worse than none.
 */
const modelInList = (providerId: string, model: string): ModelInfo | undefined => {
  if (MISTAKEN.some(([id, name]) => id === providerId && name.test(model))) return undefined
  const provider = findProvider({ providerId })
  if (provider?.id !== providerId) return undefined
  const matched = calculated(providerId, model, 0)?.model
  return matched !== undefined && provider.models.includes(matched) ? matched : undefined
}

const calculated = (providerId: string, model: string, at: number) =>
  Result.getOrUndefined(
    Result.try(() => calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { providerId, timestamp: new Date(at) }))
  )

const pricesIn = (model: ModelInfo): ReadonlyArray<ModelPrice> =>
  Array.isArray(model.prices) ? model.prices.map(({ prices }) => prices) : [model.prices]

/** A model without any price is free. Prices for other units than tokens and hours of sound can't be used here. */
const isKnownUnit = (price: ModelPrice): boolean =>
  Object.keys(price).length === 0 ||
  ((price["input_mtok"] !== undefined || price[HOURS] !== undefined) &&
    NOT_BY_TOKEN.every((key) => price[key] === undefined))

/** The list's name for the price of an hour of sound that is heard. */
const HOURS = "input_audio_hours"
const SECONDS_PER_HOUR = 3600

/** The list's price changes begin and end on whole minutes. */
const ratesByTime = (providerId: string, model: string, found: ModelInfo): PriceSheet["ratesAt"] => {
  if (!Array.isArray(found.prices)) {
    const rates = tieredRates(model, found.prices)
    return () => rates
  }
  let minute = Number.NaN
  let rates = tieredRates(model, found.prices[0]!.prices)
  return (at) => {
    const now = Math.floor(at / MINUTE_MS)
    if (now !== minute) {
      const price = calculated(providerId, model, now * MINUTE_MS)?.model_price
      if (price !== undefined) rates = tieredRates(model, price)
      minute = now
    }
    return rates
  }
}

/** A tier of the list applies to the whole request once its input exceeds `start`, as `TieredRates` do. */
const tieredRates = (model: string, price: ModelPrice): TieredRates => {
  const starts = new Set(
    Object.values(price).flatMap((one) => (isTiered(one) ? one.tiers.map(({ start }) => start) : []))
  )
  return {
    base: ratesAbove(model, price, -1),
    tiers: [...starts].sort((a, b) => a - b).map((above) => ({ above, rates: ratesAbove(model, price, above) }))
  }
}

/** The list's name for the price of each class. */
const LISTED: { readonly [Class in UsageClass]?: string } = {
  input: "input_mtok",
  cachedInput: "cache_read_mtok",
  cacheWrite: "cache_write_mtok",
  cacheWrite1h: "cache_write_1h_mtok",
  imageInput: "input_image_mtok",
  audioInput: "input_audio_mtok",
  output: "output_mtok",
  reasoning: "output_reasoning_mtok",
  imageOutput: "output_image_mtok",
  audioOutput: "output_audio_mtok",
  webSearches: "web_searches_kcount",
  fileSearches: "storage_searches_kcount",
  codeExecutions: "code_executions_kcount"
}

/** Models that search the web for every answer: each call costs one search. */
const ALWAYS_SEARCHES = /search-(?:preview|api)/

/** Models that write nothing but images. The list has one price for all that they write. */
const WRITES_IMAGES = /^(?:chat)?gpt-image-/

/** The rates for input above `start` and below the next threshold. */
const ratesAbove = (model: string, price: ModelPrice, start: number): Rates => {
  if (Object.keys(price).length === 0) return noRates
  const usd = (key: string): number | undefined => {
    const one = price[key]
    if (!isTiered(one)) return one
    const reached = one.tiers.filter((tier) => tier.start <= start).sort((a, b) => a.start - b.start)
    return reached.at(-1)?.price ?? one.base
  }
  const rates = completed((name, unit) => {
    const hour = name === "audioSeconds" ? usd(HOURS) : undefined
    if (hour !== undefined) return usdToPico(hour / SECONDS_PER_HOUR, unit)
    const key = LISTED[name]
    const found = key === undefined ? undefined : usd(key)
    // The list leaves out what is not billed, such as the output of embeddings.
    if (found === undefined) return name === "output" && price[HOURS] === undefined ? 0 : undefined
    return usdToPico(found, unit)
  })
  if (WRITES_IMAGES.test(model) && Number.isNaN(rates.imageOutput)) return { ...rates, imageOutput: rates.output }
  return ALWAYS_SEARCHES.test(model) ? { ...rates, requestFees: rates.webSearches } : rates
}

const isTiered = (price: number | TieredPrices | undefined): price is TieredPrices => typeof price === "object"
