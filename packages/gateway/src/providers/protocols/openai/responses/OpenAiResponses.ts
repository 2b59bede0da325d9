/** Responses, natively: the same language in and out. */
import type { Dialect } from "../../../../core/pool/Protocol.ts"
import { responseEvents } from "../../../../core/operations/responses/ResponseEvents.ts"
import { lift } from "./OpenAiResponse.ts"
import { lower } from "./OpenAiResponsesRequest.ts"
import { stream } from "./OpenAiResponsesStream.ts"

export const OpenAiResponses: Dialect = { lower, lift, stream, replay: responseEvents }
