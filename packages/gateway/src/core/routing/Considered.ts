/** What became of every deployment that a decision thought of. */
import type { Decision } from "./Decision.ts"
import { type Ineligible, wordsOf } from "./Eligibility.ts"

/**
 * `chosen`: tried first. `spare`: tried if those before it fail. `unhealthy`: tried last. `filtered`: can't serve this request.
 * `lower_bucket`: its bucket is below the prompt's. `not_needed`: others serve it.
 */
const fates = ["chosen", "spare", "unhealthy", "filtered", "lower_bucket", "not_needed"] as const
export type Fate = (typeof fates)[number]

export interface Considered {
  readonly deployment: string
  readonly fate: Fate
  /** In words, where there is more to say. */
  readonly why: string | null
  /** The caller's key may not use it, so the caller is not told of it. */
  readonly isForbidden: boolean
}

/** In the order in which they are tried, then those that are not. */
export const consideredIn = ({ candidates, unfit = [], unready, unused }: Decision): ReadonlyArray<Considered> => {
  const considered = candidates.map(({ id }, index): Considered => {
    const why = unready?.get(id) ?? null
    const fate = index === 0 ? "chosen" : why === null ? "spare" : "unhealthy"
    return { deployment: id, fate, why, isForbidden: false }
  })
  for (const one of unfit) considered.push(filtered(one))
  if (unused === undefined) return considered
  const { deployments, fate, why } = unused
  const ids = new Set(deployments.map(({ id }) => id))
  for (const { deployment } of considered) ids.delete(deployment)
  for (const deployment of ids) considered.push({ deployment, fate, why, isForbidden: false })
  return considered
}

const filtered = (one: Ineligible): Considered => ({
  deployment: one.deployment.id,
  fate: "filtered",
  why: wordsOf(one),
  isForbidden: one.obstacle === "key"
})
