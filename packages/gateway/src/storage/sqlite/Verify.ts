/** The books compared with each other: every closed row of the ledger in its rollup, every rollup and budget window from rows. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "../../core/Store.ts"
import { exactly, orUnavailable } from "./Reads.ts"
import { HOUR_MS, scopeColumn, windowSpan } from "./Scopes.ts"

/** Two books that disagree about one sum. */
export interface Difference {
  readonly kind: "rollup" | "window"
  /** E.g. `hour=2026-03-01T10:00:00.000Z key_id=key_1 …`, or `key:key_1 day@UTC from 2026-03-01T00:00:00.000Z`. */
  readonly of: string
  /** Which sum: a column of the rollup, or `spent`. */
  readonly sum: string
  /** What the ledger's rows add up to; for a window: what the rollups and rows of its time do. */
  readonly expected: bigint
  readonly found: bigint
}

type Row = { readonly [column: string]: bigint | string }

const dimensions = ["hour", "key_id", "team", "provider", "model", "tags"] as const

const added = [
  "requests",
  "failed_requests",
  "cost",
  "estimated_cost",
  "input",
  "cached_input",
  "cache_write",
  "cache_write_1h",
  "output",
  "reasoning",
  "audio_input",
  "audio_output"
] as const

const totals = [...added.map((name) => `sum(${name}) AS ${name}`), "max(last_at) AS last_at"].join(", ")

/**
 * All differences; none in a sound store. It reads hour by hour with pauses, beside a gateway at work. Windows are compared unless
 * rows were booked after the last one they counted: then their budget was removed for a while, and is counted anew when it is back. A row that was
 * charged to a window it is not in, which takes a clock that was set back, shows as a difference.
 */
export const verifyLedger: Effect.Effect<ReadonlyArray<Difference>, StoreUnavailable, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const differences: Array<Difference> = []
    const [bounds] = yield* sql<{ first: number | null; last: number | null }>`SELECT
      (SELECT min(hour) FROM (SELECT min(hour) AS hour FROM rollup UNION ALL SELECT min(at) / 3600000 FROM ledger)) AS first,
      (SELECT max(hour) FROM (SELECT max(hour) AS hour FROM rollup UNION ALL SELECT max(at) / 3600000 FROM ledger)) AS last`
    if (bounds !== undefined && bounds.first !== null && bounds.last !== null) {
      for (let hour = bounds.first; hour <= bounds.last; hour++) {
        differences.push(...(yield* compareHour(sql, hour)))
        yield* Effect.yieldNow
      }
    }
    const windows = yield* exactly(sql<WindowRow>`SELECT scope, "window", start, spent, last_id FROM budget_windows`)
    for (const window of windows) {
      differences.push(...(yield* compareWindow(sql, window)))
      yield* Effect.yieldNow
    }
    return differences
  }
).pipe(orUnavailable, Effect.withSpan("LedgerJournal.verify"))

/** The rollups of one hour against its rows, by one read of both: nothing can be booked in between. */
const compareHour = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, hour: number) {
  const by = sql.literal(dimensions.join(", "))
  const columns = sql.literal([...dimensions, ...added, "last_at"].join(", "))
  const rows = yield* exactly(
    sql<Row>`SELECT 'ledger' AS book, ${by}, ${sql.literal(totals)} FROM booked
      WHERE at >= ${hour * HOUR_MS} AND at < ${(hour + 1) * HOUR_MS} GROUP BY ${by}
      UNION ALL SELECT 'rollup', ${columns} FROM rollup WHERE hour = ${hour}`
  )
  const pairs = new Map<string, { ledger?: Row; rollup?: Row }>()
  for (const row of rows) {
    const name = nameOf(row)
    const pair = pairs.get(name) ?? {}
    pair[row["book"] as "ledger" | "rollup"] = row
    pairs.set(name, pair)
  }
  const differences: Array<Difference> = []
  for (const [name, { ledger, rollup }] of pairs) {
    for (const sum of [...added, "last_at"]) {
      const expected = (ledger?.[sum] ?? 0n) as bigint
      const found = (rollup?.[sum] ?? 0n) as bigint
      if (expected !== found) differences.push({ kind: "rollup", of: name, sum, expected, found })
    }
  }
  return differences
})

const nameOf = (row: Row): string => {
  const [, ...names] = dimensions
  const hour = new Date(Number(row["hour"]) * HOUR_MS).toISOString()
  return [`hour=${hour}`, ...names.map((name) => `${name}=${row[name]}`)].join(" ")
}

interface WindowRow {
  readonly scope: string
  readonly window: string
  readonly start: bigint
  readonly spent: bigint
  readonly last_id: bigint
}

/** One window against what was booked in its time: whole hours from the rollups, parts of an hour from the rows. */
const compareWindow = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, given: WindowRow) {
  const { column, subject } = scopeColumn(given.scope)
  const { end, start } = windowSpan({ scope: given.scope, window: given.window, start: Number(given.start) })
  const first = Math.ceil(start / HOUR_MS)
  const last = Math.max(first, Math.floor(end / HOUR_MS))
  const mine = sql`${sql.literal(`+${column}`)} = ${subject}`
  const [booked] = yield* exactly(
    sql<{ cost: bigint | null; last_id: bigint | null; spent: bigint | null; counted: bigint | null }>`SELECT
      sum(cost) AS cost, max(last_id) AS last_id,
      (SELECT spent FROM budget_windows WHERE scope = ${given.scope} AND "window" = ${given.window} AND start = ${given.start}) AS spent,
      (SELECT last_id FROM budget_windows WHERE scope = ${given.scope} AND "window" = ${given.window} AND start = ${given.start}) AS counted
    FROM (
      SELECT cost, last_id FROM rollup WHERE ${sql(column)} = ${subject} AND hour >= ${first} AND hour < ${last}
      UNION ALL SELECT cost, last_id FROM booked WHERE ${mine} AND at >= ${start} AND at < ${Math.min(first * HOUR_MS, end)}
      UNION ALL SELECT cost, last_id FROM booked WHERE ${mine} AND at >= ${last * HOUR_MS} AND at < ${end}
    )`
  )
  const expected = booked?.cost ?? 0n
  const found = booked?.spent ?? 0n
  if (expected === found || (booked?.last_id ?? 0n) > (booked?.counted ?? 0n)) return []
  const of = `${given.scope} ${given.window} from ${new Date(start).toISOString()}`
  return [{ kind: "window", of, sum: "spent", expected, found } satisfies Difference]
})
