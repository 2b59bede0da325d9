/**
 * What an answer costs. Rates are whole pico-USD per unit (token, call, …); a cost is the exact sum over the classes, rounded
 * once, half up, to nano-USD.
 */
import { MAX_BUDGET_USD, type NanoUsd, usdToNano } from "./Money.ts"
import {
  eachClass,
  type FeeClass,
  feeClasses,
  inputClasses,
  inputTokens,
  outputClasses,
  type Usage,
  type UsageClass,
  usageClasses
} from "./Usage.ts"

/** Pico-USD for one of each class of `Usage`. */
export type Rates = { readonly [Class in UsageClass]: number }

/** Where nothing costs anything. */
export const noRates: Rates = eachClass(() => 0)

/** Rates that hold once a request's input exceeds `above` tokens; they then apply to all of its tokens. */
export interface Tier {
  readonly above: number
  readonly rates: Rates
}

/** `base`, then tiers by ascending threshold. */
export interface TieredRates {
  readonly base: Rates
  readonly tiers: ReadonlyArray<Tier>
}

/** The prices of one deployment and where they come from; ledger rows keep `source` and `version`. */
export interface PriceSheet {
  /** `configuration` or the name of the price list. */
  readonly source: string
  readonly version: string
  /** The rates in force at a time (epoch ms): some vendors charge by time of day. */
  readonly ratesAt: (at: number) => TieredRates
}

const PICO_PER_NANO = 1000

/** USD per million tokens, as price lists and operators write it, to pico-USD per token. */
export const usdPerMillionToPico = (usd: number): number => Math.round(usd * 1_000_000)

const ratesFor = (tiered: TieredRates, input: number): Rates => {
  let rates = tiered.base
  for (const tier of tiered.tiers) if (input > tier.above) rates = tier.rates
  return rates
}

/** The exact cost of `usage` at the prices of time `at` (epoch ms). */
export const costOf = (sheet: PriceSheet, usage: Usage, at: number): NanoUsd => {
  const rates = ratesFor(sheet.ratesAt(at), inputTokens(usage))
  let pico = 0
  for (const { name } of usageClasses) {
    const count = usage[name]
    if (count !== 0) pico += count * rates[name]
  }
  return toNano(pico)
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
}

/** The most that it can cost, whatever the classes its tokens turn out to be. */
export const worstCase = (sheet: PriceSheet, most: MostUsed, at: number): NanoUsd => {
  const rates = ratesFor(sheet.ratesAt(at), allInput(most))
  return toNano(worstInput(rates, most) + most.output * dearest(rates, outputClasses))
}

/** The most output tokens whose worst case, with all else of `most`, fits into `room`; negative when not even that does. */
export const outputThatFits = (
  sheet: PriceSheet,
  most: Omit<MostUsed, "output">,
  room: NanoUsd,
  at: number
): number => {
  const rates = ratesFor(sheet.ratesAt(at), allInput(most))
  const each = dearest(rates, outputClasses)
  const left = room * PICO_PER_NANO - worstInput(rates, most)
  return each === 0 ? (left < 0 ? -1 : Number.MAX_SAFE_INTEGER) : Math.floor(left / each)
}

const allInput = ({ audioInput = 0, input }: Omit<MostUsed, "output">): number => input + audioInput

/** Everything but the output. */
const worstInput = (rates: Rates, { audioInput = 0, calls, input }: Omit<MostUsed, "output">): number => {
  let pico = input * dearest(rates, plainInput) + audioInput * dearest(rates, inputClasses)
  if (calls !== undefined) for (const name of feeClasses) pico += (calls[name] ?? 0) * rates[name]
  return pico
}

const plainInput = inputClasses.filter((name) => name !== "audioInput")

const dearest = (rates: Rates, classes: ReadonlyArray<UsageClass>): number => {
  let most = 0
  for (const name of classes) most = Math.max(most, rates[name])
  return most
}

/** As much as the largest budget: more fits into none, and sums stay whole numbers. */
const MAX_NANO: NanoUsd = usdToNano(MAX_BUDGET_USD)

const toNano = (pico: number): NanoUsd => Math.min(MAX_NANO, Math.floor((pico + PICO_PER_NANO / 2) / PICO_PER_NANO))
