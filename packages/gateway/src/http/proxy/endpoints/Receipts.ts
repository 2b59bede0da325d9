/** `GET /v1/receipts/{id}`: what happened to a request of the calling key. */
import { Effect, Option } from "effect"
import { requestIdOf, requestTime } from "../../../core/domain/RequestIds.ts"
import type { Caller } from "../../../core/keys/Caller.ts"
import { ReceiptArchive } from "../../../core/receipts/ReceiptArchive.ts"
import { noReceipt, wireReceipt } from "../../ReceiptRecords.ts"
import { type Endpoint, json } from "../Endpoint.ts"

/** A caller's own receipt, by its id. */
export const makeOwnReceipt = Effect.gen(function* () {
  const archive = yield* ReceiptArchive

  return Effect.fnUntraced(function* ({ key }: Caller, id: string) {
    // What can't be an id is not looked for: nothing bounds that search.
    if (requestTime(requestIdOf(id)) === undefined) return yield* noReceipt(id)
    const receipt = yield* archive.find(id)
    // Whose the others are is none of the caller's business, and neither is that there are any.
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
      Effect.map(ownReceipt(caller, params["id"]!), (receipt) => json(wireReceipt(receipt)))
  } satisfies Endpoint
})
