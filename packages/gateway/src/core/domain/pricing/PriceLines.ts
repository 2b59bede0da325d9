/** What a cost is made of: line items that add up to it, to the nano-USD. */
import type { NanoUsd } from "../Money.ts"
import { type Rates, toNano } from "./Pricing.ts"
import { type Usage, type UsageClass, usageClasses } from "../Usage.ts"

/** The reservation of a call was charged: its usage is unknown, or has no known price. */
export const HELD = "held"

export interface PriceLine {
  readonly of: UsageClass | typeof HELD
  /** Units of the class; null for a reservation. */
  readonly count: number | null
  /** Pico-USD per unit; null where it is unknown. */
  readonly rate: number | null
  /** Null where the rate is unknown: it is no part of the cost. */
  readonly cost: NanoUsd | null
}

/** The line items of `cost`, steps of the rounded running sum: they add up. Undefined if the rates are unknown by now. */
export const priceLines = (
  rates: Rates | undefined,
  usage: Usage,
  cost: NanoUsd
): ReadonlyArray<PriceLine> | undefined => {
  const used = usageClasses.filter(({ name }) => usage[name] !== 0)
  if (rates === undefined) return used.length > 0 ? undefined : cost === 0 ? [] : [held(cost)]
  let pico = 0
  let told = 0
  const lines = used.map(({ name }): PriceLine => {
    const [count, rate] = [usage[name], rates[name]]
    if (Number.isNaN(rate)) return { of: name, count, rate: null, cost: null }
    pico += count * rate
    const before = told
    told = toNano(pico)
    return { of: name, count, rate, cost: told - before }
  })
  return told === cost ? lines : [held(cost)]
}

const held = (cost: NanoUsd): PriceLine => ({ of: HELD, count: null, rate: null, cost })
