/** Requests with an `Idempotency-Key` that run, each at one gateway: whoever repeats one elsewhere is told so. */
import { migration } from "../../migrations/Migration.ts"

const text = `text COLLATE "C"`

export const runningRequests = migration([
  // `claim` numbers those of a gateway, so that what one gives up late is not another's. `request`: the hash of the body.
  `CREATE TABLE running_requests (
  id ${text} PRIMARY KEY,
  node int NOT NULL,
  claim bigint NOT NULL,
  request ${text} NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01)`,
  "CREATE INDEX running_requests_by_node ON running_requests (node)",
  // What there is of a request: the answer that was kept, who runs it, or from now on this gateway ("first"). An answer is kept in the
  // step that ends its claim, so whoever gets the claim after that finds the answer. No row: the gateway was taken for dead.
  `CREATE FUNCTION claim_request(p_id text, p_node int, p_claim bigint, p_request text, p_since bigint)
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
END $$`,
  // Of gateways that are gone. What is spent and who runs is free at once; requests count for a minute, under the number below zero, so that
  // one that joins anew has none of it. What they ran may be sent again.
  `CREATE OR REPLACE FUNCTION free_shares() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH gone AS (
    DELETE FROM shares AS s WHERE s.node > 0 AND NOT EXISTS (SELECT FROM nodes AS n WHERE n.id = s.node) RETURNING s.*
  ) INSERT INTO shares AS s (scope, kind, start, node, amount, free_at)
    SELECT scope, kind, start, -node, amount, clock_timestamp() + interval '60 seconds' FROM gone WHERE kind IN ('rpm', 'tpm', 'feedback')
    ON CONFLICT (scope, kind, start, node) DO UPDATE SET amount = s.amount + excluded.amount, free_at = excluded.free_at;
  DELETE FROM shares WHERE node < 0 AND free_at < clock_timestamp();
  DELETE FROM running_requests AS r WHERE NOT EXISTS (SELECT FROM nodes AS n WHERE n.id = r.node);
END $$`
])
