/** `GET /v1/receipts/{id}`: what happened to a request of the calling key. */
import { Effect, Option } from "effect"
import { requestIdOf, requestTime } from "../../../core/domain/RequestIds.ts"
import type { Caller } from "../../../core/keys/Caller.ts"
import { ReceiptArchive } from "../../../core/receipts/ReceiptArchive.ts"
import { noReceipt, ownWireReceipt } from "../../records/ReceiptRecords.ts"
import { type Endpoint, json } from "../../routing/Endpoint.ts"

export const makeOwnReceipt = Effect.gen(function* () {
  const archive = yield* ReceiptArchive

  return Effect.fnUntraced(function* ({ key }: Caller, id: string) {
    // A malformed id is not searched for, as its time would not bound the search.
    if (requestTime(requestIdOf(id)) === undefined) return yield* noReceipt(id)
    const receipt = yield* archive.find(id)
    // The caller learns nothing about receipts of other keys, not even that they exist.
    if (Option.isSome(receipt) && receipt.value.keyId === key.id) return receipt.value
    return yield* noReceipt(id)
  })
})

export const receiptEndpoint = Effect.gen(function* () {
  const ownReceipt = yield* makeOwnReceipt
  return {
    method: "GET",
    path: "/v1/receipts/{id}",
    handle: ({ params }, caller) =>
      Effect.map(ownReceipt(caller, params["id"]!), (receipt) => json(ownWireReceipt(receipt)))
  } satisfies Endpoint
})
