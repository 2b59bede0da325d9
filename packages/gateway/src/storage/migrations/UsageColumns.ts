/** A new class of usage gets its columns at the first start that knows it, without a migration. Old rows have none of it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { rare, tokens } from "../records/Columns.ts"

/** Closed ledger rows in the columns of the rollups, so that one query reads either. */
const booked = `CREATE VIEW booked AS SELECT
  id, at / 3600000 AS hour, at, key_id, team, provider, model, tags,
  counts > 0 AS requests, counts = 2 AS failed_requests, cost, cost * estimated AS estimated_cost,
  ${tokens.join(", ")},
  ${rare.map((name) => `coalesce(details ->> '$.${name}', 0) AS ${name}`).join(",\n  ")},
  counts > 0 AND baseline IS NOT NULL AS auto_requests, iif(baseline IS NULL, 0, cost) AS auto_cost,
  coalesce(baseline, 0) AS auto_baseline,
  at AS last_at, id AS first_id, id AS last_id, iif(cost = 0, 0, id) AS last_cost_id, subjects
FROM ledger WHERE status <> 'reserved'`

export const usageColumns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const missing = Effect.fnUntraced(function* (table: string) {
    const known = yield* sql.unsafe<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
    const names = new Set(known.map(({ name }) => name))
    return rare.filter((name) => !names.has(name)).map((name) => ({ table, name }))
  })
  const all = (yield* Effect.forEach(["rollup", "block_rollup", "scope_rollup"], missing)).flat()
  if (all.length === 0) return
  const statements = [
    ...all.map(({ name, table }) => `ALTER TABLE ${table} ADD COLUMN ${name} INTEGER NOT NULL DEFAULT 0`),
    "DROP VIEW booked",
    booked
  ]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }).pipe(sql.withTransaction)
})
