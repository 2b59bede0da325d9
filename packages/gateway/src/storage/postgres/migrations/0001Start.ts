/**
 * The first schema. Times are epoch milliseconds, money is whole nano-USD, "" means none where a column is part of a key. Every row that a
 * request writes belongs to one node, so that nodes never wait for each other's rows. Texts are compared as bytes, as in every store.
 */
import { migration } from "../../migrations/Migration.ts"

/** Often changed: room on each page keeps the changes there. */
const busy = "WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01)"

const text = `text COLLATE "C"`

const identity = `
  id bigint NOT NULL,
  node int NOT NULL,
  request_id ${text} NOT NULL,
  attempt int NOT NULL,
  at bigint NOT NULL,
  key_id ${text} NOT NULL,
  team ${text} NOT NULL,
  provider ${text} NOT NULL,
  model ${text} NOT NULL,
  deployment ${text} NOT NULL,
  tags ${text} NOT NULL,
  reserved bigint NOT NULL,
  price_source ${text},
  price_version ${text},
  operation ${text} NOT NULL,
  baseline bigint`

export const start = migration([
  `CREATE TABLE meta (name ${text} PRIMARY KEY, value bytea NOT NULL)`,

  // Gateways at work. `beats` grows with each sign of life, `flushed` with each group of the ledger's; `seen` is the newest change that is in
  // force there. `space` and `pid` name its process to others on the same machine.
  `CREATE TABLE nodes (
  id int PRIMARY KEY,
  name ${text} NOT NULL,
  space ${text} NOT NULL,
  pid int NOT NULL,
  lease_ms int NOT NULL,
  joined_at timestamptz NOT NULL DEFAULT now(),
  beats bigint NOT NULL DEFAULT 0,
  flushed bigint NOT NULL DEFAULT 0,
  seen bigint NOT NULL DEFAULT 0
) ${busy}`,
  // Numbers are given out in the order of the commits: who takes one holds a lock until then.
  `CREATE TABLE changes (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, node int NOT NULL, what ${text} NOT NULL, id ${text} NOT NULL)`,

  // As in every store: `seq` orders keys of the same millisecond; `search` is id and name in lower case. JSON stays text: it comes back as it was.
  `CREATE TABLE keys (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id ${text} NOT NULL UNIQUE,
  name ${text},
  team ${text},
  models ${text} NOT NULL,
  limits ${text} NOT NULL,
  budgets ${text} NOT NULL,
  tags ${text} NOT NULL,
  metadata ${text} NOT NULL,
  on_unknown_price ${text} NOT NULL,
  disabled smallint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  secrets ${text} NOT NULL,
  search ${text} NOT NULL
)`,
  "CREATE INDEX keys_by_age ON keys (created_at, seq)",
  "CREATE INDEX keys_by_team ON keys (team, created_at, seq)",
  "CREATE INDEX keys_revoked ON keys (created_at, seq) WHERE revoked_at IS NOT NULL",
  `CREATE TABLE teams (
  name ${text} PRIMARY KEY,
  limits ${text} NOT NULL,
  budgets ${text} NOT NULL,
  updated_at bigint NOT NULL,
  search ${text} NOT NULL
)`,
  `CREATE TABLE disabled_deployments (deployment ${text} PRIMARY KEY)`,

  // Attempts under way: their worst case is booked when their node dies.
  `CREATE TABLE attempts_open (${identity},
  PRIMARY KEY (node, id)
) ${busy}`,
  // Attempts that have ended, only ever added to. Rows come nearly in the order of their times, so the smallest of indexes finds them.
  // `counts`: 0 nothing, 1 a request, 2 a failed request. Columns of usage come with `usageColumns`.
  `CREATE TABLE ledger (${identity},
  status ${text} NOT NULL,
  settled_at bigint NOT NULL,
  cost bigint NOT NULL,
  estimated boolean NOT NULL,
  counts smallint NOT NULL,
  service_tier ${text}
) PARTITION BY RANGE (at)`,
  "CREATE INDEX ledger_by_time ON ledger USING brin (at) WITH (pages_per_range = 32)",
  "CREATE TABLE ledger_rest PARTITION OF ledger DEFAULT",

  // `hour` counts from the epoch, in UTC. Node 0 has what others have left.
  `CREATE TABLE rollup (
  hour int NOT NULL,
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
  PRIMARY KEY (hour, key_id, team, provider, model, tags, node)
) ${busy}`,
  "CREATE INDEX rollup_unmerged ON rollup (hour) WHERE node <> 0",
  "CREATE INDEX rollup_by_key ON rollup (key_id, hour)",
  "CREATE INDEX rollup_by_team ON rollup (team, hour)",

  // What was spent of budgets, by quarters of an hour: windows begin at one in every time zone. `scope`: key:<id> or team:<name>.
  `CREATE TABLE spend (
  scope ${text} NOT NULL,
  slot int NOT NULL,
  node int NOT NULL,
  cost bigint NOT NULL,
  PRIMARY KEY (scope, slot, node)
) ${busy}`,
  "CREATE INDEX spend_unmerged ON spend (slot) WHERE node <> 0",
  // Windows that were asked for or charged.
  `CREATE TABLE budget_windows (
  scope ${text} NOT NULL,
  "window" ${text} NOT NULL,
  start bigint NOT NULL,
  PRIMARY KEY (scope, "window", start)
)`,

  // A row is a page of receipts that were written together.
  `CREATE TABLE receipts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  first_request ${text} NOT NULL,
  last_request ${text} NOT NULL,
  ended_at bigint NOT NULL,
  body ${text} NOT NULL
)`,
  "CREATE INDEX receipts_by_request ON receipts (last_request, first_request)",
  `CREATE TABLE feedback (
  page bigint NOT NULL REFERENCES receipts ON DELETE CASCADE,
  request_id ${text} NOT NULL,
  score float8 NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (page, request_id)
)`,
  `CREATE TABLE kept_prompts (
  page bigint NOT NULL REFERENCES receipts ON DELETE CASCADE,
  request_id ${text} NOT NULL,
  feature_set ${text},
  body ${text} NOT NULL,
  PRIMARY KEY (page, request_id)
)`,

  // The lowest id is the oldest. `bytes`: of input and body.
  `CREATE TABLE responses (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id ${text} NOT NULL,
  response_id ${text} NOT NULL,
  parent ${text},
  created_at bigint NOT NULL,
  bytes bigint NOT NULL,
  input ${text} NOT NULL,
  body ${text} NOT NULL,
  UNIQUE (key_id, response_id)
)`,
  `CREATE TABLE response_items (
  key_id ${text} NOT NULL,
  item_id ${text} NOT NULL,
  response bigint NOT NULL REFERENCES responses ON DELETE CASCADE,
  PRIMARY KEY (key_id, item_id, response)
)`,
  "CREATE INDEX response_items_by_response ON response_items (response)",

  // What all of them take together is the sum over the shares: one row would make everybody wait for everybody.
  "CREATE TABLE response_bytes (share int PRIMARY KEY, total bigint NOT NULL)",
  "INSERT INTO response_bytes SELECT share, 0 FROM generate_series(0, 63) AS share",

  `CREATE TABLE kept_answers (
  id ${text} PRIMARY KEY,
  request ${text} NOT NULL,
  kept_at bigint NOT NULL,
  kind ${text} NOT NULL,
  headers ${text} NOT NULL,
  body bytea NOT NULL
)`,
  "CREATE INDEX kept_answers_by_age ON kept_answers (kept_at)",

  `CREATE TABLE admin_sessions (
  id ${text} NOT NULL UNIQUE,
  cookie_hash ${text} PRIMARY KEY,
  token_hash ${text} NOT NULL,
  binding ${text} NOT NULL,
  role ${text} NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  address ${text} NOT NULL
)`,

  `CREATE TABLE traffic (
  cut ${text} NOT NULL,
  grain ${text} NOT NULL,
  start bigint NOT NULL,
  key_id ${text} NOT NULL,
  team ${text} NOT NULL,
  dimensions ${text} NOT NULL,
  sums ${text} NOT NULL,
  PRIMARY KEY (cut, grain, start, dimensions)
)`,
  "CREATE INDEX traffic_by_key ON traffic (key_id, grain, start) WHERE key_id <> ''",
  "CREATE INDEX traffic_by_team ON traffic (team, grain, start) WHERE team <> ''",

  `CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  actor_kind ${text} NOT NULL,
  actor ${text} NOT NULL,
  address ${text} NOT NULL,
  action ${text} NOT NULL,
  target ${text} NOT NULL,
  before ${text} NOT NULL,
  after ${text} NOT NULL
)`,
  `CREATE FUNCTION audit_stays_as_it_is() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'the audit log is never changed'; END $$`,
  `CREATE TRIGGER audit_stays_as_it_is BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION audit_stays_as_it_is()`,

  `CREATE TABLE alert_marks (
  id ${text} PRIMARY KEY,
  raised_at bigint NOT NULL,
  done_at bigint,
  url ${text} NOT NULL,
  body ${text} NOT NULL
)`
])
