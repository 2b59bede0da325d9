/** What `auto` decided and what became of it, oldest first, in pages: as many requests as there are, in the memory of one page. */
import { Effect, Option, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { KeptPrompt } from "@model-gateway/gateway/internal/core/receipts/KeptPrompt"
import type { Feedback } from "@model-gateway/gateway/internal/core/receipts/Receipt"
import type { StoreUnavailable } from "@model-gateway/gateway/internal/core/domain/Errors"
import { isDecided, type StoredRoutedRequest } from "./RoutedRequest.ts"
import { decodePage } from "@model-gateway/gateway/internal/storage/records/receipts/ReceiptPages"

/** Pages of receipts read at once: some megabytes where texts are kept. */
const STEP = 4

interface StoredPage {
  readonly id: number
  readonly body: string
}

interface FeedbackRow extends Feedback {
  readonly request: string
}

interface PromptRow extends KeptPrompt {
  readonly request: string
}

/** How a store says what went wrong. */
type OrUnavailable = <A, R>(query: Effect.Effect<A, SqlError.SqlError, R>) => Effect.Effect<A, StoreUnavailable, R>

/** Those that had ended when the first page was read, and that ended at or after `from` (epoch ms). */
export const makeRoutedRequests =
  (orUnavailable: OrUnavailable) =>
  (
    from: number | undefined
  ): Stream.Stream<ReadonlyArray<StoredRoutedRequest>, StoreUnavailable, SqlClient.SqlClient> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [bounds] = yield* orUnavailable(sql<{ last: number | null }>`SELECT max(id) AS last FROM receipts`)
        const last = bounds?.last ?? 0

        const read = Effect.fnUntraced(function* (after: number) {
          const pages = yield* sql<StoredPage>`SELECT id, body FROM receipts
          WHERE id > ${after} AND id <= ${last} AND ended_at >= ${from ?? 0} ORDER BY id LIMIT ${STEP}`
          if (pages.length === 0) return [[], Option.none<number>()] as const
          const end = pages.at(-1)!.id
          const span = sql`page BETWEEN ${pages[0]!.id} AND ${end}`
          const scores = yield* sql<FeedbackRow>`SELECT request_id AS request, score, at FROM feedback WHERE ${span}`
          const kept = yield* sql<PromptRow>`SELECT request_id AS request, feature_set AS "featureSet", body
          FROM kept_prompts WHERE ${span}`
          const feedback = new Map(scores.map(({ at, request, score }) => [request, { score, at }]))
          const prompts = new Map(kept.map(({ body, featureSet, request }) => [request, { featureSet, body }]))
          const requests = pages
            .flatMap(({ body }) => decodePage(body))
            .filter(isDecided)
            .map((receipt): StoredRoutedRequest => ({
              receipt: { ...receipt, feedback: feedback.get(receipt.requestId) },
              prompt: prompts.get(receipt.requestId)
            }))
          return [requests.length === 0 ? [] : [requests], Option.some(end)] as const
        }, orUnavailable)

        return Stream.paginate(0, read)
      })
    )
