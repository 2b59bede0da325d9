/** What an attempt costs if nothing is written, and how fast that grows. Rows from before have neither: only their reservation is known. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const growth = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE ledger ADD COLUMN fixed INTEGER")
  yield* sql.unsafe("ALTER TABLE ledger ADD COLUMN per_second INTEGER")
})
