/** What a ledger holds, in a few numbers, and whether the file it is in is sound. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { StoreUnavailable } from "@model-gateway/gateway/internal/core/domain/Errors"
import type { Totals } from "./Books.ts"
import { exactly, orUnavailable } from "@model-gateway/gateway/internal/storage/sqlite/file/Reads"

export const ledgerTotals: Effect.Effect<Totals, StoreUnavailable, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [totals] = yield* exactly(
    sql<Totals>`SELECT
      count(*) FILTER (WHERE status <> 'reserved') AS closed,
      coalesce(sum(cost), 0) AS cost,
      coalesce(sum(cost) FILTER (WHERE estimated = 1), 0) AS estimatedCost,
      count(*) FILTER (WHERE status = 'reserved') AS open,
      coalesce(sum(reserved) FILTER (WHERE status = 'reserved'), 0) AS reserved,
      (SELECT count(*) FROM rollup) AS rollups,
      (SELECT count(*) FROM budget_windows) AS windows
    FROM ledger`
  )
  return totals!
}).pipe(orUnavailable)

/** Fails when SQLite finds its file damaged. Reads all of it. */
export const checkFile: Effect.Effect<void, StoreUnavailable, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [first] = yield* orUnavailable(sql<{ quick_check: string }>`PRAGMA quick_check(1)`)
  if (first?.quick_check === "ok") return
  const found = String(first?.quick_check).split("\n").at(-1)
  return yield* new StoreUnavailable({
    message: `The store is damaged (${found}): restore it from a backup.`
  })
})
