/** Answers to requests with an `Idempotency-Key`, for a day. */
import { migration } from "./Migration.ts"

export const idempotency = migration([
  // `id`: the hash of the caller's key, the endpoint and the `Idempotency-Key`; `request`: that of the body. Headers are JSON.
  `CREATE TABLE kept_answers (
  id TEXT NOT NULL UNIQUE,
  request TEXT NOT NULL,
  kept_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  headers TEXT NOT NULL,
  body BLOB NOT NULL
) STRICT`,
  `CREATE INDEX kept_answers_by_age ON kept_answers (kept_at)`
])
