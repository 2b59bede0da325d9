/** The endpoints of the proxy. A new one is a file in `endpoints/` and a line here. */
import { Effect } from "effect"
import { transcriptions, translations } from "../../core/operations/audio/Transcriptions.ts"
import { chat } from "../../core/operations/chat/Chat.ts"
import { completions } from "../../core/operations/completions/Completions.ts"
import { embeddings } from "../../core/operations/embeddings/Embeddings.ts"
import { responses } from "../../core/operations/responses/Responses.ts"
import { compaction } from "../../core/responses/Compaction.ts"
import { inputTokens } from "../../core/responses/InputTokens.ts"
import { SharedCapacity } from "../../core/limits/BytesInFlight.ts"
import { responsesErrors } from "../errors/ResponsesErrors.ts"
import { moderations } from "../../core/operations/moderations/Moderations.ts"
import { countContentTokens, generateContent } from "../../core/operations/generate_content/GenerateContent.ts"
import { counted, countTokens } from "../../core/operations/count_tokens/CountTokens.ts"
import { messages } from "../../core/operations/messages/Messages.ts"
import { googleErrors, googleStreamErrors } from "../errors/GoogleErrorShape.ts"
import { anthropicErrors } from "../errors/AnthropicErrorShape.ts"
import { imageEdits, images, imageVariations } from "../../core/operations/images/Images.ts"
import { rerank } from "../../core/operations/rerank/Rerank.ts"
import { speech } from "../../core/operations/speech/Speech.ts"
import type { Admission } from "./Admission.ts"
import type { Endpoint, EndpointOptions } from "../routing/Endpoint.ts"
import { feedbackEndpoint } from "./endpoints/Feedback.ts"
import { keyEndpoint } from "./endpoints/Key.ts"
import { modelEndpoint, modelsEndpoint } from "./endpoints/ModelsEndpoint.ts"
import { operationEndpoint } from "./endpoints/OperationEndpoint.ts"
import { receiptEndpoint } from "./endpoints/Receipts.ts"
import { cancelResponseEndpoint, makeBackground } from "./endpoints/responses/Background.ts"
import { inputItemsEndpoint } from "./endpoints/responses/InputItems.ts"
import { prepareConversation, prepareResponses } from "./endpoints/responses/PrepareResponses.ts"
import { responsesSocketEndpoint, socketResponses } from "./endpoints/responses/ResponsesSocket.ts"
import { deleteResponseEndpoint, storedResponseEndpoint } from "./endpoints/responses/StoredResponses.ts"

/** `admit`: for endpoints that check the key again after a long body has arrived. */
export const makeEndpoints = Effect.fnUntraced(function* (options: EndpointOptions, admit: Admission) {
  const inFlight = new SharedCapacity(options.maxBytesInFlight)
  const background = yield* makeBackground
  const ofResponses = { errors: responsesErrors, prepare: yield* prepareResponses(options, background) }
  return [
    yield* operationEndpoint(chat, options, admit, inFlight),
    yield* operationEndpoint(completions, options, admit, inFlight),
    yield* operationEndpoint(embeddings, options, admit, inFlight),
    yield* operationEndpoint(responses, options, admit, inFlight, ofResponses),
    responsesSocketEndpoint(yield* operationEndpoint(socketResponses, options, admit, inFlight, ofResponses)),
    yield* operationEndpoint(compaction, options, admit, inFlight, { prepare: yield* prepareConversation(options) }),
    yield* operationEndpoint(inputTokens, options, admit, inFlight, {
      prepare: yield* prepareConversation(options, counted)
    }),
    storedResponseEndpoint(inFlight, background),
    yield* deleteResponseEndpoint(background),
    yield* inputItemsEndpoint(options, inFlight),
    cancelResponseEndpoint(background),
    yield* operationEndpoint(moderations, options, admit, inFlight),
    yield* operationEndpoint(messages, options, admit, inFlight, { errors: anthropicErrors }),
    yield* operationEndpoint(countTokens, options, admit, inFlight, { errors: anthropicErrors }),
    yield* operationEndpoint(generateContent, options, admit, inFlight, {
      errors: googleErrors,
      named: ({ model = "" }) => ({ model, stream: false })
    }),
    yield* operationEndpoint(generateContent, options, admit, inFlight, {
      errors: googleStreamErrors,
      path: "/v1/models/{model}:streamGenerateContent",
      named: ({ model = "" }) => ({ model, stream: true })
    }),
    yield* operationEndpoint(countContentTokens, options, admit, inFlight, {
      errors: googleErrors,
      named: ({ model = "" }) => ({ model, stream: false })
    }),
    yield* operationEndpoint(images, options, admit, inFlight),
    yield* operationEndpoint(imageEdits, options, admit, inFlight),
    yield* operationEndpoint(imageVariations, options, admit, inFlight),
    yield* operationEndpoint(transcriptions, options, admit, inFlight),
    yield* operationEndpoint(translations, options, admit, inFlight),
    yield* operationEndpoint(speech, options, admit, inFlight),
    yield* operationEndpoint(rerank, options, admit, inFlight),
    yield* modelsEndpoint,
    yield* modelEndpoint,
    yield* keyEndpoint,
    yield* receiptEndpoint,
    yield* feedbackEndpoint
  ] satisfies ReadonlyArray<Endpoint>
})
