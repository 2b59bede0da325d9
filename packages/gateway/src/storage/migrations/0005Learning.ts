/** What learning needs, beside the receipts and for as long as them: what callers thought of answers, and prompts by choice. */
import { migration } from "./Migration.ts"

export const learning = migration([
  // `page`: the row of `receipts` that the request's receipt is on. With it goes what is known of its requests.
  `CREATE TABLE feedback (
  page INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  score REAL NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (page, request_id)
) STRICT, WITHOUT ROWID`,

  // `body` is JSON: the text of the prompt, or the numbers of `feature_set`.
  `CREATE TABLE kept_prompts (
  page INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  feature_set TEXT,
  body TEXT NOT NULL,
  PRIMARY KEY (page, request_id)
) STRICT, WITHOUT ROWID`,

  `CREATE TRIGGER receipts_delete AFTER DELETE ON receipts BEGIN
    DELETE FROM feedback WHERE page = old.id;
    DELETE FROM kept_prompts WHERE page = old.id;
  END`
])
