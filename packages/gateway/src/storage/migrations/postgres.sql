-- migration 0001_start
-- The first schema. Times are epoch milliseconds, money is whole nano-USD, "" means none where a column is part of a key. Every
-- row that a request writes belongs to one node, so that nodes never wait for each other's rows. Texts are compared as bytes, as
-- in every store.

CREATE TABLE meta (name text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);

-- Gateways at work. `beats` grows with each sign of life, `flushed` with each group of the ledger's; `seen` is the newest change
-- that is in force there. `space` and `pid` name its process to others on the same machine.
CREATE TABLE nodes (
  id int PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  pid int NOT NULL,
  lease_ms int NOT NULL,
  joined_at timestamptz NOT NULL DEFAULT now(),
  beats bigint NOT NULL DEFAULT 0,
  flushed bigint NOT NULL DEFAULT 0,
  seen bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

-- Numbers are given out in the order of the commits: who takes one holds a lock until then.
CREATE TABLE changes (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, node int NOT NULL, what text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL);

-- As in every store: `seq` orders keys of the same millisecond; `search` is id and name in lower case. JSON stays text: it comes
-- back as it was.
CREATE TABLE keys (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  name text COLLATE "C",
  team text COLLATE "C",
  models text COLLATE "C" NOT NULL,
  limits text COLLATE "C" NOT NULL,
  budgets text COLLATE "C" NOT NULL,
  tags text COLLATE "C" NOT NULL,
  metadata text COLLATE "C" NOT NULL,
  on_unknown_price text COLLATE "C" NOT NULL,
  disabled smallint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  secrets text COLLATE "C" NOT NULL,
  search text COLLATE "C" NOT NULL
);

CREATE INDEX keys_by_age ON keys (created_at, seq);

CREATE INDEX keys_by_team ON keys (team, created_at, seq);

CREATE INDEX keys_revoked ON keys (created_at, seq) WHERE revoked_at IS NOT NULL;

CREATE TABLE teams (
  name text COLLATE "C" PRIMARY KEY,
  limits text COLLATE "C" NOT NULL,
  budgets text COLLATE "C" NOT NULL,
  updated_at bigint NOT NULL,
  search text COLLATE "C" NOT NULL
);

CREATE TABLE disabled_deployments (deployment text COLLATE "C" PRIMARY KEY);

-- Attempts under way: their worst case is booked when their node dies.
CREATE TABLE attempts_open (
  id bigint NOT NULL,
  node int NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  attempt int NOT NULL,
  at bigint NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  team text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  deployment text COLLATE "C" NOT NULL,
  tags text COLLATE "C" NOT NULL,
  reserved bigint NOT NULL,
  price_source text COLLATE "C",
  price_version text COLLATE "C",
  operation text COLLATE "C" NOT NULL,
  baseline bigint,
  PRIMARY KEY (node, id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

-- Attempts that have ended, only ever added to. Rows come nearly in the order of their times, so the smallest of indexes finds
-- them. `counts`: 0 nothing, 1 a request, 2 a failed request. Columns of usage come with `usageColumns`.
CREATE TABLE ledger (
  id bigint NOT NULL,
  node int NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  attempt int NOT NULL,
  at bigint NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  team text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  deployment text COLLATE "C" NOT NULL,
  tags text COLLATE "C" NOT NULL,
  reserved bigint NOT NULL,
  price_source text COLLATE "C",
  price_version text COLLATE "C",
  operation text COLLATE "C" NOT NULL,
  baseline bigint,
  status text COLLATE "C" NOT NULL,
  settled_at bigint NOT NULL,
  cost bigint NOT NULL,
  estimated boolean NOT NULL,
  counts smallint NOT NULL,
  service_tier text COLLATE "C"
) PARTITION BY RANGE (at);

CREATE INDEX ledger_by_time ON ledger USING brin (at) WITH (pages_per_range = 32);

CREATE TABLE ledger_rest PARTITION OF ledger DEFAULT;

-- `hour` counts from the epoch, in UTC. Node 0 has what others have left.
CREATE TABLE rollup (
  hour int NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  team text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  tags text COLLATE "C" NOT NULL,
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
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

CREATE INDEX rollup_unmerged ON rollup (hour) WHERE node <> 0;

CREATE INDEX rollup_by_key ON rollup (key_id, hour);

CREATE INDEX rollup_by_team ON rollup (team, hour);

-- What was spent of budgets, by quarters of an hour: windows begin at one in every time zone. `scope`: key:<id> or team:<name>.
CREATE TABLE spend (
  scope text COLLATE "C" NOT NULL,
  slot int NOT NULL,
  node int NOT NULL,
  cost bigint NOT NULL,
  PRIMARY KEY (scope, slot, node)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

CREATE INDEX spend_unmerged ON spend (slot) WHERE node <> 0;

-- Windows that were asked for or charged.
CREATE TABLE budget_windows (
  scope text COLLATE "C" NOT NULL,
  "window" text COLLATE "C" NOT NULL,
  start bigint NOT NULL,
  PRIMARY KEY (scope, "window", start)
);

-- A row is a page of receipts that were written together.
CREATE TABLE receipts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  first_request text COLLATE "C" NOT NULL,
  last_request text COLLATE "C" NOT NULL,
  ended_at bigint NOT NULL,
  body text COLLATE "C" NOT NULL
);

CREATE INDEX receipts_by_request ON receipts (last_request, first_request);

CREATE TABLE feedback (
  page bigint NOT NULL REFERENCES receipts ON DELETE CASCADE,
  request_id text COLLATE "C" NOT NULL,
  score float8 NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (page, request_id)
);

CREATE TABLE kept_prompts (
  page bigint NOT NULL REFERENCES receipts ON DELETE CASCADE,
  request_id text COLLATE "C" NOT NULL,
  feature_set text COLLATE "C",
  body text COLLATE "C" NOT NULL,
  PRIMARY KEY (page, request_id)
);

-- The lowest id is the oldest. `bytes`: of input and body.
CREATE TABLE responses (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id text COLLATE "C" NOT NULL,
  response_id text COLLATE "C" NOT NULL,
  parent text COLLATE "C",
  created_at bigint NOT NULL,
  bytes bigint NOT NULL,
  input text COLLATE "C" NOT NULL,
  body text COLLATE "C" NOT NULL,
  UNIQUE (key_id, response_id)
);

CREATE TABLE response_items (
  key_id text COLLATE "C" NOT NULL,
  item_id text COLLATE "C" NOT NULL,
  response bigint NOT NULL REFERENCES responses ON DELETE CASCADE,
  PRIMARY KEY (key_id, item_id, response)
);

CREATE INDEX response_items_by_response ON response_items (response);

-- What all of them take together is the sum over the shares: one row would make everybody wait for everybody.
CREATE TABLE response_bytes (share int PRIMARY KEY, total bigint NOT NULL);

INSERT INTO response_bytes SELECT share, 0 FROM generate_series(0, 63) AS share;

CREATE TABLE kept_answers (
  id text COLLATE "C" PRIMARY KEY,
  request text COLLATE "C" NOT NULL,
  kept_at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  headers text COLLATE "C" NOT NULL,
  body bytea NOT NULL
);

CREATE INDEX kept_answers_by_age ON kept_answers (kept_at);

CREATE TABLE admin_sessions (
  id text COLLATE "C" NOT NULL UNIQUE,
  cookie_hash text COLLATE "C" PRIMARY KEY,
  token_hash text COLLATE "C" NOT NULL,
  binding text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  address text COLLATE "C" NOT NULL
);

CREATE TABLE traffic (
  cut text COLLATE "C" NOT NULL,
  grain text COLLATE "C" NOT NULL,
  start bigint NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  team text COLLATE "C" NOT NULL,
  dimensions text COLLATE "C" NOT NULL,
  sums text COLLATE "C" NOT NULL,
  PRIMARY KEY (cut, grain, start, dimensions)
);

CREATE INDEX traffic_by_key ON traffic (key_id, grain, start) WHERE key_id <> '';

CREATE INDEX traffic_by_team ON traffic (team, grain, start) WHERE team <> '';

CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  actor_kind text COLLATE "C" NOT NULL,
  actor text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  before text COLLATE "C" NOT NULL,
  after text COLLATE "C" NOT NULL
);

CREATE FUNCTION audit_stays_as_it_is() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'the audit log is never changed'; END $$;

CREATE TRIGGER audit_stays_as_it_is BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION audit_stays_as_it_is();

CREATE TABLE alert_marks (
  id text COLLATE "C" PRIMARY KEY,
  raised_at bigint NOT NULL,
  done_at bigint,
  url text COLLATE "C" NOT NULL,
  body text COLLATE "C" NOT NULL
);

-- migration 0002_reports
-- What gateways report of themselves. `heard_at` is by the server's clock.

ALTER TABLE nodes
    ADD COLUMN version text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN lag_ms bigint NOT NULL DEFAULT 0,
    ADD COLUMN shares int NOT NULL DEFAULT 0,
    ADD COLUMN is_refusing boolean NOT NULL DEFAULT false,
    ADD COLUMN heard_at timestamptz NOT NULL DEFAULT now();

-- migration 0003_shares
-- Shares of limits among gateways, see `core/grants`. A row is what one gateway alone gives out of a limit: only that gateway
-- writes it, and always says how much it is, so that saying it twice changes nothing. What grows is decided in the database, one
-- after the other for each limit.

-- `moved` numbers what a gateway says of its shares, so that what was said before never comes later. `engine`: the start of the
-- server that it has told what it holds; another one may lack what was granted last. `alone`: no other may work beside it.
ALTER TABLE nodes ADD COLUMN moved bigint NOT NULL DEFAULT 0, ADD COLUMN alone boolean NOT NULL DEFAULT true,
  ADD COLUMN engine timestamptz NOT NULL DEFAULT pg_postmaster_start_time();

-- As `ShareName`: `start` is 0 of a rate. `free_at`: of a gateway that is gone, whose requests count until then.
CREATE TABLE shares (
  scope text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  start bigint NOT NULL,
  node int NOT NULL,
  amount bigint NOT NULL,
  free_at timestamptz,
  PRIMARY KEY (scope, kind, start, node)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

CREATE INDEX shares_by_node ON shares (node);

-- migration 0004_running_requests
-- Requests with an `Idempotency-Key` that run, each at one gateway: whoever repeats one elsewhere is told so.

-- `claim` numbers those of a gateway, so that what one gives up late is not another's. `request`: the hash of the body.
CREATE TABLE running_requests (
  id text COLLATE "C" PRIMARY KEY,
  node int NOT NULL,
  claim bigint NOT NULL,
  request text COLLATE "C" NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

CREATE INDEX running_requests_by_node ON running_requests (node);

-- What there is of a request: the answer that was kept, who runs it, or from now on this gateway ("first"). An answer is kept in
-- the step that ends its claim, so whoever gets the claim after that finds the answer. No row: the gateway was taken for dead.
CREATE FUNCTION claim_request(p_id text, p_node int, p_claim bigint, p_request text, p_since bigint)
RETURNS TABLE (found text, request text, kind text, headers text, body bytea) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  LOOP
    RETURN QUERY SELECT 'kept'::text, k.request::text, k.kind::text, k.headers::text, k.body FROM kept_answers AS k
      WHERE k.id = p_id AND k.kept_at >= p_since;
    IF FOUND OR NOT EXISTS (SELECT FROM nodes AS n WHERE n.id = p_node) THEN RETURN; END IF;
    INSERT INTO running_requests AS r (id, node, claim, request) VALUES (p_id, p_node, p_claim, p_request)
      ON CONFLICT (id) DO UPDATE SET node = excluded.node, claim = excluded.claim, request = excluded.request
      WHERE r.node = p_node OR NOT EXISTS (SELECT FROM nodes AS n WHERE n.id = r.node);
    IF FOUND THEN
      RETURN QUERY SELECT 'kept'::text, k.request::text, k.kind::text, k.headers::text, k.body FROM kept_answers AS k
        WHERE k.id = p_id AND k.kept_at >= p_since;
      IF FOUND THEN
        DELETE FROM running_requests AS r WHERE r.id = p_id AND r.node = p_node AND r.claim = p_claim;
      ELSE
        RETURN QUERY SELECT 'first'::text, NULL::text, NULL::text, NULL::text, NULL::bytea;
      END IF;
      RETURN;
    END IF;
    RETURN QUERY SELECT 'running'::text, r.request::text, NULL::text, NULL::text, NULL::bytea FROM running_requests AS r
      WHERE r.id = p_id;
    -- It has ended in between: it is looked at anew.
    IF FOUND THEN RETURN; END IF;
  END LOOP;
END $$;

-- Of gateways that are gone. What is spent and who runs is free at once; requests count for a minute, under the number below
-- zero, so that one that joins anew has none of it. What they ran may be sent again.
CREATE OR REPLACE FUNCTION free_shares() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH gone AS (
    DELETE FROM shares AS s WHERE s.node > 0 AND NOT EXISTS (SELECT FROM nodes AS n WHERE n.id = s.node) RETURNING s.*
  ) INSERT INTO shares AS s (scope, kind, start, node, amount, free_at)
    SELECT scope, kind, start, -node, amount, clock_timestamp() + interval '60 seconds' FROM gone WHERE kind IN ('rpm', 'tpm', 'feedback')
    ON CONFLICT (scope, kind, start, node) DO UPDATE SET amount = s.amount + excluded.amount, free_at = excluded.free_at;
  DELETE FROM shares WHERE node < 0 AND free_at < clock_timestamp();
  DELETE FROM running_requests AS r WHERE NOT EXISTS (SELECT FROM nodes AS n WHERE n.id = r.node);
END $$;

-- migration 0005_any_number
-- Any number of gateways may share a store.

ALTER TABLE nodes DROP COLUMN alone;

-- migration 0007_overdrawn
-- How shares grow. What one has used beyond its share of a rate is granted whether there is room or not. Without room the limit
-- is overdrawn, and all who hold some of it are told.

ALTER TABLE shares ADD COLUMN most bigint;

CREATE OR REPLACE FUNCTION move_shares(p_node int, p_number bigint, p_shares json, p_told json, p_asks json)
RETURNS TABLE (n int, granted bigint, room bigint, spent bigint, holders int[], free_in_ms float8) LANGUAGE plpgsql AS $$
DECLARE
  one record; members int; taken numeric; left_over numeric; missing numeric; lowest numeric; is_granted boolean := false;
BEGIN
  UPDATE nodes SET moved = p_number WHERE id = p_node AND moved < p_number;
  IF NOT FOUND THEN RETURN; END IF;
  DELETE FROM shares AS s USING json_to_recordset(p_shares) AS x(scope text, kind text, start bigint, amount bigint)
    WHERE x.amount <= 0 AND s.node = p_node AND s.scope = x.scope AND s.kind = x.kind AND s.start = x.start;
  INSERT INTO shares AS s (scope, kind, start, node, amount)
    SELECT scope, kind, start, p_node, amount
    FROM json_to_recordset(p_shares) AS x(scope text, kind text, start bigint, amount bigint) WHERE amount > 0
    ON CONFLICT (scope, kind, start, node) DO UPDATE SET amount = excluded.amount;
  PERFORM pg_notify(left('model_gateway_' || x.node || '_' || current_schema(), 63), json_build_object('answer', x.call, 'from', p_node, 'freeInMs', x.free_in_ms)::text)
    FROM json_to_recordset(p_told) AS x(node int, call bigint, free_in_ms float8);
  SELECT count(*), count(*) FILTER (WHERE engine <> pg_postmaster_start_time()) INTO members, room FROM nodes;
  n := -1; granted := 0; spent := 0;
  RETURN NEXT;
  IF room = 0 THEN
    PERFORM pg_advisory_xact_lock(h) FROM (SELECT DISTINCT hashtextextended(concat_ws('|', current_schema(), scope, kind, start), 0) AS h
      FROM json_to_recordset(p_asks) AS x(scope text, kind text, start bigint) ORDER BY 1) AS locks;
    FOR one IN SELECT * FROM json_to_recordset(p_asks) AS x(n int, scope text, kind text, start bigint, first int, last int, held bigint,
      most bigint, need bigint, partly boolean, want bigint, call bigint, owed boolean) ORDER BY x.n LOOP
      n := one.n; granted := 0;
      -- In one step: what moves from a share to what is spent meanwhile is seen in one of them, and once.
      SELECT coalesce(sum(s.amount), 0),
        array_agg(s.node) FILTER (WHERE s.free_at IS NULL AND s.amount > 0 AND s.node <> p_node),
        min(extract(epoch FROM s.free_at - clock_timestamp())) * 1000,
        CASE WHEN one.first IS NULL THEN 0 ELSE (SELECT coalesce(sum(b.cost), 0) FROM spend AS b
          WHERE b.scope = one.scope AND b.slot >= one.first AND b.slot < one.last) END,
        min(s.most)
        INTO taken, holders, free_in_ms, spent, lowest
        FROM shares AS s WHERE s.scope = one.scope AND s.kind = one.kind AND s.start = one.start
          AND (s.free_at IS NULL OR s.free_at > clock_timestamp());
      -- Who owes may not know of a limit that was lowered meanwhile.
      left_over := CASE WHEN one.owed THEN least(one.most, lowest) ELSE one.most END - taken - spent;
      IF one.owed THEN
        granted := one.need;
      ELSIF left_over > 0 AND (left_over >= one.need OR one.partly) THEN
        -- The next who asks finds some, too.
        granted := least(left_over, greatest(one.need, least(one.want, trunc(left_over / (2 * members)))));
      END IF;
      IF granted > 0 THEN
        is_granted := true;
        INSERT INTO shares AS s (scope, kind, start, node, amount, most)
          VALUES (one.scope, one.kind, one.start, p_node, greatest(0, one.held + granted), CASE WHEN NOT one.owed THEN one.most END)
          ON CONFLICT (scope, kind, start, node) DO UPDATE SET amount = excluded.amount, most = coalesce(excluded.most, s.most);
      END IF;
      room := greatest(0, left_over - granted);
      missing := CASE WHEN one.owed THEN granted - left_over ELSE one.need - granted END;
      IF missing <= 0 OR one.call IS NULL THEN holders := NULL; END IF;
      PERFORM pg_notify(left('model_gateway_' || holder || '_' || current_schema(), 63), json_build_object('call', one.call, 'from', p_node, 'scope', one.scope, 'kind', one.kind,
        'start', one.start, 'need', missing, 'overdrawn', coalesce(one.owed, false))::text) FROM unnest(holders) AS holder;
      RETURN NEXT;
    END LOOP;
  END IF;
  -- What a crash takes back of the rest is only what others could have had.
  IF NOT is_granted THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
END $$;

CREATE OR REPLACE FUNCTION declare_shares(p_node int, p_number bigint, p_shares json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE nodes SET moved = greatest(moved, p_number), engine = pg_postmaster_start_time() WHERE id = p_node;
  IF NOT FOUND THEN RETURN false; END IF;
  DELETE FROM shares AS s WHERE s.node = p_node AND NOT EXISTS (SELECT FROM json_to_recordset(p_shares) AS x(scope text, kind text, start bigint)
    WHERE s.scope = x.scope AND s.kind = x.kind AND s.start = x.start);
  DELETE FROM shares AS s USING json_to_recordset(p_shares) AS x(scope text, kind text, start bigint, amount bigint)
    WHERE x.amount <= 0 AND s.node = p_node AND s.scope = x.scope AND s.kind = x.kind AND s.start = x.start;
  INSERT INTO shares AS s (scope, kind, start, node, amount)
    SELECT scope, kind, start, p_node, amount
    FROM json_to_recordset(p_shares) AS x(scope text, kind text, start bigint, amount bigint) WHERE amount > 0
    ON CONFLICT (scope, kind, start, node) DO UPDATE SET amount = excluded.amount;
  RETURN true;
END $$;

-- migration 0013_holdings
-- What each key holds of stored and kept responses, so that quotas are checked without reading them.

-- Answers of before have no key. They are gone after a day.
ALTER TABLE kept_answers ADD COLUMN key_id text COLLATE "C" NOT NULL DEFAULT '', ADD COLUMN bytes bigint NOT NULL DEFAULT 0;

UPDATE kept_answers SET bytes = length(body) + octet_length(headers);

CREATE INDEX kept_answers_by_key ON kept_answers (key_id, kept_at);

-- A key's oldest response is that with the lowest id.
CREATE INDEX responses_by_key_age ON responses (key_id, id);

-- `kind`: `response` or `answer`.
CREATE TABLE holdings (kind text COLLATE "C", key_id text COLLATE "C", bytes bigint NOT NULL, PRIMARY KEY (kind, key_id));

CREATE INDEX holdings_by_size ON holdings (kind, bytes);

-- What all keys hold is the sum over the shares: one row would make everybody wait for everybody. Responses have response_bytes.
CREATE TABLE kept_bytes (share int PRIMARY KEY, total bigint NOT NULL);

INSERT INTO kept_bytes SELECT share, 0 FROM generate_series(0, 63) AS share;

INSERT INTO holdings SELECT 'response', key_id, sum(bytes) FROM responses GROUP BY key_id;

INSERT INTO holdings SELECT 'answer', key_id, sum(bytes) FROM kept_answers GROUP BY key_id;

UPDATE kept_bytes SET total = (SELECT coalesce(sum(bytes), 0) FROM kept_answers) WHERE share = 0;

-- Once for each statement and key: rows are locked in one order, the key's and then a share of all.
CREATE FUNCTION count_held(p_kind text, p_key text, p_bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO holdings AS h VALUES (p_kind, p_key, p_bytes)
    ON CONFLICT (kind, key_id) DO UPDATE SET bytes = h.bytes + excluded.bytes;
  IF p_bytes < 0 THEN DELETE FROM holdings WHERE kind = p_kind AND key_id = p_key AND bytes <= 0; END IF;
  IF p_kind = 'answer' THEN
    UPDATE kept_bytes SET total = total + p_bytes WHERE share = pg_backend_pid() % 64;
  END IF;
END $$;

CREATE FUNCTION rows_held() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE held record;
BEGIN
  FOR held IN SELECT key_id, sum(bytes)::bigint AS bytes FROM changed GROUP BY key_id ORDER BY key_id LOOP
    PERFORM count_held(TG_ARGV[0], held.key_id, CASE TG_OP WHEN 'INSERT' THEN held.bytes ELSE -held.bytes END);
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER held AFTER INSERT ON responses REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION rows_held('response');

CREATE TRIGGER freed AFTER DELETE ON responses REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION rows_held('response');

CREATE TRIGGER held AFTER INSERT ON kept_answers REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION rows_held('answer');

CREATE TRIGGER freed AFTER DELETE ON kept_answers REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION rows_held('answer');

-- migration 0014_growth
-- What an open attempt costs if nothing is written, and how fast that grows. Null in rows from before.

ALTER TABLE attempts_open ADD COLUMN fixed bigint, ADD COLUMN per_second bigint;

-- migration 0015_unknown_fields
-- What a key does under a budget with fields whose cost is not known.

ALTER TABLE keys ADD COLUMN unknown_fields TEXT NOT NULL DEFAULT 'remove';

-- migration 0016_summaries
-- Without it, reports of the last hours read all ranges of the ledger.

DO $$
DECLARE part regclass;
BEGIN
  FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'ledger_by_time'::regclass LOOP
    EXECUTE format('ALTER INDEX %s SET (autosummarize = on)', part);
  END LOOP;
END $$;

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

ALTER TABLE keys ADD COLUMN rules text COLLATE "C" NOT NULL DEFAULT 'null';

ALTER TABLE teams ADD COLUMN rules text COLLATE "C" NOT NULL DEFAULT 'null';

-- `body`: what was set, as JSON; `search` is id and name in lower case.
CREATE TABLE end_users (
  scope text COLLATE "C" PRIMARY KEY,
  owner text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  body text COLLATE "C" NOT NULL,
  updated_at bigint NOT NULL,
  search text COLLATE "C" NOT NULL
);

-- A JSON array of the names of all scopes beyond key and team; "" for none.
ALTER TABLE ledger ADD COLUMN subjects text COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE attempts_open ADD COLUMN subjects text COLLATE "C" NOT NULL DEFAULT '';

-- What was booked under each of those scopes, by quarters of an hour. The columns of tokens come with `PostgresUsageColumns`.
CREATE TABLE scope_rollup (
  scope text COLLATE "C" NOT NULL,
  slot int NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  team text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  tags text COLLATE "C" NOT NULL,
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
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

-- The schema that a gateway knows; 0: an older one than this.
ALTER TABLE nodes ADD COLUMN schema int NOT NULL DEFAULT 0;

CREATE INDEX scope_rollup_by_time ON scope_rollup (slot);

CREATE INDEX scope_rollup_unmerged ON scope_rollup (slot) WHERE node <> 0;

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

-- migration 0022_cache

-- Cached responses, without a log: empty after a crash of the server. `kept_at` is when an entry expires.
CREATE UNLOGGED TABLE cached_responses (
  id text COLLATE "C" PRIMARY KEY,
  request text COLLATE "C" NOT NULL,
  kept_at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  headers text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  body bytea NOT NULL
);

CREATE INDEX cached_responses_by_age ON cached_responses (kept_at);

CREATE INDEX cached_responses_by_key ON cached_responses (key_id, kept_at) INCLUDE (bytes);

CREATE VIEW cached_holdings AS SELECT 'cached' AS kind, key_id, sum(bytes)::bigint AS bytes
FROM cached_responses GROUP BY key_id;

-- migration 0023_blocks
-- `start` and `hours` count hours since the epoch, in UTC. `blocks` lists the blocks that may be read.

CREATE TABLE blocks (start int NOT NULL, hours int NOT NULL, PRIMARY KEY (start, hours));

CREATE TABLE block_rollup (start int NOT NULL, hours int NOT NULL, LIKE rollup INCLUDING DEFAULTS);

ALTER TABLE block_rollup DROP COLUMN hour, DROP COLUMN node, ADD PRIMARY KEY (start, hours, key_id, team, provider, model, tags);

-- migration 0024_cache
-- `used_at`: when an entry was stored or, roughly, used, in microseconds since the epoch.
ALTER TABLE cached_responses ADD COLUMN used_at bigint NOT NULL DEFAULT 0;

DROP INDEX cached_responses_by_key;

CREATE INDEX cached_responses_by_use ON cached_responses (key_id, used_at) INCLUDE (bytes);
