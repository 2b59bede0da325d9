/**
 * The books compared with each other: every closed row of the ledger in its rollup, every rollup and budget window from rows, every
 * block from rollups.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "@model-gateway/gateway/internal/core/domain/Errors"
import { bookedIn, exactly, orUnavailable } from "@model-gateway/gateway/internal/storage/sqlite/file/Reads"
import { HOUR_MS, QUARTER_MS, scopeColumn, windowSpan } from "@model-gateway/gateway/internal/storage/records/Scopes"
import { DAY_HOURS, type SpendBlock } from "@model-gateway/gateway/internal/storage/records/SpendSlices"
import { sums } from "@model-gateway/gateway/internal/storage/records/Columns"
import { scopeCell, scopeSums } from "@model-gateway/gateway/internal/storage/sqlite/ledger/ScopeRollups"
import type { Difference } from "./Books.ts"

type SumsRow = { readonly [column: string]: bigint | string }

const dimensions = ["hour", "key_id", "team", "provider", "model", "tags"] as const

const totals = sums.map((name) => `sum(${name}) AS ${name}`).join(", ")

/** Rows of the ledger that are looked at in one read. */
const CHUNK = 5000

/**
 * All differences; none in a sound store. It reads in small parts with pauses, beside a gateway at work. The present windows of
 * budgets in force are always compared. Others are unless rows were booked after the last one they counted: their budget was
 * removed, or began later than the row.
 */
export const verifyLedger: Effect.Effect<ReadonlyArray<Difference>, StoreUnavailable, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const differences: Array<Difference> = []
    const hours = yield* sql<{ hour: number }>`SELECT DISTINCT hour FROM rollup`
    for (const { hour } of hours) {
      differences.push(...(yield* compareHour(sql, hour)), ...(yield* compareScopes(sql, hour)))
      yield* Effect.yieldNow
    }
    const [last] = yield* sql<{ id: number }>`SELECT coalesce(max(id), 0) AS id FROM ledger`
    for (let id = 0; id <= (last?.id ?? 0); id += CHUNK) {
      differences.push(...(yield* findUncovered(sql, id)))
      yield* Effect.yieldNow
    }
    const blocks = yield* sql<SpendBlock>`SELECT start, hours FROM blocks WHERE listed ORDER BY start`
    for (const block of blocks) differences.push(...(yield* compareBlock(sql, block)))
    const windows = yield* exactly(sql<WindowRow>`SELECT scope, "window", start FROM budget_windows`)
    for (const window of windows) {
      differences.push(...(yield* compareWindow(sql, window)))
      yield* Effect.yieldNow
    }
    return differences
  }
).pipe(orUnavailable, Effect.withSpan("LedgerJournal.verify"))

/** Each of a block's two cubes, by key and over all keys, against the hours or days that it was made from. */
const compareBlock = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { hours, start }: SpendBlock) {
  const isDay = hours <= DAY_HOURS
  const of = `${hours} hours from ${new Date(start * HOUR_MS).toISOString()}`
  const by = sql.literal(dimensions.slice(2).join(", "))
  const expected = new Map<string, { [sum: string]: bigint }>()
  for (let at = start; at < start + hours; at += isDay ? 1 : DAY_HOURS) {
    const slot = isDay
      ? sql`rollup WHERE hour = ${at}`
      : sql`block_rollup WHERE start = ${at} AND hours = 24 AND key_id > ''`
    const rows = yield* exactly(sql<SumsRow>`SELECT ${by}, ${sql.literal(totals)} FROM ${slot} GROUP BY ${by}`)
    for (const row of rows) {
      const name = cellOf(row)
      const sum = expected.get(name) ?? Object.fromEntries(sums.map((column) => [column, 0n]))
      for (const column of sums) sum[column] = sum[column]! + (row[column] as bigint)
      expected.set(name, sum)
    }
    yield* Effect.yieldNow
  }
  const differences: Array<Difference> = []
  for (const cube of ["key_id > ''", "key_id = ''"]) {
    const rows = yield* exactly(
      sql<SumsRow>`SELECT ${by}, ${sql.literal(totals)} FROM block_rollup
        WHERE start = ${start} AND hours = ${hours} AND ${sql.literal(cube)} GROUP BY ${by}`
    )
    yield* Effect.yieldNow
    const found = new Map(rows.map((row) => [cellOf(row), row]))
    for (const name of new Set([...expected.keys(), ...found.keys()])) {
      const both = compare(`${of} ${name}`, expected.get(name), found.get(name))
      differences.push(...both.map((difference) => ({ ...difference, kind: "block" as const })))
    }
  }
  return differences
})

const cellOf = (row: SumsRow): string =>
  dimensions
    .slice(2)
    .map((name) => `${name}=${row[name]}`)
    .join(" ")

/** The rollups of one hour against the rows they cover, by one read of both: nothing can be booked in between. */
const compareHour = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, hour: number) {
  const by = sql.literal(dimensions.join(", "))
  const rows = yield* exactly(
    sql<SumsRow>`SELECT 'ledger' AS book, ${by}, ${sql.literal(totals)} FROM booked
      WHERE ${bookedIn(sql, hour * HOUR_MS, (hour + 1) * HOUR_MS)}
        AND EXISTS (SELECT 1 FROM rollup WHERE ${sql.literal(covers)}) GROUP BY ${by}
      UNION ALL SELECT 'rollup', ${by}, ${sql.literal(sums.join(", "))} FROM rollup WHERE hour = ${hour}`
  )
  const pairs = new Map<string, { ledger?: SumsRow; rollup?: SumsRow }>()
  for (const row of rows) {
    const name = nameOf(row)
    const pair = pairs.get(name) ?? {}
    pair[row["book"] as "ledger" | "rollup"] = row
    pairs.set(name, pair)
  }
  return [...pairs].flatMap(([name, { ledger, rollup }]) => compare(name, ledger, rollup))
})

/** What scopes beyond keys and teams spent in an hour against its rows. */
const compareScopes = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, hour: number) {
  const by = sql.literal(scopeCell.join(", "))
  const rows = yield* exactly(
    sql<SumsRow>`SELECT 'ledger' AS book, ${by}, ${sql.literal(totals)} FROM (
        SELECT rows.*, value AS scope, at / ${sql.literal(String(QUARTER_MS))} AS slot
        FROM (SELECT * FROM booked WHERE ${bookedIn(sql, hour * HOUR_MS, (hour + 1) * HOUR_MS)}) AS rows,
          json_each(iif(subjects = '', '[]', subjects))
      ) GROUP BY ${by}
      UNION ALL SELECT 'rollup', ${by}, ${sql.literal(totals)} FROM (${sql.literal(scopeSums)})
      WHERE slot >= ${hour * 4} AND slot < ${hour * 4 + 4} GROUP BY ${by}`
  )
  const pairs = new Map<string, { ledger?: SumsRow; rollup?: SumsRow }>()
  for (const row of rows) {
    const name = scopeCell.map((column) => `${column}=${row[column]}`).join(" ")
    pairs.set(name, { ...pairs.get(name), [String(row["book"])]: row })
  }
  return [...pairs].flatMap(([name, { ledger, rollup }]) => compare(name, ledger, rollup))
})

const covers = [
  ...dimensions.map((name) => `rollup.${name} = booked.${name}`),
  "booked.id BETWEEN rollup.first_id AND rollup.last_id"
].join(" AND ")

/** Closed rows that no rollup covers, summed up as their rollups should be. */
const findUncovered = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, from: number) {
  const by = sql.literal(dimensions.join(", "))
  const rows = yield* exactly(
    sql<SumsRow>`SELECT ${by}, ${sql.literal(totals)} FROM booked WHERE id >= ${from} AND id < ${from + CHUNK}
      AND NOT EXISTS (SELECT 1 FROM rollup WHERE ${sql.literal(covers)}) GROUP BY ${by}`
  )
  return rows.flatMap((row) => compare(nameOf(row), row, undefined))
})

const compare = (of: string, ledger: SumsRow | undefined, rollup: SumsRow | undefined): ReadonlyArray<Difference> =>
  sums.flatMap((sum) => {
    const expected = (ledger?.[sum] ?? 0n) as bigint
    const found = (rollup?.[sum] ?? 0n) as bigint
    return expected === found ? [] : [{ kind: "rollup" as const, of, sum, expected, found }]
  })

const nameOf = (row: SumsRow): string => {
  const [, ...names] = dimensions
  const hour = new Date(Number(row["hour"]) * HOUR_MS).toISOString()
  return [`hour=${hour}`, ...names.map((name) => `${name}=${row[name]}`)].join(" ")
}

interface WindowRow {
  readonly scope: string
  readonly window: string
  readonly start: bigint
}

/** One window against what was booked in its time: whole hours from the rollups, parts of an hour from the rows. */
const compareWindow = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, given: WindowRow) {
  const { column, subject } = scopeColumn(given.scope)
  const { end, start } = windowSpan({ ...given, start: Number(given.start) })
  const first = Math.ceil(start / HOUR_MS)
  const last = Math.max(first, Math.floor(end / HOUR_MS))
  const mine = sql`${sql(column)} = ${subject}`
  const isOver = end <= (yield* Clock.currentTimeMillis)
  const mayLag = isOver || !(yield* isInForce(sql, given))
  const part = (from: number, to: number) =>
    from < to
      ? sql`SELECT cost, last_cost_id FROM booked WHERE ${mine} AND ${bookedIn(sql, from, to)}`
      : sql`SELECT 0, 0`
  const [booked] = yield* exactly(
    sql<{ cost: bigint | null; newest: bigint | null; spent: bigint; counted: bigint }>`SELECT
      sum(booked.cost) AS cost, max(booked.last_cost_id) AS newest, spent, last_id AS counted
    FROM budget_windows LEFT JOIN (
      SELECT cost, last_cost_id FROM rollup WHERE ${mine} AND hour >= ${first} AND hour < ${last}
      UNION ALL ${part(start, Math.min(first * HOUR_MS, end))} UNION ALL ${part(last * HOUR_MS, end)}
    ) AS booked
    WHERE scope = ${given.scope} AND "window" = ${given.window} AND start = ${given.start} GROUP BY scope`
  )
  // Dropped since the list was read.
  if (booked === undefined) return []
  const expected = booked.cost ?? 0n
  if (expected === booked.spent || (mayLag && (booked.newest ?? 0n) > booked.counted)) return []
  if (isOver) {
    // Rows from before the budget was made, settled when its window was over, came too late for it.
    const [late] = yield* exactly(
      sql<{ cost: bigint }>`SELECT coalesce(sum(cost), 0) AS cost FROM ledger
        WHERE ${mine} AND status <> 'reserved' AND settled_at >= ${end} AND ${bookedIn(sql, start, end)}`
    )
    if (booked.spent < expected && booked.spent >= expected - (late?.cost ?? 0n)) return []
  }
  const of = `${given.scope} ${given.window} from ${new Date(start).toISOString()}`
  return [{ kind: "window", of, sum: "spent", expected, found: booked.spent } satisfies Difference]
})

/** Its key or team has the budget. */
const isInForce = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { scope, window }: WindowRow) {
  const { column, subject } = scopeColumn(scope)
  const [table, id] = column === "team" ? ["teams", "name"] : ["keys", "id"]
  const found = yield* sql`SELECT 1 FROM ${sql(table!)} AS owner, json_each(owner.budgets) AS budget
    WHERE owner.${sql(id!)} = ${subject} AND ${window} = (budget.value ->> 'window') ||
      iif(budget.value ->> 'window' = 'total', '', '@' || (budget.value ->> 'timeZone'))`
  return found.length > 0
})
