/**
 * What `auto` is compared with: the first deployment of the strongest bucket, had it given the same answer, with the same number of
 * tokens. Only answers are compared, and only where both prices are known: what failed, and what has no price, saves nothing.
 */
import type { NanoUsd } from "../domain/Money.ts"
import { costOf, type PriceSheet } from "../domain/Pricing.ts"
import type { RouterSettings } from "../domain/Settings.ts"
import type { Usage } from "../domain/Usage.ts"

export interface Baseline {
  readonly id: string
  /** Undefined where nobody knows it. */
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

/** What an answer of that price, `cost` and usage would have cost there. Where that can't be told it is `cost`: nothing was saved. */
export const baselineCost = (
  baseline: Baseline,
  price: PriceSheet | undefined,
  cost: NanoUsd,
  usage: Usage,
  at: number
): NanoUsd => {
  if (baseline.price === undefined || price === undefined) return cost
  const compared = costOf(baseline.price, usage, at)
  return Number.isNaN(compared) ? cost : compared
}
