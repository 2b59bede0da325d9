/** The charge of an attempt whose process died while the provider was answering. */
import { mostUsed } from "../bounds/Bounds.ts"
import type { AbandonedRule } from "../domain/AbandonedRule.ts"
import type { NanoUsd } from "../domain/Money.ts"
import { zeroBound } from "../domain/pricing/Bound.ts"
import { type PriceSheet, sheetOf, worstCase } from "../domain/pricing/Pricing.ts"
import type { ReservationRow } from "./LedgerJournal.ts"
import type { Intent } from "./Reservation.ts"

/**
 * A rate is measured over whole calls, the wait for the first token included, so generation itself is a little faster. Seen: 731
 * tokens a second measured where 800 were made.
 */
export const GENERATION_IS_FASTER = 1.1

/** How the cost of an attempt grows. Stored with its reservation, as the rate is lost with the process. */
export type Growth = Pick<ReservationRow, "fixed" | "perSecond">

/** Nothing bounds the cost but the reservation. */
const UNKNOWN: Growth = {}

/**
 * Without `outputRate` the reservation is the only bound. So it is where the provider runs tools or bills by image, character or
 * second: no rate of tokens bounds those.
 */
export const growthOf = (intent: Intent, input: number, now: number): Growth => {
  const { bound = zeroBound, choices, deployment, orStandard, outputRate, tier } = intent
  const { price } = deployment
  if (price === undefined || outputRate === undefined) return UNKNOWN
  if (bound.tools !== undefined || bound.units !== undefined) return UNKNOWN
  const { burst = 0, requests = 1 } = bound
  const sheet = tier === undefined ? price : (sheetOf(price, tier) ?? price)
  const limited = { ...bound, unlimitedOutput: burst, wholeOutput: undefined }
  const at = (prices: PriceSheet, output: number): NanoUsd =>
    worstCase(prices, mostUsed(limited, input, output, choices / requests, 0), now) * requests
  const cost = (output: number): NanoUsd =>
    orStandard === true ? Math.max(at(sheet, output), at(price, output)) : at(sheet, output)
  const fixed = cost(0)
  return { fixed, perSecond: cost(Math.ceil(outputRate * GENERATION_IS_FASTER)) - fixed }
}

/**
 * `until`: when its process died at the latest, epoch milliseconds; undefined where that is unknown or it may still run. An attempt that began after
 * that shows that clocks were set: the reservation is charged.
 */
export const abandonedCost = (row: ReservationRow, rule: AbandonedRule, until: number | undefined): NanoUsd => {
  if (rule === "void") return 0
  const { at, fixed, perSecond, reserved } = row
  if (rule === "book" || fixed === undefined || perSecond === undefined || until === undefined || until < at) {
    return reserved
  }
  return Math.min(reserved, fixed + Math.ceil((perSecond * (until - at)) / 1000))
}
