/** `POST /v1/receipts/{id}/feedback`: the caller scores a response it got. */
import { type Feedback, GiveFeedback } from "@model-gateway/protocol"
import { Effect, Option, Schema } from "effect"
import { receiptId, requestIdOf } from "../../../core/domain/RequestIds.ts"
import { RateLimiter } from "../../../core/limits/RateLimiter.ts"
import { ReceiptArchive } from "../../../core/receipts/ReceiptArchive.ts"
import { noReceipt, wireFeedback } from "../../records/ReceiptRecords.ts"
import { invalidField } from "../../errors/SchemaProblems.ts"
import { type Endpoint, json } from "../../routing/Endpoint.ts"
import { readJson } from "../ReadBody.ts"
import { makeOwnReceipt } from "./Receipts.ts"

/** More than any way of writing the score needs. */
const MAX_BYTES = 4096

const decode = Schema.decodeUnknownEffect(GiveFeedback, { onExcessProperty: "error", errors: "all" })

export const feedbackEndpoint = Effect.gen(function* () {
  const archive = yield* ReceiptArchive
  const limiter = yield* RateLimiter
  const ownReceipt = yield* makeOwnReceipt

  const handle: Endpoint["handle"] = Effect.fnUntraced(function* (request, caller) {
    const id = request.params["id"]!
    const body = yield* readJson(request, MAX_BYTES)
    const { score } = yield* Effect.mapError(decode(body.value), invalidField)
    yield* ownReceipt(caller, id)
    yield* limiter.admitFeedback(caller)
    const given = yield* archive.rate(id, score)
    if (Option.isNone(given)) return yield* noReceipt(id)
    const receipt_id = receiptId(requestIdOf(id))
    return json({ object: "receipt.feedback", receipt_id, ...wireFeedback(given.value) } satisfies Feedback)
  })
  return { method: "POST", path: "/v1/receipts/{id}/feedback", handle } satisfies Endpoint
})
