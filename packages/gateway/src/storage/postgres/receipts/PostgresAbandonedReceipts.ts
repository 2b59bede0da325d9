/** Receipts of requests that a dead gateway left open, made from the ledger's rows. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { AbandonedRule } from "../../../core/domain/AbandonedRule.ts"
import type { Receipt } from "../../../core/receipts/Receipt.ts"
import { rare } from "../../records/Columns.ts"
import { abandonedReceipt, type ClosedAttempt } from "../../records/receipts/AbandonedReceipt.ts"

interface AbandonedRow extends Omit<ClosedAttempt, "estimated" | "details"> {
  readonly estimated: boolean
  readonly service_tier: string | null
}

/** No request takes longer. */
const LONGEST_MS = 48 * 3_600_000

/** One receipt for each request whose attempts were just closed as abandoned. */
export const abandonedReceipts = Effect.fnUntraced(function* (
  sql: PgClient,
  booked: ReadonlyArray<{ readonly request_id: string; readonly at: number }>,
  rule: AbandonedRule
): Effect.fn.Return<ReadonlyArray<Receipt>, SqlError.SqlError> {
  const ids = JSON.stringify([...new Set(booked.map(({ request_id }) => request_id))])
  const times = booked.map(({ at }) => at)
  const rows = yield* sql<AbandonedRow>`SELECT * FROM ledger
    WHERE at >= ${times.reduce((a, b) => Math.min(a, b)) - LONGEST_MS} AND at <= ${times.reduce((a, b) => Math.max(a, b))}
      AND request_id IN (SELECT json_array_elements_text(${ids}::json)) ORDER BY at, attempt`
  const requests = Map.groupBy(rows.map(attemptOf), ({ request_id }) => request_id)
  return Array.from(requests.values(), (attempts) => abandonedReceipt(attempts, rule))
})

const attemptOf = (row: AbandonedRow): ClosedAttempt => {
  const columns: Readonly<Record<string, unknown>> = { ...row }
  const used = rare.flatMap((name) => (typeof columns[name] === "number" ? [[name, columns[name]] as const] : []))
  const details = row.service_tier === null ? used : [...used, ["service_tier", row.service_tier] as const]
  return {
    ...row,
    estimated: row.estimated ? 1 : 0,
    details: details.length === 0 ? null : JSON.stringify(Object.fromEntries(details))
  }
}
