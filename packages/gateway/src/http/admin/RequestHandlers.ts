/** `/admin/requests`: receipts of all keys. */
import { ServedApi } from "@model-gateway/protocol"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { InvalidField } from "../../core/domain/Errors.ts"
import { receiptId } from "../../core/domain/RequestIds.ts"
import type { ReceiptStatus } from "../../core/receipts/Receipt.ts"
import { ReceiptArchive } from "../../core/receipts/ReceiptArchive.ts"
import { answering } from "../Answer.ts"
import { noReceipt, wireReceipt } from "../ReceiptRecords.ts"

const DEFAULT_PAGE = 100

interface Query {
  readonly limit?: number
  readonly after?: string
  readonly key?: string
  readonly team?: string
  readonly model?: string
  readonly status?: ReceiptStatus
  readonly from?: string
  readonly to?: string
}

export const requestHandlers = HttpApiBuilder.group(
  ServedApi,
  "requests",
  Effect.fnUntraced(function* (handlers) {
    const archive = yield* ReceiptArchive

    const list = Effect.fnUntraced(function* ({ from, limit, to, ...query }: Query) {
      const page = yield* archive.list({
        limit: limit ?? DEFAULT_PAGE,
        after: query.after,
        key: query.key,
        team: query.team,
        model: query.model,
        status: query.status,
        from: from === undefined ? undefined : Date.parse(from),
        to: to === undefined ? undefined : Date.parse(to)
      })
      if (Option.isNone(page)) {
        return yield* new InvalidField({ param: "after", message: `\`after\` names no receipt: ${query.after}` })
      }
      const { hasMore, receipts } = page.value
      const last = receipts.at(-1)
      return {
        object: "list" as const,
        data: receipts.map(wireReceipt),
        has_more: hasMore,
        next: hasMore && last !== undefined ? receiptId(last.requestId) : null
      }
    })

    const get = Effect.fnUntraced(function* (id: string) {
      const receipt = yield* archive.find(id)
      return wireReceipt(yield* Effect.mapError(Effect.fromOption(receipt), () => noReceipt(id)))
    })

    return handlers
      .handle("listRequests", ({ query }) => answering(list(query)))
      .handle("getRequest", ({ params }) => answering(get(params.id)))
  })
)
