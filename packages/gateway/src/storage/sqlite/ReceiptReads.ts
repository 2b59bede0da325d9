/** Looking for receipts in their pages: by the id of a request, or from the newest on. */
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Receipt } from "../../core/Receipt.ts"
import type { ReceiptFilter, ReceiptPage } from "../../core/ReceiptArchive.ts"
import { firstIdAt, requestTime } from "../../core/RequestIds.ts"
import { orUnavailable } from "./Reads.ts"
import { decodePage } from "./ReceiptPages.ts"

interface Row {
  readonly id: number
  readonly ended_at: number
  readonly body: string
}

/** Pages that are looked at in one read; then other work gets its turn. */
const STEP = 32

/** Clocks are set back now and then: pages this far out of order are still found. */
const SLACK_MS = 3_600_000

/** No request takes longer. */
const LONGEST_MS = 48 * 3_600_000

/**
 * No request on the page of this one has a greater id: they ended together. Without this bound an old id that nobody has would be
 * looked for on every page since.
 */
const latestOnPage = (requestId: string): string => {
  const began = requestTime(requestId)
  return began === undefined ? "s" : firstIdAt(began + LONGEST_MS)
}

export const makeReceiptReads = (sql: SqlClient.SqlClient) => {
  /** The page with the receipt of a request, and its place on it. */
  const place = Effect.fnUntraced(function* (requestId: string) {
    const [row] = yield* orUnavailable(
      sql<Row>`SELECT id, body FROM receipts WHERE last_request >= ${requestId} AND first_request <= ${requestId}
        AND last_request <= ${latestOnPage(requestId)} AND instr(body, ${JSON.stringify(requestId)}) > 0 LIMIT 1`
    )
    if (row === undefined) return Option.none()
    const receipts = decodePage(row.body)
    const index = receipts.findIndex((receipt) => receipt.requestId === requestId)
    return index < 0 ? Option.none() : Option.some({ page: row.id, receipts, index })
  })

  const find = (requestId: string) =>
    Effect.map(
      place(requestId),
      Option.map(({ index, receipts }): Receipt => receipts[index]!)
    )

  /** From the newest on, or from the one that ended before the request `after`. */
  const list = Effect.fnUntraced(function* (filter: ReceiptFilter, after: string | undefined) {
    const found: Array<Receipt> = []
    /** Takes what is wanted of a page's receipts; whether that is enough. One more than asked for says that there are more. */
    const take = (receipts: ReadonlyArray<Receipt>): boolean => {
      for (const receipt of receipts.toReversed()) {
        if (found.length <= filter.limit && isWanted(receipt, filter)) found.push(receipt)
      }
      return found.length > filter.limit
    }
    let below = Number.MAX_SAFE_INTEGER
    let isEnough = false
    if (after !== undefined) {
      const last = yield* place(after)
      if (Option.isNone(last)) return Option.none<ReceiptPage>()
      below = last.value.page
      isEnough = take(last.value.receipts.slice(0, last.value.index))
    }
    while (!isEnough) {
      const rows = yield* orUnavailable(
        sql<Row>`SELECT id, ended_at, body FROM receipts WHERE id < ${below} ORDER BY id DESC LIMIT ${STEP}`
      )
      isEnough = rows.length < STEP
      for (const row of rows) {
        below = row.id
        // Whoever ended before `from` came before it too.
        if (row.ended_at < (filter.from ?? 0) - SLACK_MS || take(decodePage(row.body))) {
          isEnough = true
          break
        }
      }
      yield* Effect.yieldNow
    }
    const page: ReceiptPage = { receipts: found.slice(0, filter.limit), hasMore: found.length > filter.limit }
    return Option.some(page)
  })

  return { find, list }
}

const isWanted = (receipt: Receipt, { from, key, model, status, team, to }: ReceiptFilter): boolean =>
  (key === undefined || receipt.keyId === key) &&
  (team === undefined || receipt.team === team) &&
  (status === undefined || receipt.status === status) &&
  (from === undefined || receipt.at >= from) &&
  (to === undefined || receipt.at < to) &&
  (model === undefined ||
    model === receipt.requestedModel ||
    model === receipt.deployment ||
    model === receipt.model ||
    model === `${receipt.provider}/${receipt.model}`)
