/** Limits and budgets beyond a key's and a team's own: of end users, sessions and models. */
import { migration } from "../../migrations/Migration.ts"

const text = `text COLLATE "C"`

export const scopes = migration([
  `ALTER TABLE keys ADD COLUMN rules ${text} NOT NULL DEFAULT 'null'`,
  `ALTER TABLE teams ADD COLUMN rules ${text} NOT NULL DEFAULT 'null'`,
  // `body`: what was set, as JSON; `search` is id and name in lower case.
  `CREATE TABLE end_users (
  scope ${text} PRIMARY KEY,
  owner ${text} NOT NULL,
  id ${text} NOT NULL,
  body ${text} NOT NULL,
  updated_at bigint NOT NULL,
  search ${text} NOT NULL
)`,
  // A JSON array of the names of all scopes beyond key and team; "" for none.
  `ALTER TABLE ledger ADD COLUMN subjects ${text} NOT NULL DEFAULT ''`,
  `ALTER TABLE attempts_open ADD COLUMN subjects ${text} NOT NULL DEFAULT ''`,
  // What was booked under each of those scopes, by quarters of an hour. The columns of tokens come with `PostgresUsageColumns`.
  `CREATE TABLE scope_rollup (
  scope ${text} NOT NULL,
  slot int NOT NULL,
  key_id ${text} NOT NULL,
  team ${text} NOT NULL,
  provider ${text} NOT NULL,
  model ${text} NOT NULL,
  tags ${text} NOT NULL,
  node int NOT NULL,
  requests bigint NOT NULL,
  failed_requests bigint NOT NULL,
  cost bigint NOT NULL,
  estimated_cost bigint NOT NULL,
  auto_requests bigint NOT NULL,
  auto_cost bigint NOT NULL,
  auto_baseline bigint NOT NULL,
  last_at bigint NOT NULL,
  PRIMARY KEY (scope, slot, key_id, team, provider, model, tags, node)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01)`,
  // The schema that a gateway knows; 0: an older one than this.
  "ALTER TABLE nodes ADD COLUMN schema int NOT NULL DEFAULT 0",
  "CREATE INDEX scope_rollup_by_time ON scope_rollup (slot)",
  "CREATE INDEX scope_rollup_unmerged ON scope_rollup (slot) WHERE node <> 0"
])
