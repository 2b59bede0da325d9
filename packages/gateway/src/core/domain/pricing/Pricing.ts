/** What a response costs: whole pico-USD per unit, summed exactly and rounded once, half up, to nano-USD. */
import { MAX_BUDGET_USD, type NanoUsd, usdToNano } from "../Money.ts"
import { STANDARD } from "./ServiceTier.ts"
import {
  eachClass,
  type FeeClass,
  feeClasses,
  hasRare,
  inputClasses,
  inputTokens,
  outputClasses,
  outputTokens,
  rareClasses,
  type UnitCounts,
  unitClasses,
  type Usage,
  type UsageClass,
  usageClasses,
  wireName
} from "../Usage.ts"

/** Pico-USD per unit of each class of `Usage`; NaN where the price is unknown. */
export type Rates = { readonly [Class in UsageClass]: number }

export const noRates: Rates = eachClass(() => 0)

/** Rates that hold once a request's input exceeds `above` tokens; they then apply to all of its tokens. */
export interface PriceTier {
  readonly above: number
  readonly rates: Rates
}

/** `base`, then tiers by ascending threshold. */
export interface TieredRates {
  readonly base: Rates
  readonly tiers: ReadonlyArray<PriceTier>
}

/** The prices of one deployment and where they come from; ledger rows keep `source` and `version`. */
export interface PriceSheet {
  /** `configuration`, or `catalogue`. */
  readonly source: string
  readonly version: string
  /** Times (epoch milliseconds) at which the rates change; left out: they never do. */
  readonly changes?: ReadonlyArray<number>
  /** The prices of another model of the vendor, by the name that a response gives; undefined where it is the same, or unknown. */
  readonly answeredAs?: (model: string) => PriceSheet | undefined
  /** The rates at a time (epoch milliseconds). */
  readonly ratesAt: (at: number) => TieredRates
  /** The known prices of other service tiers; of images, those by size and quality. */
  readonly serviceTiers?: ReadonlyMap<string, PriceSheet>
  /** Each call has a fee of its own. */
  readonly hasRequestFee?: boolean
}

/** The prices of a service tier; undefined where they are unknown. */
export const sheetOf = (sheet: PriceSheet, tier: string): PriceSheet | undefined =>
  tier === STANDARD ? sheet : sheet.serviceTiers?.get(tier)

const unknownIn = new WeakMap<PriceSheet, ReadonlySet<UsageClass>>()

export const unknownClasses = (sheet: PriceSheet): ReadonlySet<UsageClass> => {
  let unknown = unknownIn.get(sheet)
  if (unknown === undefined) {
    const { base, tiers } = sheet.ratesAt(0)
    const all = [base, ...tiers.map(({ rates }) => rates)]
    unknown = new Set(
      usageClasses.flatMap(({ name }) => (all.some((rates) => Number.isNaN(rates[name])) ? [name] : []))
    )
    unknownIn.set(sheet, unknown)
  }
  return unknown
}

/** Prices may change in time: what is free was so from the first and is so to the last. */
const TIMES = [0, Date.UTC(2100)]

const freeSheets = new WeakMap<PriceSheet, boolean>()

/** Nothing is billed, whatever is used: a free model. A class without a price is not free, unless it is no token. */
export const isFree = (sheet: PriceSheet): boolean => {
  let isKnownFree = freeSheets.get(sheet)
  if (isKnownFree === undefined) {
    const all = TIMES.flatMap((at) => {
      const { base, tiers } = sheet.ratesAt(at)
      return [base, ...tiers.map(({ rates }) => rates)]
    })
    const isNothing = (rates: Rates) =>
      usageClasses.every(({ name, unit }) => rates[name] === 0 || (unit !== "token" && Number.isNaN(rates[name])))
    isKnownFree = all.every(isNothing) && [...(sheet.serviceTiers?.values() ?? [])].every(isFree)
    freeSheets.set(sheet, isKnownFree)
  }
  return isKnownFree
}

/** Price lists and operators quote prices per this many units. */
export const pricedPer = {
  token: 1_000_000,
  character: 1_000_000,
  call: 1_000,
  "rerank unit": 1_000,
  image: 1,
  second: 1
} as const satisfies { readonly [Unit in (typeof usageClasses)[number]["unit"]]: number }

/** The name of a class in the configuration's `price`: `audio_input`, `web_search`, `image`. */
export const priceKey = (name: UsageClass): string => wireName(name).replace(/(?<=ch)es$|s$/, "")

export const usdToPico = (usd: number, unit: keyof typeof pricedPer): number =>
  Math.round((usd * 1e12) / pricedPer[unit])

const PICO_PER_NANO = 1000

const ratesFor = (tiered: TieredRates, input: number): Rates => {
  let rates = tiered.base
  for (const tier of tiered.tiers) if (input > tier.above) rates = tier.rates
  return rates
}

/** The exact cost at the time `at` (epoch ms). NaN: something has no price. `requests`: calls that share `usage` evenly. */
export const costOf = (sheet: PriceSheet, usage: Usage, at: number, requests = 1): NanoUsd =>
  costAt(ratesOf(sheet, usage, at, requests), usage)

/** The rates that hold for `usage` at the time `at` (epoch milliseconds). */
export const ratesOf = (sheet: PriceSheet, usage: Usage, at: number, requests = 1): Rates =>
  ratesFor(sheet.ratesAt(at), inputTokens(usage) / requests)

/** The exact cost of `usage` at these rates; NaN where something was used that has no price. */
export const costAt = (rates: Rates, usage: Usage): NanoUsd => {
  let pico =
    part(usage.input, rates.input) +
    part(usage.cachedInput, rates.cachedInput) +
    part(usage.cacheWrite, rates.cacheWrite) +
    part(usage.cacheWrite1h, rates.cacheWrite1h) +
    part(usage.output, rates.output) +
    part(usage.reasoning, rates.reasoning) +
    part(usage.audioInput, rates.audioInput) +
    part(usage.audioOutput, rates.audioOutput)
  if (hasRare(usage)) for (const name of rareClasses) pico += part(usage[name], rates[name])
  return toNano(pico)
}

/** Zero units cost nothing, even without a price. */
const part = (count: number, rate: number): number => (count === 0 ? 0 : count * rate)

/** The known part of the cost: units without a price are left out. */
export const knownCostOf = (sheet: PriceSheet, usage: Usage, at: number): NanoUsd => {
  const unknown = unknownClasses(sheet)
  return costOf(
    sheet,
    eachClass(({ name }) => (unknown.has(name) ? 0 : usage[name])),
    at
  )
}

/** The cost where prices are missing and there is a budget: tokens at the most expensive known rate of their side. */
export const costAsHeld = (sheet: PriceSheet, usage: Usage, at: number): NanoUsd => {
  const { audioInput } = usage
  const most = {
    input: inputTokens(usage) - audioInput,
    output: outputTokens(usage),
    audioInput,
    calls: usage,
    units: usage
  }
  return Math.max(knownCostOf(sheet, usage, at), worstCase(sheet, most, at))
}

/** The most that a request may use. */
export interface MostUsed {
  /** Tokens of any class but audio. */
  readonly input: number
  /** Tokens of any class. */
  readonly output: number
  /** Tokens that are audio, or may be. */
  readonly audioInput?: number
  readonly calls?: { readonly [C in FeeClass]?: number }
  readonly units?: UnitCounts | undefined
  /** Classes that the request can't produce, as bits of `cannot`; left out: it may produce all. */
  readonly cannot?: number
}

/** Things that some requests can't cause. */
export const cannot = {
  /** Audio tokens in the response. */
  speak: 1,
  /** Input written to a cache, for any lifetime. */
  cache: 2,
  /** Input written to a cache for longer than the usual lifetime. */
  cacheForLong: 4
} as const

/**
 * The most that one call can cost with its fee, whichever classes its tokens are, at the most expensive prices from `at` until
 * `until` (epoch ms). Missing token prices count at the most expensive known rate of their side, missing fees as nothing.
 */
export const worstCase = (sheet: PriceSheet, most: MostUsed, at: number, until = at): NanoUsd => {
  let cost = worstAt(sheet, most, at)
  const { changes } = sheet
  if (changes === undefined) return cost
  for (const change of changes) if (change > at && change <= until) cost = Math.max(cost, worstAt(sheet, most, change))
  return cost
}

const worstAt = (sheet: PriceSheet, most: MostUsed, at: number): NanoUsd => {
  const tiered = sheet.ratesAt(at)
  const dearest = dearestUpTo(tiered, allInput(most), most.cannot)
  return toNano(worstInput(tiered, dearest, most) + most.output * dearest.output)
}

/** The most output tokens whose worst case, with the rest of `most`, costs at most `room`; negative if the rest alone costs more. */
export const outputThatFits = (
  sheet: PriceSheet,
  most: Omit<MostUsed, "output">,
  room: NanoUsd,
  at: number,
  until = at
): number => {
  let fits = fitsAt(sheet, most, room, at)
  const { changes } = sheet
  if (changes === undefined) return fits
  for (const change of changes) {
    if (change > at && change <= until) fits = Math.min(fits, fitsAt(sheet, most, room, change))
  }
  return fits
}

const fitsAt = (sheet: PriceSheet, most: Omit<MostUsed, "output">, room: NanoUsd, at: number): number => {
  const tiered = sheet.ratesAt(at)
  const dearest = dearestUpTo(tiered, allInput(most), most.cannot)
  const each = dearest.output
  const left = room * PICO_PER_NANO - worstInput(tiered, dearest, most)
  return each === 0 ? (left < 0 ? -1 : Number.MAX_SAFE_INTEGER) : Math.floor(left / each)
}

const allInput = ({ audioInput = 0, input }: Omit<MostUsed, "output">): number => input + audioInput

const worstInput = (tiered: TieredRates, dearest: Dearest, most: Omit<MostUsed, "output">): number => {
  const { audioInput = 0, calls, input, units } = most
  const rates = ratesFor(tiered, allInput(most))
  let pico = input * dearest.plainInput + audioInput * dearest.anyInput + known(rates.requestFees)
  if (calls !== undefined) for (const name of feeClasses) pico += (calls[name] ?? 0) * known(rates[name])
  if (units !== undefined) for (const name of unitClasses) pico += (units[name] ?? 0) * known(rates[name])
  return pico
}

interface Dearest {
  readonly plainInput: number
  readonly anyInput: number
  readonly output: number
}

/** The most expensive rates of all tiers up to `input` tokens: the input may be shorter, or a tier without a price. */
const dearestUpTo = ({ base, tiers }: TieredRates, input: number, without: number | undefined): Dearest => {
  let most = dearestIn(base, without)
  for (const { above, rates } of tiers) {
    if (input <= above) break
    const { anyInput, output, plainInput } = dearestIn(rates, without)
    most = {
      plainInput: Math.max(most.plainInput, plainInput),
      anyInput: Math.max(most.anyInput, anyInput),
      output: Math.max(most.output, output)
    }
  }
  return most
}

/** Cached by rates, which are few and long-lived, and by the bits of `cannot`. */
const dearestOf = new WeakMap<Rates, Array<Dearest | undefined>>()

const dearestIn = (rates: Rates, without = 0): Dearest => {
  let all = dearestOf.get(rates)
  if (all === undefined) dearestOf.set(rates, (all = []))
  return (all[without] ??= dearestWithout(rates, without))
}

const isLongWrite = (name: UsageClass): boolean => name === "cacheWrite1h" || name === "cacheWrite12h"

const dearestWithout = (rates: Rates, without: number): Dearest => {
  const input = inputClasses.filter(
    (name) =>
      !((without & cannot.cache) !== 0 && (name === "cacheWrite" || isLongWrite(name))) &&
      !((without & cannot.cacheForLong) !== 0 && isLongWrite(name))
  )
  const output = outputClasses.filter((name) => (without & cannot.speak) === 0 || name !== "audioOutput")
  return {
    plainInput: dearest(
      rates,
      input.filter((name) => name !== "audioInput" && name !== "cachedAudioInput")
    ),
    anyInput: dearest(rates, input),
    output: dearest(rates, output)
  }
}

const known = (rate: number): number => (Number.isNaN(rate) ? 0 : rate)

const dearest = (rates: Rates, classes: ReadonlyArray<UsageClass>): number => {
  let most = 0
  for (const name of classes) if (rates[name] > most) most = rates[name]
  return most
}

/** The largest possible budget. A larger amount fits into no budget, and sums stay safe integers. */
const MAX_NANO: NanoUsd = usdToNano(MAX_BUDGET_USD)

export const toNano = (pico: number): NanoUsd =>
  Math.min(MAX_NANO, Math.floor((pico + PICO_PER_NANO / 2) / PICO_PER_NANO))
