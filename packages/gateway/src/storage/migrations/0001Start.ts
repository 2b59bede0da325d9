/** The first schema. Times are epoch milliseconds, money is whole nano-USD, "" means none where a column is part of a key. */
import { migration } from "./Migration.ts"

/** Token classes, as in `core/Usage`: they do not overlap. */
const tokens = `
  input INTEGER NOT NULL DEFAULT 0,
  cached_input INTEGER NOT NULL DEFAULT 0,
  cache_write INTEGER NOT NULL DEFAULT 0,
  cache_write_1h INTEGER NOT NULL DEFAULT 0,
  output INTEGER NOT NULL DEFAULT 0,
  reasoning INTEGER NOT NULL DEFAULT 0,
  audio_input INTEGER NOT NULL DEFAULT 0,
  audio_output INTEGER NOT NULL DEFAULT 0`

export const start = migration([
  `CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID`,

  // `seq` orders keys that were made in the same millisecond; `search` is id and name in lower case.
  `CREATE TABLE keys (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT,
  team TEXT,
  models TEXT NOT NULL,
  limits TEXT NOT NULL,
  budgets TEXT NOT NULL,
  tags TEXT NOT NULL,
  metadata TEXT NOT NULL,
  on_unknown_price TEXT NOT NULL,
  disabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER,
  secrets TEXT NOT NULL,
  search TEXT NOT NULL
) STRICT`,
  `CREATE INDEX keys_by_age ON keys (created_at)`,
  `CREATE TABLE teams (
  name TEXT PRIMARY KEY,
  limits TEXT NOT NULL,
  budgets TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE disabled_deployments (deployment TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`,

  // One row for each attempt. `counts`: 0 nothing, 1 a request, 2 a failed request. No index: each would be a page more in every
  // commit. Rows of an hour are found by the ids in its rollups, open ones by `open_from` in `meta`.
  `CREATE TABLE ledger (
  id INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  at INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  team TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  deployment TEXT NOT NULL,
  tags TEXT NOT NULL,
  reserved INTEGER NOT NULL,
  price_source TEXT,
  price_version TEXT,
  status TEXT NOT NULL,
  settled_at INTEGER,
  cost INTEGER NOT NULL DEFAULT 0,
  estimated INTEGER NOT NULL DEFAULT 0,
  counts INTEGER NOT NULL DEFAULT 0,${tokens}
) STRICT`,

  // `hour` counts from the epoch, in UTC. `first_id` to `last_id`: where its rows are; `last_cost_id`: the newest that cost something.
  `CREATE TABLE rollup (
  hour INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  team TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  tags TEXT NOT NULL,
  requests INTEGER NOT NULL,
  failed_requests INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  estimated_cost INTEGER NOT NULL,${tokens},
  last_at INTEGER NOT NULL,
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  last_cost_id INTEGER NOT NULL,
  PRIMARY KEY (hour, key_id, team, provider, model, tags)
) STRICT, WITHOUT ROWID`,
  `CREATE INDEX rollup_by_key ON rollup (key_id, hour)`,
  `CREATE INDEX rollup_by_team ON rollup (team, hour)`,

  // `last_id`: the newest row that was charged. A newer `last_cost_id` in the rollups means that the budget did not count for a while.
  `CREATE TABLE budget_windows (
  scope TEXT NOT NULL,
  "window" TEXT NOT NULL,
  start INTEGER NOT NULL,
  spent INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  PRIMARY KEY (scope, "window", start)
) STRICT, WITHOUT ROWID`,

  // Closed ledger rows in the columns of the rollups, so that one query reads either.
  `CREATE VIEW booked AS SELECT
  id, at / 3600000 AS hour, at, key_id, team, provider, model, tags,
  counts > 0 AS requests, counts = 2 AS failed_requests, cost, cost * estimated AS estimated_cost,
  input, cached_input, cache_write, cache_write_1h, output, reasoning, audio_input, audio_output,
  at AS last_at, id AS first_id, id AS last_id, iif(cost = 0, 0, id) AS last_cost_id
FROM ledger WHERE status <> 'reserved'`
])
