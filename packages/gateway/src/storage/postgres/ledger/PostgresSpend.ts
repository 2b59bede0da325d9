/**
 * Spend by any combination of dimensions, exact to the millisecond and in every time zone: complete hours from the rollups, the
 * rest from the ledger's rows. Postgres computes the sums. One statement reads both, so that no row is recorded in between.
 */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import type { SpendQuery, SpendRow } from "../../../core/ledger/Spend.ts"
import { HOUR_MS } from "../../records/Scopes.ts"
import { type Slice, slices } from "../../records/SpendSlices.ts"
import {
  add,
  columnOf,
  columns,
  fields,
  groupsOf,
  measures,
  rowsOf,
  scopesIn,
  type SpendSum,
  sums,
  units
} from "../../records/SpendSums.ts"
import { seenTeams } from "../../records/SeenRows.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"

/** Sums are text, because they may exceed the safe integers. */
interface PostgresSumsRow {
  readonly [column: string]: string | number
}

const readAsText = sums.replaceAll(/(sum\([a-z_]+\)|max\(last_at\)) AS/g, "$1::text AS")

const bigints = [...fields, ...units, "last_at"]

/** Joins successive spans of time with the same label. */
const joined = (all: Iterable<Slice>): ReadonlyArray<Slice> => {
  const found: Array<Slice> = []
  for (const slice of all) {
    const last = found.at(-1)
    const isNext = last !== undefined && last.source === slice.source && last.to === slice.from
    const { day, hour, month } = slice.label
    if (isNext && last.label.hour === hour && last.label.day === day && last.label.month === month) {
      found[found.length - 1] = { ...last, to: slice.to }
    } else found.push(slice)
  }
  return found
}

export const makeSpend = (sql: PgClient) => {
  const read = (all: ReadonlyArray<Slice>, query: SpendQuery, by: ReadonlyArray<string>) => {
    const conditions = (["key", "team", "model", "provider"] as const).flatMap((name) =>
      query[name] === undefined ? [] : [sql`${sql(columns[name])} = ${storable(query[name])}`]
    )
    const scopes = scopesIn(query)
    if (scopes !== undefined) {
      conditions.push(sql`scope >= ${scopes.from} AND scope < ${scopes.to}`)
      if (scopes.id !== undefined) conditions.push(sql`substr(scope, strpos(scope, '/') + 1) = ${storable(scopes.id)}`)
    }
    const wanted = sql.and([sql`TRUE`, ...seenTeams(sql, query.visibility, "team", "key_id"), ...conditions])
    const selected = sql.literal(["n", ...by, measures].join(", "))
    const names = sql.literal(["n", ...by].join(", "))
    const spans = all.map((slice, n) => ({ ...slice, n }))
    const booked = spans.flatMap(({ from, n, source, to }) =>
      source === "booked" ? [{ n, first: from, last: to }] : []
    )
    const hours = spans.flatMap(({ from, n, source, to }) =>
      source === "rollup" ? [{ n, first: from / HOUR_MS, last: to / HOUR_MS }] : []
    )
    // Rollups lie in the span of an odd bucket between these edges. A join with the spans would read the whole table by an index.
    const edges = sql`${`{${hours.flatMap(({ first, last }) => [first, last]).join()}}`}::int[]`
    const numbers = sql`${`{${hours.map(({ n }) => n).join()}}`}::int[]`
    const [first, last] = [hours[0]?.first ?? 0, hours.at(-1)?.last ?? 0]
    const rollups =
      scopes === undefined
        ? sql`rollup`
        : sql`(SELECT *, slot / 4 AS hour FROM scope_rollup WHERE slot >= ${first * 4} AND slot < ${last * 4}) AS scoped`
    const rows =
      scopes === undefined
        ? sql`booked`
        : sql`(SELECT booked.*, subject COLLATE "C" AS scope
            FROM booked, json_array_elements_text(nullif(subjects, '')::json) AS subject) AS booked`
    return sql<PostgresSumsRow>`SELECT ${sql.literal(["n", ...by, readAsText].join(", "))} FROM (
      SELECT ${selected} FROM (
        SELECT *, (${numbers})[(bucket + 1) / 2] AS n FROM (
          SELECT *, width_bucket(hour, ${edges}) AS bucket FROM ${rollups}
            WHERE hour >= ${first} AND hour < ${last}
        ) AS placed WHERE bucket % 2 = 1
      ) AS rollups WHERE ${wanted}
      UNION ALL SELECT ${selected} FROM json_to_recordset(${JSON.stringify(booked)}::json) AS x(n int, first bigint, last bigint)
        JOIN ${rows} ON at >= first AND at < last WHERE ${wanted}
    ) AS parts GROUP BY ${names}`
  }

  return Effect.fn("LedgerJournal.spend")(
    function* (query: SpendQuery): Effect.fn.Return<ReadonlyArray<SpendRow>, SqlError.SqlError> {
      const [known] = yield* sql<{ first: number | null; last: number | null }>`SELECT
        (SELECT min(hour) FROM rollup) AS first, (SELECT max(hour) FROM rollup) AS last`
      if (known === undefined || known.first === null || known.last === null) return []
      const from = Math.max(query.from, known.first * HOUR_MS)
      const to = Math.min(query.to, (known.last + 1) * HOUR_MS)
      const by = [...new Set(query.groupBy.flatMap((dimension) => (dimension in columns ? [columnOf(dimension)] : [])))]
      const all = joined(slices(from, to, query.timeZone, query.groupBy))
      const totals = new Map<string, SpendSum>()
      for (const row of yield* read(all, query, by)) {
        const found = { ...row, ...Object.fromEntries(bigints.map((name) => [name, BigInt(row[name] ?? 0)])) }
        const label = all[Number(row["n"])]!.label
        for (const group of groupsOf(query.groupBy, found as never, label)) add(totals, group, found as never)
      }
      return rowsOf(totals, query.limit)
    },
    (effect): Effect.Effect<ReadonlyArray<SpendRow>, StoreUnavailable> => orUnavailable(effect)
  )
}
