/** Rollups of days and months, as in a file. The columns of tokens come with `PostgresUsageColumns`, and so does the trigger that adds to them. */
import { migration } from "../../migrations/Migration.ts"

const text = `text COLLATE "C"`

export const blocks = migration([
  // `start` and `hours` count hours since the epoch, in UTC. Rows with the key '' are the sum over all keys.
  `CREATE TABLE block_rollup (
  start int NOT NULL,
  hours int NOT NULL,
  key_id ${text} NOT NULL,
  team ${text} NOT NULL,
  provider ${text} NOT NULL,
  model ${text} NOT NULL,
  tags ${text} NOT NULL,
  requests bigint NOT NULL,
  failed_requests bigint NOT NULL,
  cost bigint NOT NULL,
  estimated_cost bigint NOT NULL,
  auto_requests bigint NOT NULL,
  auto_cost bigint NOT NULL,
  auto_baseline bigint NOT NULL,
  last_at bigint NOT NULL,
  PRIMARY KEY (start, hours, key_id, team, provider, model, tags)
)`,
  // Which blocks may be read.
  "CREATE TABLE blocks (start int NOT NULL, hours int NOT NULL, PRIMARY KEY (start, hours))"
])
