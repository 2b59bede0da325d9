/** What few rows have to say: classes of usage without a column of their own, and the service tier, as JSON. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const details = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE ledger ADD COLUMN details TEXT")
})
