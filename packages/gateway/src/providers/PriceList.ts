/**
 * Prices per token: from the list of `@pydantic/genai-prices` (data in the package, no network) or from the configuration.
 */
import { calcPrice, findProvider, type ModelInfo, type ModelPrice, type TieredPrices } from "@pydantic/genai-prices"
import { Result } from "effect"
import { noRates, usdPerMillionToPico, type PriceSheet, type Rates, type TieredRates } from "../core/Pricing.ts"
import type { Vendor } from "../core/Provider.ts"
import type { ConfiguredPrice } from "../core/Settings.ts"

const SOURCE = "genai-prices"
/** Of the package: ledger rows keep it. */
export const PRICE_LIST_VERSION = "0.1.8"

const MINUTE_MS = 60_000

/** Prices in the list that no sum over tokens can hold: an answer would look cheaper than it is. */
const NOT_BY_TOKEN = ["requests_kcount"]

/** What the list says of a model of this vendor; undefined when it does not know it. */
export const priceSheetFor = (vendor: Vendor, model: string): PriceSheet | undefined => {
  const id = vendor.priceListId
  const found = id === undefined ? undefined : modelInList(id, model)
  if (id === undefined || found === undefined) return undefined
  if (!pricesIn(found).every(isByToken)) return undefined
  return { source: SOURCE, version: PRICE_LIST_VERSION, ratesAt: ratesByTime(id, model, found) }
}

/** Tokens of input and output together; undefined when the list does not say. */
export const contextWindowOf = (vendor: Vendor, model: string): number | undefined =>
  vendor.priceListId === undefined ? undefined : modelInList(vendor.priceListId, model)?.context_window

/** The operator's own prices. */
export const sheetFromConfig = (price: ConfiguredPrice): PriceSheet =>
  fixedSheet("configuration", `${price.input}/${price.output} USD per million`, price)

/** A sheet of prices that never change. Classes left out cost what `input` or `output` costs. */
export const fixedSheet = (source: string, version: string, price: ConfiguredPrice): PriceSheet => {
  const input = usdPerMillionToPico(price.input)
  const output = usdPerMillionToPico(price.output)
  const cacheWrite = price.cacheWrite === undefined ? input : usdPerMillionToPico(price.cacheWrite)
  const base: Rates = {
    ...noRates,
    input,
    cachedInput: price.cachedInput === undefined ? input : usdPerMillionToPico(price.cachedInput),
    cacheWrite,
    cacheWrite1h: cacheWrite,
    output,
    reasoning: price.reasoning === undefined ? output : usdPerMillionToPico(price.reasoning),
    audioInput: input,
    audioOutput: output
  }
  const rates: TieredRates = { base, tiers: [] }
  return { source, version, ratesAt: () => rates }
}

/**
 * The list's own match of a model name among the models of one provider. The list may also answer with a provider of a similar
 * name, or with another provider's model: a wrong price is worse than none.
 */
const modelInList = (providerId: string, model: string): ModelInfo | undefined => {
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

/** No price at all means free; anything else than tokens (hours of audio, pages) can't be counted here. */
const isByToken = (price: ModelPrice): boolean =>
  Object.keys(price).length === 0 ||
  (price["input_mtok"] !== undefined && NOT_BY_TOKEN.every((key) => price[key] === undefined))

/** Conditions of the list begin and end on whole minutes. */
const ratesByTime = (providerId: string, model: string, found: ModelInfo): PriceSheet["ratesAt"] => {
  if (!Array.isArray(found.prices)) {
    const rates = tieredRates(found.prices)
    return () => rates
  }
  let minute = Number.NaN
  let rates = tieredRates(found.prices[0]!.prices)
  return (at) => {
    const now = Math.floor(at / MINUTE_MS)
    if (now !== minute) {
      const price = calculated(providerId, model, now * MINUTE_MS)?.model_price
      if (price !== undefined) rates = tieredRates(price)
      minute = now
    }
    return rates
  }
}

/** A tier of the list holds for the whole request once its input is above `start`: the rule of `TieredRates`, too. */
const tieredRates = (price: ModelPrice): TieredRates => {
  const starts = new Set(
    Object.values(price).flatMap((one) => (isTiered(one) ? one.tiers.map(({ start }) => start) : []))
  )
  return {
    base: ratesAbove(price, -1),
    tiers: [...starts].sort((a, b) => a - b).map((above) => ({ above, rates: ratesAbove(price, above) }))
  }
}

/** The rates in force when the input exceeds `start`, and no higher threshold. A class without a price costs what holds it does. */
const ratesAbove = (price: ModelPrice, start: number): Rates => {
  const pico = (key: string, otherwise: number): number => {
    const one = price[key]
    if (one === undefined) return otherwise
    if (!isTiered(one)) return usdPerMillionToPico(one)
    const reached = one.tiers.filter((tier) => tier.start <= start).sort((a, b) => a.start - b.start)
    return usdPerMillionToPico(reached.at(-1)?.price ?? one.base)
  }
  const input = pico("input_mtok", 0)
  const output = pico("output_mtok", 0)
  const cacheWrite = pico("cache_write_mtok", input)
  return {
    ...noRates,
    input,
    cachedInput: pico("cache_read_mtok", input),
    cacheWrite,
    cacheWrite1h: pico("cache_write_1h_mtok", cacheWrite),
    output,
    reasoning: pico("output_reasoning_mtok", output),
    audioInput: pico("input_audio_mtok", input),
    audioOutput: pico("output_audio_mtok", output)
  }
}

const isTiered = (price: number | TieredPrices | undefined): price is TieredPrices => typeof price === "object"
