/** `POST /v1/receipts/{id}/feedback`: what the calling key thought of an answer it got. */
import type { IncomingMessage } from "node:http"
import { type Feedback, GiveFeedback } from "@model-gateway/protocol"
import { Effect, Option, Schema } from "effect"
import type { Caller } from "../../core/keys/Caller.ts"
import { RateLimiter } from "../../core/limits/RateLimiter.ts"
import { receiptId, requestIdOf } from "../../core/domain/RequestIds.ts"
import { ReceiptArchive } from "../../core/receipts/ReceiptArchive.ts"
import { noReceipt, wireFeedback } from "../ReceiptRecords.ts"
import { invalidField } from "../SchemaProblems.ts"
import { readJson } from "./ReadBody.ts"
import { makeReceiptHandler } from "./ReceiptHandler.ts"

/** More than the score needs, however it is written. */
const MAX_BYTES = 4096

const decode = Schema.decodeUnknownEffect(GiveFeedback, { onExcessProperty: "error", errors: "all" })

export const makeFeedbackHandler = Effect.gen(function* () {
  const archive = yield* ReceiptArchive
  const limiter = yield* RateLimiter
  const find = yield* makeReceiptHandler

  return Effect.fnUntraced(function* (request: IncomingMessage, caller: Caller, id: string) {
    const body = yield* readJson(request, MAX_BYTES)
    const { score } = yield* Effect.mapError(decode(body.value), invalidField)
    yield* find(caller, id)
    yield* limiter.admitFeedback(caller)
    const given = yield* archive.rate(id, score)
    if (Option.isNone(given)) return yield* noReceipt(id)
    const receipt_id = receiptId(requestIdOf(id))
    return { object: "receipt.feedback", receipt_id, ...wireFeedback(given.value) } satisfies Feedback as Feedback
  })
})
