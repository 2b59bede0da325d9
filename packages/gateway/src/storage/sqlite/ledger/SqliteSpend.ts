/** Spend by any dimensions, read in slices with a pause after each, so that a year does not block the event loop. */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { SpendQuery, SpendRow } from "../../../core/ledger/Spend.ts"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { bookedIn, exactly, orUnavailable } from "../file/Reads.ts"
import { HOUR_MS, QUARTER_MS } from "../../records/Scopes.ts"
import {
  add,
  columnOf,
  columns,
  type SpendGroupRow,
  groupsOf,
  measures,
  rowsOf,
  scopesIn,
  type SpendSum,
  sums
} from "../../records/SpendSums.ts"
import { batched, type SpendBlock, type Slice, slices } from "../../records/SpendSlices.ts"
import { scopeSums } from "./ScopeRollups.ts"
import { seenTeams } from "../../records/SeenRows.ts"

/**
 * Spend by the start of attempts, exact to the millisecond in every time zone; highest cost first, then by group. A row counts
 * in each of its tags, or under null. `hour` is RFC 3339, `day` YYYY-MM-DD, `month` YYYY-MM. Without `groupBy` at most one row.
 * With `limit`, groups of zeros are left out. Amounts above 2^53 nano-USD are the nearest double.
 */
export const makeSpend = (sql: SqlClient.SqlClient) => {
  /** The hours with recorded rows: a query from the beginning of time need not read earlier ones. */
  const bounds = exactly(
    sql<{ first: bigint | null; last: bigint | null }>`SELECT
      (SELECT min(hour) FROM rollup) AS first, (SELECT max(hour) FROM rollup) AS last`
  )

  const listed = (from: number, to: number) =>
    sql<SpendBlock>`SELECT start, hours FROM blocks WHERE listed AND start < ${to / HOUR_MS} AND start + hours > ${from / HOUR_MS}`

  const partOf = (slice: Slice, query: SpendQuery, by: ReadonlyArray<string>, byKey: boolean) => {
    const { from, source, to } = slice
    const conditions: Array<Statement.Fragment> = [...seenTeams(sql, query.visibility, "team", "key_id")]
    const scopes = scopesIn(query)
    if (scopes !== undefined) {
      conditions.push(sql`scope >= ${scopes.from} AND scope < ${scopes.to}`)
      if (scopes.id !== undefined) conditions.push(sql`substr(scope, instr(scope, '/') + 1) = ${scopes.id}`)
    }
    if (source === "block") {
      conditions.push(sql`start = ${from / HOUR_MS} AND hours = ${(to - from) / HOUR_MS}`)
      conditions.push(byKey ? sql`key_id > ''` : sql`key_id = ''`)
    } else if (source === "rollup" && scopes !== undefined) {
      conditions.push(sql`slot >= ${from / QUARTER_MS} AND slot < ${to / QUARTER_MS}`)
    } else if (source === "rollup") conditions.push(sql`hour >= ${from / HOUR_MS} AND hour < ${to / HOUR_MS}`)
    else conditions.push(bookedIn(sql, from, to))
    for (const name of ["key", "team", "model", "provider"] as const) {
      if (query[name] !== undefined) conditions.push(sql`${sql(columns[name])} = ${query[name]}`)
    }
    const selected = sql.literal([...by, measures].join(", "))
    const table =
      source === "block"
        ? sql`block_rollup`
        : scopes === undefined
          ? sql(source)
          : source === "rollup"
            ? sql.literal(`(${scopeSums})`)
            : sql`(SELECT rows.*, value AS scope FROM booked AS rows, json_each(iif(subjects = '', '[]', subjects)))`
    return sql`SELECT ${selected} FROM ${table} WHERE ${sql.and(conditions)}`
  }

  const read = (
    batch: ReadonlyArray<Slice>,
    query: SpendQuery,
    by: ReadonlyArray<string>,
    byKey: boolean,
    limit: number | undefined
  ) => {
    const parts = batch.map((slice) => partOf(slice, query, by, byKey))
    const all = parts.reduce((joined, part) => sql`${joined} UNION ALL ${part}`)
    const names = by.length === 0 ? "TRUE" : by.join(", ")
    const most =
      limit === undefined
        ? sql.literal("")
        : sql`HAVING sum(requests) > 0 OR sum(cost) > 0 ORDER BY sum(cost) DESC, ${sql.literal(names)} LIMIT ${limit}`
    return exactly(
      sql<SpendGroupRow>`SELECT ${sql.literal([...by, sums].join(", "))} FROM (${all}) GROUP BY ${sql.literal(names)} ${most}`
    )
  }

  return Effect.fn("LedgerJournal.spend")(
    function* (query: SpendQuery): Effect.fn.Return<ReadonlyArray<SpendRow>, SqlError.SqlError> {
      const [known] = yield* bounds
      if (known === undefined || known.first === null || known.last === null) return []
      const from = Math.max(query.from, Number(known.first) * HOUR_MS)
      const to = Math.min(query.to, (Number(known.last) + 1) * HOUR_MS)
      const by = [...new Set(query.groupBy.flatMap((dimension) => (dimension in columns ? [columnOf(dimension)] : [])))]
      const seesKeys = query.visibility !== "all" && (query.visibility.keys ?? []).length > 0
      const byKey = query.key !== undefined || seesKeys || by.includes(columns.key)
      const isScoped = scopesIn(query) !== undefined
      const blocks = isScoped ? [] : yield* listed(from, to)
      const batches = batched(slices(from, to, query.timeZone, query.groupBy, blocks), byKey)
      // A query of one batch can be cut where it is read.
      const limit = batches.length === 1 && !isScoped && !query.groupBy.includes("tag") ? query.limit : undefined
      const totals = new Map<string, SpendSum>()
      for (const batch of batches) {
        for (const found of yield* read(batch, query, by, byKey, limit)) {
          for (const group of groupsOf(query.groupBy, found, batch[0]!.label)) add(totals, group, found)
        }
        yield* Effect.yieldNow
      }
      return rowsOf(totals, query.limit)
    },
    (effect): Effect.Effect<ReadonlyArray<SpendRow>, StoreUnavailable> => orUnavailable(effect)
  )
}
