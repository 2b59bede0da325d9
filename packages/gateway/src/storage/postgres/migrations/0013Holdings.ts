/** What each key holds of stored and kept responses, so that quotas are checked without reading them. */
import { migration } from "../../migrations/Migration.ts"

const text = `text COLLATE "C"`

export const holdings = migration([
  // Answers of before have no key. They are gone after a day.
  `ALTER TABLE kept_answers ADD COLUMN key_id ${text} NOT NULL DEFAULT '', ADD COLUMN bytes bigint NOT NULL DEFAULT 0`,
  "UPDATE kept_answers SET bytes = length(body) + octet_length(headers)",
  "CREATE INDEX kept_answers_by_key ON kept_answers (key_id, kept_at)",
  // A key's oldest response is that with the lowest id.
  "CREATE INDEX responses_by_key_age ON responses (key_id, id)",
  // `kind`: `response` or `answer`.
  `CREATE TABLE holdings (kind ${text}, key_id ${text}, bytes bigint NOT NULL, PRIMARY KEY (kind, key_id))`,
  "CREATE INDEX holdings_by_size ON holdings (kind, bytes)",
  // What all keys hold is the sum over the shares: one row would make everybody wait for everybody. Responses have response_bytes.
  "CREATE TABLE kept_bytes (share int PRIMARY KEY, total bigint NOT NULL)",
  "INSERT INTO kept_bytes SELECT share, 0 FROM generate_series(0, 63) AS share",
  `INSERT INTO holdings SELECT 'response', key_id, sum(bytes) FROM responses GROUP BY key_id`,
  `INSERT INTO holdings SELECT 'answer', key_id, sum(bytes) FROM kept_answers GROUP BY key_id`,
  "UPDATE kept_bytes SET total = (SELECT coalesce(sum(bytes), 0) FROM kept_answers) WHERE share = 0",
  // Once for each statement and key: rows are locked in one order, the key's and then a share of all.
  `CREATE FUNCTION count_held(p_kind text, p_key text, p_bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO holdings AS h VALUES (p_kind, p_key, p_bytes)
    ON CONFLICT (kind, key_id) DO UPDATE SET bytes = h.bytes + excluded.bytes;
  IF p_bytes < 0 THEN DELETE FROM holdings WHERE kind = p_kind AND key_id = p_key AND bytes <= 0; END IF;
  IF p_kind = 'answer' THEN
    UPDATE kept_bytes SET total = total + p_bytes WHERE share = pg_backend_pid() % 64;
  END IF;
END $$`,
  `CREATE FUNCTION rows_held() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE held record;
BEGIN
  FOR held IN SELECT key_id, sum(bytes)::bigint AS bytes FROM changed GROUP BY key_id ORDER BY key_id LOOP
    PERFORM count_held(TG_ARGV[0], held.key_id, CASE TG_OP WHEN 'INSERT' THEN held.bytes ELSE -held.bytes END);
  END LOOP;
  RETURN NULL;
END $$`,
  ...[
    ["responses", "response"],
    ["kept_answers", "answer"]
  ].flatMap(([table, kind]) => [
    `CREATE TRIGGER held AFTER INSERT ON ${table} REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION rows_held('${kind}')`,
    `CREATE TRIGGER freed AFTER DELETE ON ${table} REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION rows_held('${kind}')`
  ])
])
