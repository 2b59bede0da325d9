/**
 * Spend by any dimensions, exact to the millisecond in every time zone: days and months from blocks, other complete hours from
 * rollups, the rest from rows. One statement, so that no row is recorded in between.
 */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { SqlError, Statement } from "effect/sql"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import type { SpendQuery, SpendRow } from "../../../core/ledger/Spend.ts"
import { HOUR_MS } from "../../records/Scopes.ts"
import {
  DAY_HOURS,
  isSameLabel,
  monthOf,
  type Label,
  type Slice,
  slices,
  type SpendBlock
} from "../../records/SpendSlices.ts"
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

interface Span {
  readonly n: number
  /** In ms for rows, else in hours. */
  readonly first: number
  last: number
}

/** Slices by their sources. Hours of one label that follow each other are one span. */
const spansOf = (all: Iterable<Slice>) => {
  const labels: Array<Label> = []
  const spans = { block: [] as Array<Span>, rollup: [] as Array<Span>, booked: [] as Array<Span> }
  for (const { from, label, source, to } of all) {
    const current = labels.at(-1)
    if (current === undefined || !isSameLabel(current, label)) labels.push(label)
    const n = labels.length - 1
    const unit = source === "booked" ? 1 : HOUR_MS
    const before = spans[source].at(-1)
    if (source !== "block" && before?.n === n && before.last === from / unit) before.last = to / unit
    else spans[source].push({ n, first: from / unit, last: to / unit })
  }
  return { ...spans, labels }
}

export const makeSpend = (sql: PgClient) => {
  /** Blocks of the time; those of the day and month under way end with `end`, the hour after the last in which anything is recorded. */
  const listed = (from: number, to: number, end: number) =>
    sql<SpendBlock>`SELECT start, least(hours, ${end}::int - start) AS hours FROM blocks
      WHERE start < ${Math.ceil(to / HOUR_MS)} AND start + hours > ${Math.floor(from / HOUR_MS)}`

  const read = (spans: ReturnType<typeof spansOf>, query: SpendQuery, by: ReadonlyArray<string>) => {
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
    // `OFFSET 0`: once for each span, by an index. Joined, Postgres reads all of the table.
    const within = (all: ReadonlyArray<Span>, table: Statement.Fragment, condition: Statement.Fragment) =>
      sql`SELECT ${selected} FROM json_to_recordset(${JSON.stringify(all)}::json) AS x(n int, first bigint, last bigint),
        LATERAL (SELECT * FROM ${table} WHERE ${condition} AND ${wanted} OFFSET 0) AS found`
    // Rollups lie in the span of an odd bucket between these edges. A join with the spans would read the whole table by an index.
    const placed = (all: ReadonlyArray<Span>, more: Statement.Fragment) => {
      const edges = sql`${`{${all.flatMap(({ first, last }) => [first, last]).join()}}`}::int[]`
      const numbers = sql`${`{${all.map(({ n }) => n).join()}}`}::int[]`
      const [first, last] = [all[0]?.first ?? 0, all.at(-1)?.last ?? 0]
      const rollups =
        scopes === undefined
          ? sql`rollup`
          : sql`(SELECT *, slot / 4 AS hour FROM scope_rollup WHERE slot >= ${first * 4} AND slot < ${last * 4}) AS scoped`
      return sql`SELECT ${selected} FROM (
        SELECT *, (${numbers})[(bucket + 1) / 2] AS n FROM (
          SELECT *, width_bucket(hour, ${edges}) AS bucket FROM ${rollups}
            WHERE hour >= ${first} AND hour < ${last} AND ${more}
        ) AS placed WHERE bucket % 2 = 1
      ) AS rollups WHERE ${wanted}`
    }
    const rows =
      scopes === undefined
        ? sql`booked`
        : sql`(SELECT booked.*, subject COLLATE "C" AS scope
            FROM booked, json_array_elements_text(nullif(subjects, '')::json) AS subject) AS booked`
    const byKey = query.key !== undefined || by.includes(columns.key)
    const hours = spans.rollup.flatMap(({ first, last }) =>
      Array.from({ length: last - first }, (_, hour) => first + hour)
    )
    const parts = [
      // Between blocks there are few hours.
      placed(spans.rollup, spans.block.length === 0 ? sql`TRUE` : sql`hour = ANY (${`{${hours.join()}}`}::int[])`),
      within(spans.booked, rows, sql`at >= first AND at < last`)
    ]
    if (spans.block.length > 0) {
      const whole = spans.block.map((span) => {
        const { first, last } = span
        return { ...span, last: last - first > DAY_HOURS ? monthOf(first, 1) - first : DAY_HOURS }
      })
      parts.push(
        within(
          whole,
          sql`block_rollup`,
          sql`start = first AND hours = last AND ${byKey ? sql`key_id > ''` : sql`key_id = ''`}`
        ),
        // What is not merged into node 0 yet is in no block.
        placed(spans.block, sql`node <> 0`)
      )
    }
    const all = parts.reduce((joined, part) => sql`${joined} UNION ALL ${part}`)
    return sql<PostgresSumsRow>`SELECT ${sql.literal(["n", ...by, readAsText].join(", "))} FROM (${all}) AS parts GROUP BY ${names}`
  }

  return Effect.fn("LedgerJournal.spend")(
    function* (query: SpendQuery): Effect.fn.Return<ReadonlyArray<SpendRow>, SqlError.SqlError> {
      const [known] = yield* sql<{ first: number | null; last: number | null }>`SELECT
        (SELECT min(hour) FROM rollup) AS first, (SELECT max(hour) FROM rollup) AS last`
      if (known === undefined || known.first === null || known.last === null) return []
      const from = Math.max(query.from, known.first * HOUR_MS)
      const to = Math.min(query.to, (known.last + 1) * HOUR_MS)
      const by = [...new Set(query.groupBy.flatMap((dimension) => (dimension in columns ? [columnOf(dimension)] : [])))]
      const blocks = scopesIn(query) === undefined ? yield* listed(from, to, known.last + 1) : []
      const spans = spansOf(slices(from, to, query.timeZone, query.groupBy, blocks))
      const totals = new Map<string, SpendSum>()
      for (const row of yield* read(spans, query, by)) {
        const found = { ...row, ...Object.fromEntries(bigints.map((name) => [name, BigInt(row[name] ?? 0)])) }
        const label = spans.labels[Number(row["n"])]!
        for (const group of groupsOf(query.groupBy, found as never, label)) add(totals, group, found as never)
      }
      return rowsOf(totals, query.limit)
    },
    (effect): Effect.Effect<ReadonlyArray<SpendRow>, StoreUnavailable> => orUnavailable(effect)
  )
}
