/** Limits and budgets beyond a key's and a team's own: of end users, sessions and models. */
import { migration } from "./Migration.ts"

/** As in `rollup`; the rare classes of usage come with `UsageColumns`. */
const sums = [
  "requests failed_requests cost estimated_cost auto_requests auto_cost auto_baseline",
  "input cached_input cache_write cache_write_1h output reasoning audio_input audio_output"
]
  .join(" ")
  .split(" ")

export const scopes = migration([
  "ALTER TABLE keys ADD COLUMN rules TEXT NOT NULL DEFAULT 'null'",
  "ALTER TABLE teams ADD COLUMN rules TEXT NOT NULL DEFAULT 'null'",
  // `body`: what was set, as JSON; `search` is id and name in lower case.
  `CREATE TABLE end_users (
  scope TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  search TEXT NOT NULL
) STRICT, WITHOUT ROWID`,
  // A JSON array of the names of all scopes beyond key and team; "" for none.
  "ALTER TABLE ledger ADD COLUMN subjects TEXT NOT NULL DEFAULT ''",
  // What was booked under each of those scopes. `slot` counts quarters of an hour from the epoch: windows begin at one in every time zone.
  `CREATE TABLE scope_rollup (
  scope TEXT NOT NULL,
  slot INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  team TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  tags TEXT NOT NULL,
  last_at INTEGER NOT NULL,
  ${sums.map((name) => `${name} INTEGER NOT NULL`).join(",\n  ")},
  PRIMARY KEY (scope, slot, key_id, team, provider, model, tags)
) STRICT, WITHOUT ROWID`,
  "CREATE INDEX scope_rollup_by_time ON scope_rollup (slot)"
])
