/** `GET /v1/receipts/{id}`: what happened to a request of the calling key. */
import { Effect, Option } from "effect"
import type { Caller } from "../../core/keys/Caller.ts"
import { requestIdOf, requestTime } from "../../core/domain/RequestIds.ts"
import { ReceiptArchive } from "../../core/receipts/ReceiptArchive.ts"
import { noReceipt, wireReceipt } from "../ReceiptRecords.ts"

export const makeReceiptHandler = Effect.gen(function* () {
  const archive = yield* ReceiptArchive

  return Effect.fnUntraced(function* ({ key }: Caller, id: string) {
    // What can't be an id is not looked for: nothing bounds that search.
    if (requestTime(requestIdOf(id)) === undefined) return yield* noReceipt(id)
    const receipt = yield* archive.find(id)
    // Whose the others are is none of the caller's business, and neither is that there are any.
    if (Option.isSome(receipt) && receipt.value.keyId === key.id) return wireReceipt(receipt.value)
    return yield* noReceipt(id)
  })
})
