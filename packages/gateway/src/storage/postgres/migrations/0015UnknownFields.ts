/** What a key does under a budget with fields whose cost is not known. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const unknownFields = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE keys ADD COLUMN unknown_fields TEXT NOT NULL DEFAULT 'remove'")
})
