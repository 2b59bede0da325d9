-- migration 0001_start
-- The first schema. Times are epoch milliseconds, money is whole nano-USD, "" means none where a column is part of a key.

CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;

-- `seq` orders keys that were made in the same millisecond; `search` is id and name in lower case.
CREATE TABLE keys (
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
) STRICT;

CREATE INDEX keys_by_age ON keys (created_at);

CREATE TABLE teams (
  name TEXT PRIMARY KEY,
  limits TEXT NOT NULL,
  budgets TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE disabled_deployments (deployment TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- One row for each attempt. `counts`: 0 nothing, 1 a request, 2 a failed request. No index: each would be a page more in every
-- commit. Rows of an hour are found by the ids in its rollups, open ones by `open_from` in `meta`.
CREATE TABLE ledger (
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
  counts INTEGER NOT NULL DEFAULT 0,
  input INTEGER NOT NULL DEFAULT 0,
  cached_input INTEGER NOT NULL DEFAULT 0,
  cache_write INTEGER NOT NULL DEFAULT 0,
  cache_write_1h INTEGER NOT NULL DEFAULT 0,
  output INTEGER NOT NULL DEFAULT 0,
  reasoning INTEGER NOT NULL DEFAULT 0,
  audio_input INTEGER NOT NULL DEFAULT 0,
  audio_output INTEGER NOT NULL DEFAULT 0
) STRICT;

-- `hour` counts from the epoch, in UTC. `first_id` to `last_id`: where its rows are; `last_cost_id`: the newest that cost
-- something.
CREATE TABLE rollup (
  hour INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  team TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  tags TEXT NOT NULL,
  requests INTEGER NOT NULL,
  failed_requests INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  estimated_cost INTEGER NOT NULL,
  input INTEGER NOT NULL DEFAULT 0,
  cached_input INTEGER NOT NULL DEFAULT 0,
  cache_write INTEGER NOT NULL DEFAULT 0,
  cache_write_1h INTEGER NOT NULL DEFAULT 0,
  output INTEGER NOT NULL DEFAULT 0,
  reasoning INTEGER NOT NULL DEFAULT 0,
  audio_input INTEGER NOT NULL DEFAULT 0,
  audio_output INTEGER NOT NULL DEFAULT 0,
  last_at INTEGER NOT NULL,
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  last_cost_id INTEGER NOT NULL,
  PRIMARY KEY (hour, key_id, team, provider, model, tags)
) STRICT, WITHOUT ROWID;

CREATE INDEX rollup_by_key ON rollup (key_id, hour);

CREATE INDEX rollup_by_team ON rollup (team, hour);

-- `last_id`: the newest row that was charged. A newer `last_cost_id` in the rollups means that the budget did not count for a
-- while.
CREATE TABLE budget_windows (
  scope TEXT NOT NULL,
  "window" TEXT NOT NULL,
  start INTEGER NOT NULL,
  spent INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  PRIMARY KEY (scope, "window", start)
) STRICT, WITHOUT ROWID;

-- Closed ledger rows in the columns of the rollups, so that one query reads either.
CREATE VIEW booked AS SELECT
  id, at / 3600000 AS hour, at, key_id, team, provider, model, tags,
  counts > 0 AS requests, counts = 2 AS failed_requests, cost, cost * estimated AS estimated_cost,
  input, cached_input, cache_write, cache_write_1h, output, reasoning, audio_input, audio_output,
  at AS last_at, id AS first_id, id AS last_id, iif(cost = 0, 0, id) AS last_cost_id
FROM ledger WHERE status <> 'reserved';

-- migration 0002_receipts
-- Receipts: what happened to each request, beside the money in the ledger.

-- A row is a page: the receipts that were written together, in the order in which their requests ended, as `ReceiptPages` has
-- them. `ended_at` is the end of the newest. A row and an index entry for each receipt would cost three times as much.
CREATE TABLE receipts (
  id INTEGER PRIMARY KEY,
  first_request TEXT NOT NULL,
  last_request TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;

-- Ids of requests begin with their time, so the least and the greatest id of a page say which few pages an id may be on.
CREATE INDEX receipts_by_request ON receipts (last_request, first_request);

-- migration 0003_scale
-- For stores with millions of rows: rollups of longer times, summed up from those of hours in the background, and indexes for
-- every way to list keys. None of it is written by requests.

-- `start` and `hours` count hours since the epoch, in UTC. Rows with the key '' are the sum over all keys. No `first_id` and the
-- like: ledger rows are found by the rollups of hours.
CREATE TABLE block_rollup (
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
) STRICT, WITHOUT ROWID;

-- Which blocks have rows. `listed`: all of them, so that they may be read; the others are being made or wait to be deleted.
CREATE TABLE blocks (
  start INTEGER NOT NULL,
  hours INTEGER NOT NULL,
  listed INTEGER NOT NULL,
  PRIMARY KEY (start, hours)
) STRICT, WITHOUT ROWID;

-- All in the order of the list: by age, then by `seq`.
CREATE INDEX keys_by_team ON keys (team, created_at);

CREATE INDEX keys_revoked ON keys (created_at) WHERE revoked_at IS NOT NULL;

CREATE INDEX keys_disabled ON keys (created_at) WHERE disabled = 1;

CREATE INDEX keys_expiring ON keys (created_at) WHERE expires_at IS NOT NULL;

-- Parts of ids and names, from three characters on. `keys` has the text itself; its triggers keep the index up to date.
CREATE VIRTUAL TABLE keys_search USING fts5(search, content = 'keys', content_rowid = 'seq', tokenize = 'trigram',
    columnsize = 0);

INSERT INTO keys_search (keys_search) VALUES ('rebuild');

CREATE TRIGGER keys_search_insert AFTER INSERT ON keys BEGIN
    INSERT INTO keys_search (rowid, search) VALUES (new.seq, new.search);
  END;

CREATE TRIGGER keys_search_update AFTER UPDATE OF search ON keys WHEN old.search <> new.search BEGIN
    INSERT INTO keys_search (keys_search, rowid, search) VALUES ('delete', old.seq, old.search);
    INSERT INTO keys_search (rowid, search) VALUES (new.seq, new.search);
  END;

-- migration 0004_savings
-- What `auto` saved: sums of its own in the ledger, in rollups and in blocks. Rows from before have none.

-- Null: the caller named the model.
ALTER TABLE ledger ADD COLUMN baseline INTEGER;

ALTER TABLE rollup ADD COLUMN auto_requests INTEGER NOT NULL DEFAULT 0;

ALTER TABLE rollup ADD COLUMN auto_cost INTEGER NOT NULL DEFAULT 0;

ALTER TABLE rollup ADD COLUMN auto_baseline INTEGER NOT NULL DEFAULT 0;

ALTER TABLE block_rollup ADD COLUMN auto_requests INTEGER NOT NULL DEFAULT 0;

ALTER TABLE block_rollup ADD COLUMN auto_cost INTEGER NOT NULL DEFAULT 0;

ALTER TABLE block_rollup ADD COLUMN auto_baseline INTEGER NOT NULL DEFAULT 0;

DROP VIEW booked;

CREATE VIEW booked AS SELECT
  id, at / 3600000 AS hour, at, key_id, team, provider, model, tags,
  counts > 0 AS requests, counts = 2 AS failed_requests, cost, cost * estimated AS estimated_cost,
  input, cached_input, cache_write, cache_write_1h, output, reasoning, audio_input, audio_output,
  counts > 0 AND baseline IS NOT NULL AS auto_requests, iif(baseline IS NULL, 0, cost) AS auto_cost,
  coalesce(baseline, 0) AS auto_baseline,
  at AS last_at, id AS first_id, id AS last_id, iif(cost = 0, 0, id) AS last_cost_id
FROM ledger WHERE status <> 'reserved';

-- migration 0005_learning
-- What learning needs, beside the receipts and for as long as them: what callers thought of answers, and prompts by choice.

-- `page`: the row of `receipts` that the request's receipt is on. With it goes what is known of its requests.
CREATE TABLE feedback (
  page INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  score REAL NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (page, request_id)
) STRICT, WITHOUT ROWID;

-- `body` is JSON: the text of the prompt, or the numbers of `feature_set`.
CREATE TABLE kept_prompts (
  page INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  feature_set TEXT,
  body TEXT NOT NULL,
  PRIMARY KEY (page, request_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER receipts_delete AFTER DELETE ON receipts BEGIN
    DELETE FROM feedback WHERE page = old.id;
    DELETE FROM kept_prompts WHERE page = old.id;
  END;

-- migration 0006_details
-- Classes of usage without a column of their own, and the service tier, as JSON. Few rows have any.

ALTER TABLE ledger ADD COLUMN details TEXT;

-- migration 0007_operation
-- Rows from before are chat.

ALTER TABLE ledger ADD COLUMN operation TEXT NOT NULL DEFAULT 'chat';

-- migration 0008_responses
-- Responses that are kept for `previous_response_id`, with an index of their items.

-- The long columns come last: a chain is followed without reading them. `bytes`: of both. The lowest id is the oldest.
CREATE TABLE responses (
  id INTEGER PRIMARY KEY,
  key_id TEXT NOT NULL,
  response_id TEXT NOT NULL,
  parent TEXT,
  created_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  input TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX responses_by_key ON responses (key_id, response_id);

-- `response`: the row of `responses`.
CREATE TABLE response_items (
  key_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  response INTEGER NOT NULL,
  PRIMARY KEY (key_id, item_id, response)
) STRICT, WITHOUT ROWID;

CREATE INDEX response_items_by_response ON response_items (response);

-- One row: what all of them take.
CREATE TABLE response_bytes (total INTEGER NOT NULL) STRICT;

INSERT INTO response_bytes VALUES (0);

CREATE TRIGGER responses_insert AFTER INSERT ON responses BEGIN
    UPDATE response_bytes SET total = total + new.bytes;
  END;

CREATE TRIGGER responses_delete AFTER DELETE ON responses BEGIN
    UPDATE response_bytes SET total = total - old.bytes;
    DELETE FROM response_items WHERE response = old.id;
  END;

-- migration 0009_idempotency
-- Answers to requests with an `Idempotency-Key`, for a day.

-- `id`: the hash of the caller's key, the endpoint and the `Idempotency-Key`; `request`: that of the body. Headers are JSON.
CREATE TABLE kept_answers (
  id TEXT NOT NULL UNIQUE,
  request TEXT NOT NULL,
  kept_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  headers TEXT NOT NULL,
  body BLOB NOT NULL
) STRICT;

CREATE INDEX kept_answers_by_age ON kept_answers (kept_at);

-- migration 0010_sessions
-- Sessions of administrators in browsers. There are few, so they have no index.

CREATE TABLE admin_sessions (
      id TEXT NOT NULL UNIQUE,
      cookie_hash TEXT PRIMARY KEY,
      token_hash TEXT NOT NULL,
      binding TEXT NOT NULL,
      role TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      address TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

-- migration 0011_traffic
-- Traffic over time. Nothing of it is written by requests.

-- `start`: epoch ms. `key_id` and `team` are among the dimensions as well, and stand here to be found by. `sums` as
-- `TrafficSums` has them.
CREATE TABLE traffic (
  cut TEXT NOT NULL,
  grain TEXT NOT NULL,
  start INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  team TEXT NOT NULL,
  dimensions TEXT NOT NULL,
  sums TEXT NOT NULL,
  PRIMARY KEY (cut, grain, start, dimensions)
) STRICT, WITHOUT ROWID;

CREATE INDEX traffic_by_key ON traffic (key_id, grain, start) WHERE key_id <> '';

CREATE INDEX traffic_by_team ON traffic (team, grain, start) WHERE team <> '';

-- migration 0012_audit
-- What administrators did, and which alerts were sent.

-- `before` and `after`: JSON. Entries stay as they are.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor_kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_stays_as_it_is BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit log is never changed');
  END;

CREATE TRIGGER audit_stays_whole BEFORE DELETE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit log is never changed');
  END;

-- One row for each alert of each window. `done_at`: when it was delivered or given up.
CREATE TABLE alert_marks (
  id TEXT PRIMARY KEY,
  raised_at INTEGER NOT NULL,
  done_at INTEGER,
  url TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- migration 0013_holdings
-- What each key holds of stored and kept responses, so that quotas are checked without reading them.

-- Answers of before have no key. They are gone after a day.
ALTER TABLE kept_answers ADD COLUMN key_id TEXT NOT NULL DEFAULT '';

ALTER TABLE kept_answers ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

UPDATE kept_answers SET bytes = length(body) + length(headers);

CREATE INDEX kept_answers_by_key ON kept_answers (key_id, kept_at);

-- A key's oldest response is that with the lowest id.
CREATE INDEX responses_by_key_age ON responses (key_id, id);

-- `kind`: `response` or `answer`, of the key `key_id`; or `all`, of the kind `key_id`.
CREATE TABLE holdings (
  kind TEXT NOT NULL,
  key_id TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (kind, key_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX holdings_by_size ON holdings (kind, bytes);

INSERT INTO holdings SELECT 'response', key_id, sum(bytes) FROM responses GROUP BY key_id;

INSERT INTO holdings SELECT 'all', 'response', coalesce(sum(bytes), 0) FROM responses;

CREATE TRIGGER responses_held AFTER INSERT ON responses BEGIN
    INSERT INTO holdings VALUES ('response', new.key_id, new.bytes)
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
    UPDATE holdings SET bytes = bytes + new.bytes WHERE kind = 'all' AND key_id = 'response';
  END;

CREATE TRIGGER responses_freed AFTER DELETE ON responses BEGIN
    UPDATE holdings SET bytes = bytes - old.bytes WHERE kind = 'response' AND key_id = old.key_id;
    DELETE FROM holdings WHERE kind = 'response' AND key_id = old.key_id AND bytes <= 0;
    UPDATE holdings SET bytes = bytes - old.bytes WHERE kind = 'all' AND key_id = 'response';
  END;

INSERT INTO holdings SELECT 'answer', key_id, sum(bytes) FROM kept_answers GROUP BY key_id;

INSERT INTO holdings SELECT 'all', 'answer', coalesce(sum(bytes), 0) FROM kept_answers;

CREATE TRIGGER kept_answers_held AFTER INSERT ON kept_answers BEGIN
    INSERT INTO holdings VALUES ('answer', new.key_id, new.bytes)
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
    UPDATE holdings SET bytes = bytes + new.bytes WHERE kind = 'all' AND key_id = 'answer';
  END;

CREATE TRIGGER kept_answers_freed AFTER DELETE ON kept_answers BEGIN
    UPDATE holdings SET bytes = bytes - old.bytes WHERE kind = 'answer' AND key_id = old.key_id;
    DELETE FROM holdings WHERE kind = 'answer' AND key_id = old.key_id AND bytes <= 0;
    UPDATE holdings SET bytes = bytes - old.bytes WHERE kind = 'all' AND key_id = 'answer';
  END;

-- migration 0014_growth
-- What an attempt costs if nothing is written, and how fast that grows. Null in rows from before.

ALTER TABLE ledger ADD COLUMN fixed INTEGER;

ALTER TABLE ledger ADD COLUMN per_second INTEGER;

-- migration 0015_unknown_fields
-- What a key does under a budget with fields whose cost is not known.

ALTER TABLE keys ADD COLUMN unknown_fields TEXT NOT NULL DEFAULT 'remove';

-- migration 0017_identity
-- People who sign in, their roles, and service tokens. The statements are the same in Postgres.

-- Who is erased has no issuer, and the id as subject.
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  name TEXT,
  email TEXT,
  status TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  refresh_token TEXT,
  revalidated_at BIGINT NOT NULL,
  revalidating_until BIGINT NOT NULL DEFAULT 0,
  UNIQUE (issuer, subject)
);

-- `team`: '' for a role in the whole gateway. `source`: 'manual' or 'idp:<provider>'.
CREATE TABLE assignments (
  person TEXT NOT NULL,
  team TEXT NOT NULL,
  source TEXT NOT NULL,
  role TEXT NOT NULL,
  PRIMARY KEY (person, team, source)
);

CREATE INDEX assignments_by_team ON assignments (team);

CREATE TABLE service_tokens (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  team TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  last_used_at BIGINT
);

-- Hashes; a code lives for a minute.
CREATE TABLE sign_in_codes (
  hash TEXT PRIMARY KEY,
  cookie_hash TEXT NOT NULL,
  person TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);

-- '' for a session that the master key opened.
ALTER TABLE admin_sessions ADD COLUMN person TEXT NOT NULL DEFAULT '';

-- migration 0018_scopes
-- Limits and budgets beyond a key's and a team's own: of end users, sessions and models.

ALTER TABLE keys ADD COLUMN rules TEXT NOT NULL DEFAULT 'null';

ALTER TABLE teams ADD COLUMN rules TEXT NOT NULL DEFAULT 'null';

-- `body`: what was set, as JSON; `search` is id and name in lower case.
CREATE TABLE end_users (
  scope TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  search TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A JSON array of the names of all scopes beyond key and team; "" for none.
ALTER TABLE ledger ADD COLUMN subjects TEXT NOT NULL DEFAULT '';

-- What was booked under each of those scopes. `slot` counts quarters of an hour from the epoch: windows begin at one in every
-- time zone.
CREATE TABLE scope_rollup (
  scope TEXT NOT NULL,
  slot INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  team TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  tags TEXT NOT NULL,
  last_at INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  failed_requests INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  estimated_cost INTEGER NOT NULL,
  auto_requests INTEGER NOT NULL,
  auto_cost INTEGER NOT NULL,
  auto_baseline INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cached_input INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  output INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  audio_input INTEGER NOT NULL,
  audio_output INTEGER NOT NULL,
  PRIMARY KEY (scope, slot, key_id, team, provider, model, tags)
) STRICT, WITHOUT ROWID;

CREATE INDEX scope_rollup_by_time ON scope_rollup (slot);

-- migration 0019_require
-- Tags that a key requires of the deployments that serve it, as JSON.

ALTER TABLE keys ADD COLUMN require TEXT NOT NULL DEFAULT '{}';

-- migration 0020_people
-- Keys of people and workloads, policies for personal keys, and sign-ins of machines. The statements are the same in Postgres.

ALTER TABLE keys ADD COLUMN kind TEXT NOT NULL DEFAULT 'service';

ALTER TABLE keys ADD COLUMN owner TEXT;

ALTER TABLE keys ADD COLUMN rule TEXT;

ALTER TABLE keys ADD COLUMN subject TEXT;

ALTER TABLE keys ADD COLUMN created_by TEXT;

-- A JSON array of addresses and networks.
ALTER TABLE keys ADD COLUMN allow_from TEXT NOT NULL DEFAULT '[]';

ALTER TABLE keys ADD COLUMN suspended INTEGER NOT NULL DEFAULT 0;

CREATE INDEX keys_by_owner ON keys (owner) WHERE owner IS NOT NULL;

CREATE INDEX keys_by_rule ON keys (rule) WHERE rule IS NOT NULL;

-- What a team allows its members' personal keys, as JSON.
ALTER TABLE teams ADD COLUMN personal_keys TEXT NOT NULL DEFAULT 'null';

-- A machine that waits for a person's approval. Hashes; a code lives for ten minutes. `person`: '' until somebody decides.
CREATE TABLE device_codes (
  hash TEXT PRIMARY KEY,
  user_code TEXT NOT NULL UNIQUE,
  client TEXT NOT NULL,
  address TEXT NOT NULL,
  state TEXT NOT NULL,
  person TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  polled_at BIGINT NOT NULL
);

-- One machine on which a person signed in. Hashes; the refresh token before the present one works for a minute.
CREATE TABLE sign_ins (
  id TEXT PRIMARY KEY,
  person TEXT NOT NULL,
  client TEXT NOT NULL,
  address TEXT NOT NULL,
  access_hash TEXT NOT NULL,
  access_until BIGINT NOT NULL,
  refresh_hash TEXT NOT NULL,
  previous_hash TEXT NOT NULL,
  previous_until BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL
);

CREATE INDEX sign_ins_by_person ON sign_ins (person);

-- migration 0025_scopes
-- Rows of `scope_rollup` in the order of time, not of scopes: what a quarter of an hour adds is in a few pages, which commits share.

ALTER TABLE scope_rollup RENAME TO scope_rollup_by_scope;

DROP INDEX scope_rollup_by_time;

CREATE TABLE scope_rollup (
  scope TEXT NOT NULL,
  slot INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  team TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  tags TEXT NOT NULL,
  last_at INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  failed_requests INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  estimated_cost INTEGER NOT NULL,
  auto_requests INTEGER NOT NULL,
  auto_cost INTEGER NOT NULL,
  auto_baseline INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cached_input INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  output INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  audio_input INTEGER NOT NULL,
  audio_output INTEGER NOT NULL,
  UNIQUE (scope, slot, key_id, team, provider, model, tags)
) STRICT;

CREATE INDEX scope_rollup_by_time ON scope_rollup (slot);

-- migration 0026_scope_sums
-- Sums of scopes are written later than their rows: `scopes_summed` says which rows they have.

INSERT INTO meta SELECT 'scopes_summed', json_object('to', (SELECT coalesce(max(id), 0) FROM ledger), 'open',
    (SELECT json_group_array(id) FROM ledger WHERE status = 'reserved'
      AND id >= coalesce((SELECT value FROM meta WHERE name = 'open_from'), 0)));
