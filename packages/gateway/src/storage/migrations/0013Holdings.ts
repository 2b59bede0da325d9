/** What each key holds of stored and kept responses, so that quotas are checked without reading them. */
import { migration } from "./Migration.ts"

/** Counts the rows of a table, as `kind`, in its key's row and in the row of all keys. */
const counted = (table: string, kind: string) => [
  `INSERT INTO holdings SELECT '${kind}', key_id, sum(bytes) FROM ${table} GROUP BY key_id`,
  `INSERT INTO holdings SELECT 'all', '${kind}', coalesce(sum(bytes), 0) FROM ${table}`,
  `CREATE TRIGGER ${table}_held AFTER INSERT ON ${table} BEGIN
    INSERT INTO holdings VALUES ('${kind}', new.key_id, new.bytes)
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
    UPDATE holdings SET bytes = bytes + new.bytes WHERE kind = 'all' AND key_id = '${kind}';
  END`,
  `CREATE TRIGGER ${table}_freed AFTER DELETE ON ${table} BEGIN
    UPDATE holdings SET bytes = bytes - old.bytes WHERE kind = '${kind}' AND key_id = old.key_id;
    DELETE FROM holdings WHERE kind = '${kind}' AND key_id = old.key_id AND bytes <= 0;
    UPDATE holdings SET bytes = bytes - old.bytes WHERE kind = 'all' AND key_id = '${kind}';
  END`
]

export const holdings = migration([
  // Answers of before have no key. They are gone after a day.
  "ALTER TABLE kept_answers ADD COLUMN key_id TEXT NOT NULL DEFAULT ''",
  "ALTER TABLE kept_answers ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0",
  "UPDATE kept_answers SET bytes = length(body) + length(headers)",
  "CREATE INDEX kept_answers_by_key ON kept_answers (key_id, kept_at)",
  // A key's oldest response is that with the lowest id.
  "CREATE INDEX responses_by_key_age ON responses (key_id, id)",
  // `kind`: `response` or `answer`, of the key `key_id`; or `all`, of the kind `key_id`.
  `CREATE TABLE holdings (
  kind TEXT NOT NULL,
  key_id TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (kind, key_id)
) STRICT, WITHOUT ROWID`,
  "CREATE INDEX holdings_by_size ON holdings (kind, bytes)",
  ...counted("responses", "response"),
  ...counted("kept_answers", "answer")
])
