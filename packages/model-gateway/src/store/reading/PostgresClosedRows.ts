/** The closed rows of a ledger in Postgres, oldest first, a few minutes of them at a time. */
import { Effect, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "@model-gateway/gateway/internal/core/domain/Errors"
import type { ClosedRow, AttemptPeriod } from "./Books.ts"
import { rare } from "@model-gateway/gateway/internal/storage/records/Columns"
import { HOUR_MS } from "@model-gateway/gateway/internal/storage/records/Scopes"
import { orUnavailable } from "@model-gateway/gateway/internal/storage/postgres/connection/PostgresErrors"

/** Some ten thousand rows of a busy gateway. */
const SPAN_MS = 60_000

type PostgresClosedRow = { readonly [column: string]: number | string | boolean | null }

/** Those that were closed when their minute was read, in hours in which there were any when the first one was. */
export const closedRows = (
  period: AttemptPeriod
): Stream.Stream<ReadonlyArray<ClosedRow>, StoreUnavailable, SqlClient.SqlClient> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const from = period.from ?? 0
      const to = period.to ?? Number.MAX_SAFE_INTEGER
      const hours = yield* orUnavailable(
        sql<{ hour: number }>`SELECT DISTINCT hour FROM rollup
          WHERE hour >= ${Math.floor(from / HOUR_MS)} AND hour < ${Math.ceil(to / HOUR_MS)} ORDER BY hour`
      )
      const ends = hours.map(({ hour }) => ({
        from: Math.max(from, hour * HOUR_MS),
        to: Math.min(to, (hour + 1) * HOUR_MS)
      }))
      const first = ends[0]
      if (first === undefined) return Stream.empty
      return Stream.paginate({ index: 0, at: first.from }, ({ at, index }) => {
        const end = Math.min(at + SPAN_MS, ends[index]!.to)
        const next = ends[index + 1]
        const place =
          end < ends[index]!.to
            ? Option.some({ index, at: end })
            : Option.map(Option.fromUndefinedOr(next), (hour) => ({ index: index + 1, at: hour.from }))
        return sql<PostgresClosedRow>`SELECT * FROM ledger WHERE at >= ${at} AND at < ${end} ORDER BY at, node, id`.pipe(
          orUnavailable,
          Effect.map((rows) => [rows.length === 0 ? [] : [rows.map(told)], place] as const)
        )
      })
    })
  )

/** As every store tells it. Numbers are each gateway's own: the gateway's comes first. */
const told = ({ estimated, id, node, service_tier: tier, ...row }: PostgresClosedRow): ClosedRow => {
  const used = rare.flatMap((name) => (typeof row[name] === "number" ? [[name, row[name]] as const] : []))
  const details = Object.fromEntries(tier === null ? used : [...used, ["service_tier", tier] as const])
  return {
    ...(row as { readonly [column: string]: number | string | null }),
    id: `${node}-${id}`,
    estimated: estimated === true ? 1 : 0,
    details: Object.keys(details).length === 0 ? null : JSON.stringify(details)
  }
}
