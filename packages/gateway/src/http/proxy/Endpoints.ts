/** The endpoints of the proxy. A new one is a file in `endpoints/` and a line here. */
import { Effect } from "effect"
import { transcriptions, translations } from "../../core/operations/audio/Transcriptions.ts"
import { chat } from "../../core/operations/chat/Chat.ts"
import { imageEdits, images, imageVariations } from "../../core/operations/images/Images.ts"
import { speech } from "../../core/operations/speech/Speech.ts"
import type { Admission } from "./Admission.ts"
import type { Endpoint, EndpointOptions } from "./Endpoint.ts"
import { feedbackEndpoint } from "./endpoints/Feedback.ts"
import { keyEndpoint } from "./endpoints/Key.ts"
import { modelEndpoint, modelsEndpoint } from "./endpoints/Models.ts"
import { operationEndpoint } from "./endpoints/OperationEndpoint.ts"
import { receiptEndpoint } from "./endpoints/Receipts.ts"

/** `admit`: for endpoints that check the key again after a long body has arrived. */
export const makeEndpoints = Effect.fnUntraced(function* (options: EndpointOptions, admit: Admission) {
  return [
    yield* operationEndpoint(chat, options, admit),
    yield* operationEndpoint(images, options, admit),
    yield* operationEndpoint(imageEdits, options, admit),
    yield* operationEndpoint(imageVariations, options, admit),
    yield* operationEndpoint(transcriptions, options, admit),
    yield* operationEndpoint(translations, options, admit),
    yield* operationEndpoint(speech, options, admit),
    yield* modelsEndpoint,
    yield* modelEndpoint,
    yield* keyEndpoint,
    yield* receiptEndpoint,
    yield* feedbackEndpoint
  ] satisfies ReadonlyArray<Endpoint>
})
