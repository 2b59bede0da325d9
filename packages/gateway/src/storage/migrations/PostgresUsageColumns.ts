/** A new class of usage gets its columns at the first start that knows it. In the ledger null means none, which takes a bit. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { followMerges } from "../postgres/ledger/PostgresBlocks.ts"
import { rare, tokens } from "../records/Columns.ts"

const tables = ["ledger", "rollup", "scope_rollup", "block_rollup"]

/** Rows of the ledger in the columns of the rollups, so that one query reads either. */
const booked = `CREATE OR REPLACE VIEW booked AS SELECT
  (at / 3600000)::int AS hour, at, key_id, team, provider, model, tags, node,
  (counts > 0)::int::bigint AS requests, (counts = 2)::int::bigint AS failed_requests,
  cost, CASE WHEN estimated THEN cost ELSE 0 END AS estimated_cost,
  (counts > 0 AND baseline IS NOT NULL)::int::bigint AS auto_requests,
  CASE WHEN baseline IS NULL THEN 0 ELSE cost END AS auto_cost, coalesce(baseline, 0) AS auto_baseline,
  at AS last_at,
  ${[...tokens, ...rare].map((name) => `coalesce(${name}, 0) AS ${name}`).join(", ")}, subjects
FROM ledger`

export const usageColumns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ table_name: string; column_name: string }>`SELECT table_name, column_name
    FROM information_schema.columns WHERE table_schema = current_schema() AND ${sql.in("table_name", tables)}`
  const known = new Set(rows.map(({ column_name, table_name }) => `${table_name}.${column_name}`))
  const missing = [...tokens, ...rare]
    .flatMap((name) => tables.map((table) => `${table}.${name}`))
    .filter((name) => !known.has(name))
  if (missing.length === 0) return
  yield* sql`DROP VIEW IF EXISTS booked`
  for (const column of missing) {
    const [table = "", name = ""] = column.split(".")
    const isNull = table === "ledger" && rare.includes(name)
    yield* sql.unsafe(`ALTER TABLE ${table} ADD COLUMN ${name} bigint${isNull ? "" : " NOT NULL DEFAULT 0"}`)
  }
  for (const statement of [booked, ...followMerges]) yield* sql.unsafe(statement)
})
