/** Maintenance by any gateway: partitions a month ahead, merged sums of past hours, blocks, deleted changes. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
import { sums } from "../../records/Columns.ts"
import { summarise } from "../../migrations/PostgresMigrations.ts"
import { listMonth } from "../ledger/PostgresBlocks.ts"

const EVERY = "1 hour"

/** Hours after which almost no more rows are recorded for an hour. */
const SETTLED_HOURS = 2

/** Changes kept for lost heartbeats: far more than can happen between two of them. */
const REMEMBERED_CHANGES = 10_000

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

export const mergeBefore = Effect.fnUntraced(function* (sql: PgClient, hour: number) {
  yield* sql.unsafe(mergeRollups, [hour])
  yield* sql.unsafe(mergeScopes, [hour * 4])
  yield* sql.unsafe(mergeSpend, [hour * 4])
})

/** Creates partitions for `months` from the time `at` (epoch ms) on, unless the default partition has rows of one. */
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

const isOnly = (sql: PgClient) =>
  Effect.map(
    sql<{
      free: boolean
    }>`SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' janitor', 0)) AS free`,
    ([turn]) => turn?.free === true
  )

const tidy = Effect.fnUntraced(function* (sql: PgClient): Effect.fn.Return<void, SqlError.SqlError> {
  if (!(yield* isOnly(sql))) return
  const now = yield* Clock.currentTimeMillis
  yield* makePartitions(sql, now)
  yield* mergeBefore(sql, Math.floor(now / 3_600_000) - SETTLED_HOURS)
  yield* sql`DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes) - ${REMEMBERED_CHANGES}`
})

const listNext = Effect.fnUntraced(function* (sql: PgClient): Effect.fn.Return<boolean, SqlError.SqlError> {
  if (!(yield* isOnly(sql))) return false
  yield* sql`SET LOCAL statement_timeout = 0`
  return yield* listMonth(sql)
})

/** Runs before the first row of a month is written, and every hour. */
export const keepTidy = Effect.fnUntraced(function* (sql: PgClient) {
  const retried = <A>(work: Effect.Effect<A, SqlError.SqlError>) =>
    sql
      .withTransaction(work)
      .pipe(
        Effect.catch((error) =>
          Effect.logWarning(`Old rows could not be deleted or summed up; the next run is in an hour: ${error.message}`)
        )
      )
  const once = retried(tidy(sql))
  const listAll = Effect.repeat(retried(listNext(sql)), { while: (found) => found === true })
  yield* once
  yield* Effect.forkScoped(Effect.forever(Effect.all([listAll, Effect.sleep(EVERY), once], { discard: true })))
})
