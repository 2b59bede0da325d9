/** The endpoints of the proxy. A new one is a file in `endpoints/` and a line here. */
import { Effect } from "effect"
import type { Admission } from "./Admission.ts"
import type { Endpoint, EndpointOptions } from "./Endpoint.ts"
import { chatEndpoint } from "./endpoints/Chat.ts"
import { feedbackEndpoint } from "./endpoints/Feedback.ts"
import { keyEndpoint } from "./endpoints/Key.ts"
import { modelEndpoint, modelsEndpoint } from "./endpoints/Models.ts"
import { receiptEndpoint } from "./endpoints/Receipts.ts"

/** `admit`: for an endpoint that asks again once a long body is in. */
export const makeEndpoints = Effect.fnUntraced(function* (options: EndpointOptions, admit: Admission) {
  return [
    yield* chatEndpoint(options, admit),
    yield* modelsEndpoint,
    yield* modelEndpoint,
    yield* keyEndpoint,
    yield* receiptEndpoint,
    yield* feedbackEndpoint
  ] satisfies ReadonlyArray<Endpoint>
})
