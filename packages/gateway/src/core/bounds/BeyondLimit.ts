/** Output that a request's limit leaves unbounded. */
import type { BoundRules } from "../domain/pricing/BoundRules.ts"

/** Tokens that the output limit does not bound. */
export const writesBeyondLimit = (bounds: BoundRules | undefined): number =>
  bounds === undefined ? 0 : (bounds.reasoningTokens ?? (bounds.reasoning === "inside" ? 0 : Number.POSITIVE_INFINITY))
