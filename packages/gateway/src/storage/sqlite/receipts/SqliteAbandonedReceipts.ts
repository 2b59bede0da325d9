/** Receipts of requests that a dead process left open, made from the ledger alone. */
import type { DatabaseSync } from "node:sqlite"
import type { Receipt } from "../../../core/receipts/Receipt.ts"
import type { AbandonedRule } from "../../../core/domain/AbandonedRule.ts"
import { abandonedReceipt, type ClosedAttempt } from "../../records/receipts/AbandonedReceipt.ts"

/** The most rows between two attempts of one request: an hour of a busy gateway. */
const FAR = 1_000_000

/** One receipt for each request of the ledger's rows `ids`, which are already closed as abandoned. */
export const abandonedReceipts = (
  db: DatabaseSync,
  ids: ReadonlyArray<number>,
  rule: AbandonedRule
): ReadonlyArray<Receipt> => {
  const one = db.prepare("SELECT * FROM ledger WHERE id = ?")
  const rows = ids.map((id) => one.get(id) as unknown as ClosedAttempt)
  // Each attempt has a row, so the search ends at the first of them.
  const earlier = db.prepare(
    `SELECT * FROM ledger WHERE request_id = :request AND id < :id AND id > :id - ${FAR} ORDER BY id DESC LIMIT :count`
  )
  const requests = new Map(rows.map((row) => [row.request_id, row]))
  return Array.from(requests.values(), (last) => {
    const before = { request: last.request_id, id: last.id, count: last.attempt }
    const others = last.attempt === 0 ? [] : (earlier.all(before) as unknown as ReadonlyArray<ClosedAttempt>)
    return abandonedReceipt([last, ...others].reverse(), rule)
  })
}
