/** Sessions of administrators in browsers. There are few: they are looked through rather than indexed. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const sessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`CREATE TABLE admin_sessions (
  id TEXT NOT NULL UNIQUE,
  cookie_hash TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL,
  binding TEXT NOT NULL,
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  address TEXT NOT NULL
) STRICT, WITHOUT ROWID`)
})
