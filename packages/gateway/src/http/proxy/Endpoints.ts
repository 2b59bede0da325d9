/** The endpoints of the proxy. A new one is a file in `endpoints/` and a line here. */
import { Effect } from "effect"
import { chat } from "../../core/operations/chat/Chat.ts"
import { responses } from "../../core/operations/responses/Responses.ts"
import { compaction } from "../../core/responses/Compaction.ts"
import { responsesErrors } from "../ResponsesErrors.ts"
import type { Admission } from "./Admission.ts"
import type { Endpoint, EndpointOptions } from "./Endpoint.ts"
import { cancelResponseEndpoint } from "./endpoints/CancelResponse.ts"
import { feedbackEndpoint } from "./endpoints/Feedback.ts"
import { keyEndpoint } from "./endpoints/Key.ts"
import { modelEndpoint, modelsEndpoint } from "./endpoints/Models.ts"
import { operationEndpoint } from "./endpoints/OperationEndpoint.ts"
import { receiptEndpoint } from "./endpoints/Receipts.ts"
import { inputItemsEndpoint } from "./endpoints/responses/InputItems.ts"
import { prepareCompaction, prepareResponses } from "./endpoints/responses/PrepareResponses.ts"
import { deleteResponseEndpoint, storedResponseEndpoint } from "./endpoints/responses/StoredResponses.ts"

/** `admit`: for endpoints that check the key again after a long body has arrived. */
export const makeEndpoints = Effect.fnUntraced(function* (options: EndpointOptions, admit: Admission) {
  return [
    yield* operationEndpoint(chat, options, admit),
    yield* operationEndpoint(responses, options, admit, {
      errors: responsesErrors,
      prepare: yield* prepareResponses(options)
    }),
    yield* operationEndpoint(compaction, options, admit, { prepare: yield* prepareCompaction(options) }),
    yield* storedResponseEndpoint,
    yield* deleteResponseEndpoint,
    yield* inputItemsEndpoint(options),
    cancelResponseEndpoint,
    yield* modelsEndpoint,
    yield* modelEndpoint,
    yield* keyEndpoint,
    yield* receiptEndpoint,
    yield* feedbackEndpoint
  ] satisfies ReadonlyArray<Endpoint>
})
