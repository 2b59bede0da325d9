/**
 * A store in a file, copied to Postgres: all of it or nothing, in one transaction. No gateway may run on either. Keys go on working, as the
 * key of their hashes is copied with them.
 */
import type { DatabaseSync } from "node:sqlite"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { PostgresOptions } from "@model-gateway/gateway/internal/storage/postgres/connection/PostgresOptions"
import { prepare } from "@model-gateway/gateway/internal/storage/postgres/connection/Prepare"
import { listMonth } from "@model-gateway/gateway/internal/storage/postgres/ledger/PostgresBlocks"
import { makePartitions } from "@model-gateway/gateway/internal/storage/postgres/nodes/Janitor"
import { type StoreOpenError, StoreUnusable } from "@model-gateway/gateway/internal/storage/records/OpenErrors"
import { attempt } from "@model-gateway/gateway/internal/storage/sqlite/file/SqliteDatabase"
import type * as ReadOnly from "../reading/SqliteReadOnly.ts"
import { withBoth } from "./Both.ts"
import { bring, exact } from "./CopyRows.ts"
import { numbered, type CopiedRow, tables } from "./CopyTables.ts"

export interface Copied {
  readonly place: string
  /** Rows, by table. */
  readonly rows: ReadonlyMap<string, number>
  /** Nano-USD of all ledger rows, which is the same in both stores. */
  readonly cost: bigint
}

export const copyStore: (
  filename: string,
  options: PostgresOptions
) => Effect.Effect<Copied, StoreOpenError | ReadOnly.StoreTooOld> = Effect.fn("Store.copy")(
  (filename: string, options: PostgresOptions) =>
    withBoth(filename, options, ({ db, place, sql }) =>
      Effect.andThen(prepare(sql, options), sql.withTransaction(copyAll(db, sql, filename, place)))
    )
)

const copyAll = Effect.fnUntraced(function* (db: DatabaseSync, sql: PgClient, filename: string, place: string) {
  // A gateway that starts meanwhile waits.
  yield* sql`LOCK TABLE nodes IN ACCESS EXCLUSIVE MODE`
  const [target] = yield* sql<{ used: boolean }>`SELECT EXISTS (SELECT FROM keys) OR EXISTS (SELECT FROM ledger)
    OR EXISTS (SELECT FROM meta WHERE name <> 'cluster') OR EXISTS (SELECT FROM nodes) AS used`
  if (target?.used !== false) {
    return yield* new StoreUnusable({
      message: `The store ${place} is not empty: copy to another database, or another store.postgres.schema.`
    })
  }
  const one = (query: string) => attempt(filename, () => exact(db, query).get() as CopiedRow | undefined)
  const times = yield* one("SELECT min(at) AS first, max(at) AS last FROM ledger")
  const { first, last } = { first: Number(times?.["first"] ?? 0), last: Number(times?.["last"] ?? 0) }
  if (first > 0) yield* makePartitions(sql, first, Math.ceil((last - first) / SHORTEST_MONTH_MS) + 2)

  const rows = new Map<string, number>()
  for (const table of tables) rows.set(table.to, yield* bring(db, filename, table, sql, table.to))
  yield* Effect.repeat(listMonth(sql), { while: (found) => found })
  yield* sql`UPDATE response_bytes SET total = (SELECT coalesce(sum(bytes), 0) FROM responses) WHERE share = 0`
  for (const [table, column] of numbered) {
    yield* sql.unsafe(`SELECT setval(pg_get_serial_sequence('${table}', '${column}'),
      (SELECT coalesce(max(${column}), 0) + 1 FROM ${table}), false)`)
  }
  const theirs = BigInt(
    (yield* one("SELECT coalesce(sum(cost), 0) AS cost FROM ledger WHERE status <> 'reserved'"))?.[
      "cost"
    ]?.toString() ?? 0
  )
  const [ours] = yield* sql<{ cost: string }>`SELECT coalesce(sum(cost), 0)::text AS cost FROM ledger`
  if (BigInt(ours?.cost ?? 0) !== theirs) {
    return yield* new StoreUnusable({
      message: `The copy of ${filename} has other sums than the file: nothing was written.`
    })
  }
  return { place, rows, cost: theirs } satisfies Copied
})

const SHORTEST_MONTH_MS = 28 * 24 * 3_600_000
