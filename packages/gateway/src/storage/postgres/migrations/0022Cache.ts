/** Cached responses, without a log. After a crash of the server the tables are empty. */
import { migration } from "../../migrations/Migration.ts"

const text = `text COLLATE "C"`

export const cache = migration([
  `CREATE UNLOGGED TABLE cached_responses (
  id ${text} PRIMARY KEY,
  request ${text} NOT NULL,
  kept_at bigint NOT NULL,
  kind ${text} NOT NULL,
  headers ${text} NOT NULL,
  key_id ${text} NOT NULL,
  bytes bigint NOT NULL,
  body bytea NOT NULL
)`,
  "CREATE INDEX cached_responses_by_age ON cached_responses (kept_at)",
  "CREATE INDEX cached_responses_by_key ON cached_responses (key_id, kept_at)",
  `CREATE UNLOGGED TABLE cached_holdings (
  kind ${text} NOT NULL DEFAULT 'cached',
  key_id ${text} PRIMARY KEY,
  bytes bigint NOT NULL
)`,
  "CREATE INDEX cached_holdings_by_size ON cached_holdings (kind, bytes)",
  `CREATE FUNCTION cached_held() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE held record;
BEGIN
  FOR held IN SELECT key_id, sum(bytes)::bigint AS bytes FROM changed GROUP BY key_id ORDER BY key_id LOOP
    INSERT INTO cached_holdings AS h (key_id, bytes)
      VALUES (held.key_id, CASE TG_OP WHEN 'INSERT' THEN held.bytes ELSE -held.bytes END)
      ON CONFLICT (key_id) DO UPDATE SET bytes = h.bytes + excluded.bytes;
    DELETE FROM cached_holdings WHERE key_id = held.key_id AND bytes <= 0;
  END LOOP;
  RETURN NULL;
END $$`,
  `CREATE TRIGGER held AFTER INSERT ON cached_responses REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION cached_held()`,
  `CREATE TRIGGER freed AFTER DELETE ON cached_responses REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION cached_held()`
])
