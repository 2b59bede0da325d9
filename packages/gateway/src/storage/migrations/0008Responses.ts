/** Responses that are kept for `previous_response_id`, with an index of their items. */
import { migration } from "./Migration.ts"

export const responses = migration([
  // The long columns come last: a chain is followed without reading them. `bytes`: of both. The lowest id is the oldest.
  `CREATE TABLE responses (
  id INTEGER PRIMARY KEY,
  key_id TEXT NOT NULL,
  response_id TEXT NOT NULL,
  parent TEXT,
  created_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  input TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT`,
  "CREATE UNIQUE INDEX responses_by_key ON responses (key_id, response_id)",

  // `response`: the row of `responses`.
  `CREATE TABLE response_items (
  key_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  response INTEGER NOT NULL,
  PRIMARY KEY (key_id, item_id, response)
) STRICT, WITHOUT ROWID`,
  "CREATE INDEX response_items_by_response ON response_items (response)",

  // One row: what all of them take.
  "CREATE TABLE response_bytes (total INTEGER NOT NULL) STRICT",
  "INSERT INTO response_bytes VALUES (0)",
  `CREATE TRIGGER responses_insert AFTER INSERT ON responses BEGIN
    UPDATE response_bytes SET total = total + new.bytes;
  END`,
  `CREATE TRIGGER responses_delete AFTER DELETE ON responses BEGIN
    UPDATE response_bytes SET total = total - old.bytes;
    DELETE FROM response_items WHERE response = old.id;
  END`
])
