/** What `auto` saved: sums of its own in the ledger, in rollups and in blocks. Rows from before have none. */
import { migration } from "./Migration.ts"

const sums = ["auto_requests", "auto_cost", "auto_baseline"]

export const savings = migration([
  // Null: the caller named the model.
  "ALTER TABLE ledger ADD COLUMN baseline INTEGER",
  ...["rollup", "block_rollup"].flatMap((table) =>
    sums.map((name) => `ALTER TABLE ${table} ADD COLUMN ${name} INTEGER NOT NULL DEFAULT 0`)
  ),
  "DROP VIEW booked",
  `CREATE VIEW booked AS SELECT
  id, at / 3600000 AS hour, at, key_id, team, provider, model, tags,
  counts > 0 AS requests, counts = 2 AS failed_requests, cost, cost * estimated AS estimated_cost,
  input, cached_input, cache_write, cache_write_1h, output, reasoning, audio_input, audio_output,
  counts > 0 AND baseline IS NOT NULL AS auto_requests, iif(baseline IS NULL, 0, cost) AS auto_cost,
  coalesce(baseline, 0) AS auto_baseline,
  at AS last_at, id AS first_id, id AS last_id, iif(cost = 0, 0, id) AS last_cost_id
FROM ledger WHERE status <> 'reserved'`
])
