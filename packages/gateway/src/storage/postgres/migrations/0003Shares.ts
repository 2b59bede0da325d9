/**
 * Shares of limits among gateways, see `core/grants`. A row is what one gateway alone gives out of a limit: only that gateway writes it, and
 * always says how much it is, so that saying it twice changes nothing. What grows is decided here, one after the other for each limit.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const text = `text COLLATE "C"`

const tables = [
  // `moved` numbers what a gateway says of its shares, so that what was said before never comes later. `engine`: the start of the server that
  // it has told what it holds; another one may lack what was granted last. `alone`: no other may work beside it.
  `ALTER TABLE nodes ADD COLUMN moved bigint NOT NULL DEFAULT 0, ADD COLUMN alone boolean NOT NULL DEFAULT true,
  ADD COLUMN engine timestamptz NOT NULL DEFAULT pg_postmaster_start_time()`,
  // As `ShareName`: `start` is 0 of a rate. `free_at`: of a gateway that is gone, whose requests count until then.
  `CREATE TABLE shares (
  scope ${text} NOT NULL,
  kind ${text} NOT NULL,
  start bigint NOT NULL,
  node int NOT NULL,
  amount bigint NOT NULL,
  free_at timestamptz,
  PRIMARY KEY (scope, kind, start, node)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01)`,
  "CREATE INDEX shares_by_node ON shares (node)"
]

/** What a gateway's shares are now. Never more than before: nobody has to wait for it. */
const set = `
  DELETE FROM shares AS s USING json_to_recordset(p_shares) AS x(scope text, kind text, start bigint, amount bigint)
    WHERE x.amount <= 0 AND s.node = p_node AND s.scope = x.scope AND s.kind = x.kind AND s.start = x.start;
  INSERT INTO shares AS s (scope, kind, start, node, amount)
    SELECT scope, kind, start, p_node, amount
    FROM json_to_recordset(p_shares) AS x(scope text, kind text, start bigint, amount bigint) WHERE amount > 0
    ON CONFLICT (scope, kind, start, node) DO UPDATE SET amount = excluded.amount;`

/** The channel on which a gateway is called. */
const channel = (node: string) => `left('model_gateway_' || ${node} || '_' || current_schema(), 63)`

const functions = [
  // `p_shares`: what has changed of its shares, absolutely. `p_told`: answers to who had called something back, told when that is there.
  // `p_asks`: questions; `held` is what it holds, `first` and `last` the quarters of an hour of a budget's window, null of a rate, `call`
  // names the call to those who hold it, where there is not enough. The first row is of number -1, and says in `room` how many have not told
  // this server what they hold: nothing is granted before. No row: the gateway was taken for dead, or has said something newer.
  `CREATE FUNCTION move_shares(p_node int, p_number bigint, p_shares json, p_told json, p_asks json)
RETURNS TABLE (n int, granted bigint, room bigint, spent bigint, holders int[], free_in_ms float8) LANGUAGE plpgsql AS $$
DECLARE
  one record; members int; taken numeric; left_over numeric; is_granted boolean := false;
BEGIN
  UPDATE nodes SET moved = p_number WHERE id = p_node AND moved < p_number;
  IF NOT FOUND THEN RETURN; END IF;
  ${set}
  PERFORM pg_notify(${channel("x.node")}, json_build_object('answer', x.call, 'from', p_node, 'freeInMs', x.free_in_ms)::text)
    FROM json_to_recordset(p_told) AS x(node int, call bigint, free_in_ms float8);
  SELECT count(*), count(*) FILTER (WHERE engine <> pg_postmaster_start_time()) INTO members, room FROM nodes;
  n := -1; granted := 0; spent := 0;
  RETURN NEXT;
  IF room = 0 THEN
    PERFORM pg_advisory_xact_lock(h) FROM (SELECT DISTINCT hashtextextended(concat_ws('|', current_schema(), scope, kind, start), 0) AS h
      FROM json_to_recordset(p_asks) AS x(scope text, kind text, start bigint) ORDER BY 1) AS locks;
    FOR one IN SELECT * FROM json_to_recordset(p_asks) AS x(n int, scope text, kind text, start bigint, first int, last int, held bigint,
      most bigint, need bigint, partly boolean, want bigint, call bigint) ORDER BY x.n LOOP
      n := one.n; granted := 0;
      -- In one step: what moves from a share to what is spent meanwhile is seen in one of them, and once.
      SELECT coalesce(sum(s.amount), 0),
        array_agg(s.node) FILTER (WHERE s.free_at IS NULL AND s.amount > 0 AND s.node <> p_node),
        min(extract(epoch FROM s.free_at - clock_timestamp())) * 1000,
        CASE WHEN one.first IS NULL THEN 0 ELSE (SELECT coalesce(sum(b.cost), 0) FROM spend AS b
          WHERE b.scope = one.scope AND b.slot >= one.first AND b.slot < one.last) END
        INTO taken, holders, free_in_ms, spent
        FROM shares AS s WHERE s.scope = one.scope AND s.kind = one.kind AND s.start = one.start
          AND (s.free_at IS NULL OR s.free_at > clock_timestamp());
      left_over := one.most - taken - spent;
      IF left_over > 0 AND (left_over >= one.need OR one.partly) THEN
        -- The next who asks finds some, too.
        granted := least(left_over, greatest(one.need, least(one.want, trunc(left_over / (2 * members)))));
        is_granted := true;
        INSERT INTO shares AS s (scope, kind, start, node, amount)
          VALUES (one.scope, one.kind, one.start, p_node, greatest(0, one.held + granted))
          ON CONFLICT (scope, kind, start, node) DO UPDATE SET amount = excluded.amount;
      END IF;
      room := greatest(0, left_over - granted);
      IF granted >= one.need OR one.call IS NULL THEN holders := NULL; END IF;
      PERFORM pg_notify(${channel("node")}, json_build_object('call', one.call, 'from', p_node, 'scope', one.scope, 'kind', one.kind,
        'start', one.start, 'need', one.need - granted)::text) FROM unnest(holders) AS node;
      RETURN NEXT;
    END LOOP;
  END IF;
  -- What a crash takes back of the rest is only what others could have had.
  IF NOT is_granted THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
END $$`,
  // All that a gateway holds, in place of what this server has. False: it was taken for dead.
  `CREATE FUNCTION declare_shares(p_node int, p_number bigint, p_shares json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE nodes SET moved = greatest(moved, p_number), engine = pg_postmaster_start_time() WHERE id = p_node;
  IF NOT FOUND THEN RETURN false; END IF;
  DELETE FROM shares WHERE node = p_node;
  ${set}
  RETURN true;
END $$`,
  // Of gateways that are gone. What is spent and who runs is free at once; requests count for a minute, under the number below zero, so that
  // one that joins anew has none of it.
  `CREATE FUNCTION free_shares() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH gone AS (
    DELETE FROM shares AS s WHERE s.node > 0 AND NOT EXISTS (SELECT FROM nodes AS n WHERE n.id = s.node) RETURNING s.*
  ) INSERT INTO shares AS s (scope, kind, start, node, amount, free_at)
    SELECT scope, kind, start, -node, amount, clock_timestamp() + interval '60 seconds' FROM gone WHERE kind IN ('rpm', 'tpm', 'feedback')
    ON CONFLICT (scope, kind, start, node) DO UPDATE SET amount = s.amount + excluded.amount, free_at = excluded.free_at;
  DELETE FROM shares WHERE node < 0 AND free_at < clock_timestamp();
END $$`
]

export const shares = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach([...tables, ...functions], (statement) => sql.unsafe(statement), { discard: true })
})
