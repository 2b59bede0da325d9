/**
 * What an answer costs. Rates are whole pico-USD per token; a cost is the exact sum over the token classes, rounded once, half
 * up, to nano-USD.
 */
import { MAX_BUDGET_USD, type NanoUsd, usdToNano } from "./Money.ts"
import { inputTokens, type Usage } from "./Usage.ts"

/** Pico-USD per token of each class of `Usage`. */
export type Rates = { readonly [Class in keyof Usage]: number }

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
  return toNano(
    usage.input * rates.input +
      usage.cachedInput * rates.cachedInput +
      usage.cacheWrite * rates.cacheWrite +
      usage.cacheWrite1h * rates.cacheWrite1h +
      usage.output * rates.output +
      usage.reasoning * rates.reasoning +
      usage.audioInput * rates.audioInput +
      usage.audioOutput * rates.audioOutput
  )
}

/** The most that `input` tokens read and `output` tokens produced can cost, whatever their classes. */
export const worstCase = (sheet: PriceSheet, input: number, output: number, at: number): NanoUsd => {
  const rates = ratesFor(sheet.ratesAt(at), input)
  return toNano(input * dearestInput(rates) + output * dearestOutput(rates))
}

/** The most output tokens whose worst case, with `input` tokens read, fits into `room`; negative when not even the input does. */
export const outputThatFits = (sheet: PriceSheet, input: number, room: NanoUsd, at: number): number => {
  const rates = ratesFor(sheet.ratesAt(at), input)
  const dearest = dearestOutput(rates)
  const left = room * PICO_PER_NANO - input * dearestInput(rates)
  return dearest === 0 ? (left < 0 ? -1 : Number.MAX_SAFE_INTEGER) : Math.floor(left / dearest)
}

const dearestInput = (rates: Rates): number =>
  Math.max(rates.input, rates.cachedInput, rates.cacheWrite, rates.cacheWrite1h, rates.audioInput)

const dearestOutput = (rates: Rates): number => Math.max(rates.output, rates.reasoning, rates.audioOutput)

/** As much as the largest budget: more fits into none, and sums stay whole numbers. */
const MAX_NANO: NanoUsd = usdToNano(MAX_BUDGET_USD)

const toNano = (pico: number): NanoUsd => Math.min(MAX_NANO, Math.floor((pico + PICO_PER_NANO / 2) / PICO_PER_NANO))
