/**
 * The baseline of `auto`: what the same response, with the same tokens, would have cost at the first deployment of the strongest
 * bucket. Only responses with two known prices are compared. A failed or unpriced request saves nothing.
 */
import type { NanoUsd } from "../domain/Money.ts"
import { costOf, type PriceSheet } from "../domain/pricing/Pricing.ts"
import type { RouterSettings } from "../domain/Settings.ts"
import type { Usage } from "../domain/Usage.ts"

export interface Baseline {
  readonly id: string
  /** Undefined where the price is unknown. */
  readonly price: PriceSheet | undefined
}

/** Undefined where the strongest bucket is empty. */
export const strongestOf = <A extends Baseline>(
  { buckets }: RouterSettings,
  deployments: ReadonlyArray<A>
): A | undefined => {
  const first = buckets.at(-1)?.deployments[0]
  return deployments.find(({ id }) => id === first)
}

/** What a response with this usage would have cost at the baseline. Undefined if a price is unknown. */
export const baselineCost = (
  baseline: Baseline,
  price: PriceSheet | undefined,
  usage: Usage,
  at: number
): NanoUsd | undefined => {
  if (baseline.price === undefined || price === undefined) return undefined
  const compared = costOf(baseline.price, usage, at)
  return Number.isNaN(compared) ? undefined : compared
}
