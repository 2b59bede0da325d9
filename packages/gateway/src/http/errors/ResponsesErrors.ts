/** Errors of the Responses endpoint: bodies as everywhere in the vendor's API, events as its streams have them. */
import { failedEvents } from "../../core/operations/responses/Responses.ts"
import { type ErrorShape, openAiErrors } from "./ErrorShape.ts"

export const responsesErrors: ErrorShape = {
  body: openAiErrors.body,
  event: ({ body: { error } }, requestId) =>
    failedEvents(error, { id: `resp_${requestId}`, object: "response", output: [] }, 0),
  endsStream: true
}
