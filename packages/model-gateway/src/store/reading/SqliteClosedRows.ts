/** The closed rows of a ledger, oldest first, in pages: as many rows as there are, in the memory of one page. */
import { Effect, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "@model-gateway/gateway/internal/core/domain/Errors"
import type { ClosedRow, AttemptPeriod } from "./Books.ts"
import { orUnavailable } from "@model-gateway/gateway/internal/storage/sqlite/file/Reads"
import { HOUR_MS } from "@model-gateway/gateway/internal/storage/records/Scopes"

const PAGE = 500

/**
 * Those that were closed when their page was read, of rows that were opened before the first one was. No transaction spans the
 * pages: a slow reader does not hold up the checkpoints of a running gateway.
 */
export const closedRows = (
  period: AttemptPeriod
): Stream.Stream<ReadonlyArray<ClosedRow>, StoreUnavailable, SqlClient.SqlClient> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const from = period.from ?? Number.MIN_SAFE_INTEGER
      const to = period.to ?? Number.MAX_SAFE_INTEGER
      const bounds = yield* orUnavailable(
        sql<{
          first: number | null
          last: number | null
        }>`SELECT min(first_id) AS first, max(last_id) AS last FROM rollup
          WHERE hour >= ${Math.floor(from / HOUR_MS)} AND hour < ${Math.ceil(to / HOUR_MS)}`
      )
      const { first, last } = bounds[0]!
      if (first === null || last === null) return Stream.empty
      return Stream.paginate(first - 1, (after) =>
        sql<ClosedRow>`SELECT * FROM ledger WHERE id > ${after} AND id <= ${last} AND status <> 'reserved'
          AND at >= ${from} AND at < ${to} ORDER BY id LIMIT ${PAGE}`.pipe(
          orUnavailable,
          Effect.map((rows) => {
            const next = rows.length < PAGE ? Option.none() : Option.some(rows.at(-1)!["id"] as number)
            return [rows.length === 0 ? [] : [rows], next] as const
          })
        )
      )
    })
  )
