/** How many calls of its provider a request takes, and the output limit of each. */
import type { CallRequest } from "../operations/CallRequest.ts"
import { routeOf } from "../operations/RequestFeatures.ts"
import type { Deployment } from "../domain/Deployment.ts"

/** Upstream calls: one for each choice (`n`) where the model returns one choice per call. Each is billed for the whole input. */
export const requestsFor = (
  { billing, choices, features, separate }: Pick<CallRequest, "billing" | "choices" | "features" | "separate">,
  { quirks, routes }: Pick<Deployment, "quirks" | "routes">
): number => {
  if (choices === 1 || billing !== undefined || separate !== undefined) return 1
  // The Responses API has one choice.
  return quirks?.oneChoice === true || routeOf(features, routes)?.use === "responses" ? choices : 1
}

/** The most that the caller's output limit can become on its way. 0 stays 0: nothing is written. */
export const sentLimit = <Limit extends number | undefined>(
  limit: Limit,
  { quirks }: Pick<Deployment, "quirks">
): Limit | number => (limit === undefined || limit === 0 ? limit : Math.max(limit, quirks?.leastOutput ?? 0))
