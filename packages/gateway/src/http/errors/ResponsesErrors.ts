/** Errors of the Responses endpoint: bodies as everywhere in the vendor's API, events as its streams have them. */
import { type ErrorShape, openAiErrors } from "./ErrorShape.ts"

export const responsesErrors: ErrorShape = {
  body: openAiErrors.body,
  event: ({ body: { error } }) => {
    const { code, message, param } = error
    return `event: error\ndata: ${JSON.stringify({ type: "error", code, message, param, sequence_number: 0, error })}\n\n`
  }
}
