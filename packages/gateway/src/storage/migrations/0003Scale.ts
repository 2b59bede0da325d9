/**
 * For stores with millions of rows: rollups of longer times, summed up from those of hours in the background, and indexes for every
 * way to list keys. None of it is written by requests.
 */
import { migration } from "./Migration.ts"

export const scale = migration([
  // `start` and `hours` count hours since the epoch, in UTC. Rows with the key '' are the sum over all keys. No `first_id` and the
  // like: ledger rows are found by the rollups of hours.
  `CREATE TABLE block_rollup (
  start INTEGER NOT NULL,
  hours INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  team TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  tags TEXT NOT NULL,
  requests INTEGER NOT NULL,
  failed_requests INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  estimated_cost INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cached_input INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  output INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  audio_input INTEGER NOT NULL,
  audio_output INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (start, hours, key_id, team, provider, model, tags)
) STRICT, WITHOUT ROWID`,

  // Which blocks have rows. `listed`: all of them, so that they may be read; the others are being made or wait to be deleted.
  `CREATE TABLE blocks (
  start INTEGER NOT NULL,
  hours INTEGER NOT NULL,
  listed INTEGER NOT NULL,
  PRIMARY KEY (start, hours)
) STRICT, WITHOUT ROWID`,

  // All in the order of the list: by age, then by `seq`.
  `CREATE INDEX keys_by_team ON keys (team, created_at)`,
  `CREATE INDEX keys_revoked ON keys (created_at) WHERE revoked_at IS NOT NULL`,
  `CREATE INDEX keys_disabled ON keys (created_at) WHERE disabled = 1`,
  `CREATE INDEX keys_expiring ON keys (created_at) WHERE expires_at IS NOT NULL`,

  // Parts of ids and names, from three characters on. `keys` has the text itself; its triggers keep the index up to date.
  `CREATE VIRTUAL TABLE keys_search USING fts5(search, content = 'keys', content_rowid = 'seq', tokenize = 'trigram',
    columnsize = 0)`,
  `INSERT INTO keys_search (keys_search) VALUES ('rebuild')`,
  `CREATE TRIGGER keys_search_insert AFTER INSERT ON keys BEGIN
    INSERT INTO keys_search (rowid, search) VALUES (new.seq, new.search);
  END`,
  `CREATE TRIGGER keys_search_update AFTER UPDATE OF search ON keys WHEN old.search <> new.search BEGIN
    INSERT INTO keys_search (keys_search, rowid, search) VALUES ('delete', old.seq, old.search);
    INSERT INTO keys_search (rowid, search) VALUES (new.seq, new.search);
  END`
])
