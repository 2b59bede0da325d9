/** Responses, natively: the same language in and out. */
import type { Dialect } from "../../../../core/pool/Protocol.ts"
import { responseEvents } from "../../../../core/operations/responses/ResponseEvents.ts"
import { lift } from "./Answer.ts"
import { lower } from "./Request.ts"
import { stream } from "./Stream.ts"

export const OpenAiResponses: Dialect = { lower, lift, stream, replay: responseEvents }
