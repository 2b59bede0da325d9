/** People who sign in, their roles, and service tokens. The statements are the same in Postgres. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Who is erased has no issuer, and the id as subject.
  `CREATE TABLE people (
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
)`,
  // `team`: '' for a role in the whole gateway. `source`: 'manual' or 'idp:<provider>'.
  `CREATE TABLE assignments (
  person TEXT NOT NULL,
  team TEXT NOT NULL,
  source TEXT NOT NULL,
  role TEXT NOT NULL,
  PRIMARY KEY (person, team, source)
)`,
  "CREATE INDEX assignments_by_team ON assignments (team)",
  `CREATE TABLE service_tokens (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  team TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  last_used_at BIGINT
)`,
  // Hashes; a code lives for a minute.
  `CREATE TABLE sign_in_codes (
  hash TEXT PRIMARY KEY,
  cookie_hash TEXT NOT NULL,
  person TEXT NOT NULL,
  expires_at BIGINT NOT NULL
)`,
  // '' for a session that the master key opened.
  "ALTER TABLE admin_sessions ADD COLUMN person TEXT NOT NULL DEFAULT ''"
]

export const identity = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
