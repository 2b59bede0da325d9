/** Finds receipts in their pages: by request ID, or from the newest on. */
import { Effect, Option } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Feedback, Receipt } from "../../../core/receipts/Receipt.ts"
import type { ReceiptFilter, ReceiptPage } from "../../../core/receipts/ReceiptArchive.ts"
import { firstIdAt, requestTime } from "../../../core/domain/RequestIds.ts"
import { isWanted } from "../../../core/receipts/ReceiptFilter.ts"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { decodeEnded, decodePage } from "./ReceiptPages.ts"

interface ReceiptPageRow {
  readonly id: number
  readonly ended_at: number
  readonly body: string
}

/** Pages per read. */
const STEP = 32

/** The most receipts that one search reads: a tenth of a second, with pauses. */
const MOST_SCANNED = 20_000

/** Clocks are sometimes set back: pages out of order by this much are still found. */
const SLACK_MS = 3_600_000

/** No request takes longer. */
const LONGEST_MS = 48 * 3_600_000

/** The greatest request ID that can be on the page of this one: bounds the search for an unknown ID. */
const latestOnPage = (requestId: string): string => {
  const began = requestTime(requestId)
  return began === undefined ? "s" : firstIdAt(began + LONGEST_MS)
}

interface StoredFeedbackRow extends Feedback {
  readonly request_id: string
}

/** `mentions`: the condition that a body contains a text. Requests that ended before `cutoff` (epoch ms) have expired. */
export const makeReceiptReads = (
  sql: SqlClient.SqlClient,
  mentions: (text: string) => Statement.Fragment,
  orUnavailable: <A>(query: Effect.Effect<A, SqlError.SqlError>) => Effect.Effect<A, StoreUnavailable>
) => {
  /** Feedback on the receipts of the pages from one ID to another, by request. */
  const feedback = Effect.fnUntraced(function* (firstPage: number, lastPage: number) {
    const rows = yield* orUnavailable(
      sql<StoredFeedbackRow>`SELECT request_id, score, at FROM feedback WHERE page BETWEEN ${firstPage} AND ${lastPage}`
    )
    return new Map(rows.map(({ at, request_id, score }) => [request_id, { score, at }]))
  })

  const place = Effect.fnUntraced(function* (requestId: string) {
    const [row] = yield* orUnavailable(
      sql<ReceiptPageRow>`SELECT id, body FROM receipts WHERE last_request >= ${requestId} AND first_request <= ${requestId}
        AND last_request <= ${latestOnPage(requestId)} AND ${mentions(JSON.stringify(requestId))} LIMIT 1`
    )
    if (row === undefined) return Option.none()
    const receipts = decodePage(row.body)
    const index = receipts.findIndex((receipt) => receipt.requestId === requestId)
    return index < 0 ? Option.none() : Option.some({ page: row.id, receipts, index })
  })

  /** The receipt of a request that has not expired, and its page. */
  const find = Effect.fnUntraced(function* (requestId: string, cutoff: number) {
    const found = yield* place(requestId)
    if (Option.isNone(found)) return Option.none()
    const { index, page, receipts } = found.value
    const receipt = receipts[index]!
    if (endOf(receipt) < cutoff) return Option.none()
    return Option.some({ page, receipt: withFeedback(receipt, yield* feedback(page, page)) })
  })

  /** From the newest on, or from the one that ended before the request `after`. */
  const list = Effect.fnUntraced(function* (filter: ReceiptFilter, after: string | undefined, cutoff: number) {
    const found: Array<Receipt> = []
    const most = filter.atMost ?? MOST_SCANNED
    const statuses = filter.status === undefined ? filter.statuses : [filter.status]
    let scanned = 0
    /** Takes the wanted receipts of a page, and returns whether that is enough. One more than requested shows that there are more. */
    const take = (receipts: ReadonlyArray<Receipt>, scores: ReadonlyMap<string, Feedback>): boolean => {
      for (const receipt of receipts.toReversed()) {
        if (found.length > filter.limit) break
        const told = withFeedback(receipt, scores)
        if (isWanted(told, filter) && endOf(receipt) >= cutoff) found.push(told)
      }
      return found.length > filter.limit
    }
    const rated = (filter.feedback ?? "none") === "none" ? sql`` : sql`AND id IN (SELECT page FROM feedback)`
    let below = Number.MAX_SAFE_INTEGER
    let isEnough = false
    let scannedTo: ReceiptPage["scannedTo"]
    if (after !== undefined) {
      const last = yield* place(after)
      if (Option.isNone(last)) return Option.none<ReceiptPage>()
      const { index, page, receipts } = last.value
      below = page
      scanned += index
      isEnough = take(receipts.slice(0, index), yield* feedback(page, page))
    }
    while (!isEnough) {
      const rows = yield* orUnavailable(
        sql<ReceiptPageRow>`SELECT id, ended_at, body FROM receipts WHERE id < ${below} ${rated} ORDER BY id DESC LIMIT ${STEP}`
      )
      isEnough = rows.length < STEP
      let oldest: ReceiptPageRow | undefined
      const scores = rows.length === 0 ? none : yield* feedback(rows.at(-1)!.id, rows[0]!.id)
      for (const row of rows) {
        below = row.id
        // A request that ended before `from` also began before it.
        const page = decodeEnded(row.body, statuses)
        scanned += page.scanned
        if (row.ended_at < (filter.from ?? 0) - SLACK_MS || take(page.receipts, scores)) {
          isEnough = true
          break
        }
        oldest = row
        if (scanned >= most) {
          isEnough &&= row === rows.at(-1)
          break
        }
        // A page takes a millisecond.
        yield* Effect.yieldNow
      }
      if (!isEnough && scanned >= most && oldest !== undefined) {
        const [last] = decodePage(oldest.body)
        if (last !== undefined) scannedTo = { requestId: last.requestId, endedAt: endOf(last) }
        break
      }
    }
    const hasMore = found.length > filter.limit || scannedTo !== undefined
    const page: ReceiptPage = { receipts: found.slice(0, filter.limit), hasMore, scannedTo }
    return Option.some(page)
  })

  return { find, list }
}

const none: ReadonlyMap<string, Feedback> = new Map()

const endOf = ({ at, durationMs }: Receipt): number => at + durationMs

const withFeedback = (receipt: Receipt, scores: ReadonlyMap<string, Feedback>): Receipt => {
  const feedback = scores.get(receipt.requestId)
  return feedback === undefined ? receipt : { ...receipt, feedback }
}
