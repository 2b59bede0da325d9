/** What each row was for. Rows from before are chat: there was nothing else. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const operation = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE ledger ADD COLUMN operation TEXT NOT NULL DEFAULT 'chat'")
})
