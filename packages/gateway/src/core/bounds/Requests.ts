/** How many calls of its provider a request takes. */
import type { CallRequest } from "../operations/CallRequest.ts"
import type { Deployment } from "../domain/Deployment.ts"

/** One for each choice (`n`) where the model makes one choice a call: each of them reads the whole input, and is billed for it. */
export const requestsFor = (
  { billing, choices, separate }: Pick<CallRequest, "billing" | "choices" | "separate">,
  { quirks }: Pick<Deployment, "quirks">
): number => (quirks?.oneChoice === true && billing === undefined && separate === undefined ? choices : 1)
