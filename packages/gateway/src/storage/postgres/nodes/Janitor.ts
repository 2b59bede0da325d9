/**
 * Maintenance of the store, done by any gateway: creates the ledger's partitions a month ahead, merges the sums that several nodes
 * left for a past hour, and deletes changes that every gateway has. A second gateway finds nothing to do.
 */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
import { commonSums, rare } from "../../records/Columns.ts"
import { summarise } from "../../migrations/PostgresMigrations.ts"

const EVERY = "1 hour"

/** Hours after which almost no more rows are recorded for an hour. */
const SETTLED_HOURS = 2

/** Changes kept for lost heartbeats: far more than can happen between two of them. */
const REMEMBERED_CHANGES = 10_000

const sums = [...commonSums, ...rare]
const dimensions = "key_id, team, provider, model, tags"

const merge = (table: string, time: string, cell: string) => `WITH old AS (
  DELETE FROM ${table} WHERE node <> 0 AND ${time} < $1 RETURNING *
) INSERT INTO ${table} AS r (${cell}, node, last_at, ${sums.join(", ")})
SELECT ${cell}, 0, max(last_at), ${sums.map((name) => `sum(${name})`).join(", ")} FROM old GROUP BY ${cell}
ON CONFLICT (${cell}, node) DO UPDATE SET last_at = greatest(r.last_at, excluded.last_at),
  ${sums.map((name) => `${name} = r.${name} + excluded.${name}`).join(", ")}`

const mergeRollups = merge("rollup", "hour", `hour, ${dimensions}`)
const mergeScopes = merge("scope_rollup", "slot", `scope, slot, ${dimensions}`)

const mergeSpend = `WITH old AS (
  DELETE FROM spend WHERE node <> 0 AND slot < $1 RETURNING *
) INSERT INTO spend AS s (scope, slot, node, cost) SELECT scope, slot, 0, sum(cost) FROM old GROUP BY scope, slot
ON CONFLICT (scope, slot, node) DO UPDATE SET cost = s.cost + excluded.cost`

/**
 * Creates the partition of the month of a time (epoch milliseconds), and of this many months after it, unless the default partition
 * has rows of one.
 */
export const makePartitions = Effect.fnUntraced(function* (sql: PgClient, at: number, months = 2) {
  const date = new Date(at)
  const month = (ahead: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead, 1)
  for (let ahead = 0; ahead < months; ahead++) {
    const from = month(ahead)
    const to = month(ahead + 1)
    const name = `ledger_${new Date(from).toISOString().slice(0, 7).replace("-", "_")}`
    const known = yield* sql`SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ${name}`
    if (known.length > 0) continue
    const rest = yield* sql`SELECT 1 FROM ledger_rest WHERE at >= ${from} AND at < ${to} LIMIT 1`
    if (rest.length > 0) continue
    yield* sql.unsafe(`CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ledger FOR VALUES FROM (${from}) TO (${to})`)
    yield* sql.unsafe(summarise)
  }
})

const tidy = Effect.fnUntraced(function* (sql: PgClient): Effect.fn.Return<void, SqlError.SqlError> {
  const [turn] = yield* sql<{ free: boolean }>`SELECT
    pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' janitor', 0)) AS free`
  if (turn?.free !== true) return
  const now = yield* Clock.currentTimeMillis
  yield* makePartitions(sql, now)
  const hour = Math.floor(now / 3_600_000) - SETTLED_HOURS
  yield* sql.unsafe(mergeRollups, [hour])
  yield* sql.unsafe(mergeScopes, [hour * 4])
  yield* sql.unsafe(mergeSpend, [hour * 4])
  yield* sql`DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes) - ${REMEMBERED_CHANGES}`
})

/** Runs before the first row of a month is written, and every hour. */
export const keepTidy = Effect.fnUntraced(function* (sql: PgClient) {
  const once = sql
    .withTransaction(tidy(sql))
    .pipe(
      Effect.catch((error) =>
        Effect.logWarning(`Old rows could not be deleted; the next run is in an hour: ${error.message}`)
      )
    )
  yield* once
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(EVERY), once)))
})
