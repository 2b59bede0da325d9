/** `/admin/requests`: receipts of all keys. */
import { ServedApi } from "@model-gateway/protocol"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { InvalidField } from "../../../core/domain/Errors.ts"
import { receiptId } from "../../../core/domain/RequestIds.ts"
import { usdToNano } from "../../../core/domain/Money.ts"
import type { ReceiptConditions } from "../../../core/receipts/ReceiptFilter.ts"
import { CurrentPrincipal, seesKey, type Visibility } from "../../../core/domain/Principal.ts"
import { ReceiptArchive } from "../../../core/receipts/ReceiptArchive.ts"
import { ContentLog } from "../../../core/receipts/ContentLog.ts"
import { DEFAULT_PAGE, listOf, type QueryOf, timeIn } from "../AdminPages.ts"
import { makeNote } from "../access/Audited.ts"
import { answering } from "../../shared/Answer.ts"
import { noContent, noReceipt, wireReceipt } from "../../records/ReceiptRecords.ts"
import { rfc3339 } from "../../errors/WireFormat.ts"
import { eventStream, makeRequestStream } from "./RequestStream.ts"

const conditionsOf = (
  { from, min_cost_usd, min_duration_ms, q, stream, to, ...query }: Omit<QueryOf<"listRequests">, "limit" | "after">,
  visibility: Visibility
): ReceiptConditions => ({
  visibility,
  key: query.key,
  team: query.team,
  model: query.model,
  status: query.status,
  tag: query.tag,
  endUser: query.end_user,
  session: query.session,
  bucket: query.bucket,
  deployment: query.deployment,
  endpoint: query.endpoint,
  error: query.error,
  feedback: query.feedback,
  from: timeIn(from),
  to: timeIn(to),
  stream: stream === undefined ? undefined : stream === "true",
  minCost: min_cost_usd === undefined ? undefined : usdToNano(min_cost_usd),
  minDurationMs: min_duration_ms,
  q: q === "" ? undefined : q
})

export const requestHandlers = HttpApiBuilder.group(
  ServedApi,
  "requests",
  Effect.fnUntraced(function* (handlers) {
    const archive = yield* ReceiptArchive
    const content = yield* ContentLog
    const note = yield* makeNote
    const watch = yield* makeRequestStream

    const list = Effect.fnUntraced(function* ({ after, limit = DEFAULT_PAGE, ...query }: QueryOf<"listRequests">) {
      const { visibility } = yield* CurrentPrincipal
      const page = yield* archive.list({ ...conditionsOf(query, visibility), limit, after })
      if (Option.isNone(page)) {
        return yield* new InvalidField({ param: "after", message: `\`after\` names no receipt: ${after}` })
      }
      const { hasMore, receipts, scannedTo } = page.value
      const last = scannedTo ?? receipts.at(-1)
      return {
        ...listOf(receipts.map(wireReceipt)),
        has_more: hasMore,
        next: hasMore && last !== undefined ? receiptId(last.requestId) : null,
        ...(scannedTo === undefined ? {} : { scanned_to: rfc3339(scannedTo.endedAt) })
      }
    })

    const get = Effect.fnUntraced(function* (id: string) {
      const { visibility } = yield* CurrentPrincipal
      const receipt = Option.filter(yield* archive.find(id), ({ keyId, team }) => seesKey(visibility, keyId, team))
      return yield* Effect.mapError(Effect.fromOption(receipt), () => noReceipt(id))
    })

    const readContent = Effect.fnUntraced(function* (id: string) {
      const receipt = yield* get(id)
      const found = content === undefined ? undefined : yield* content.find(receipt)
      if (found === undefined) return yield* noContent(id)
      yield* note("content.read", receipt.requestId, null, { level: found.level })
      return found
    })

    return handlers
      .handle("listRequests", ({ query }) => answering(list(query)))
      .handleRaw("streamRequests", ({ headers, query: { max_per_second, ...query } }) =>
        answering(
          Effect.gen(function* () {
            const conditions = conditionsOf(query, (yield* CurrentPrincipal).visibility)
            return eventStream(yield* watch(conditions, headers["last-event-id"], max_per_second))
          })
        )
      )
      .handle("getRequest", ({ params }) => answering(Effect.map(get(params.id), wireReceipt)))
      .handle("getRequestContent", ({ params }) => answering(readContent(params.id)))
  })
)
