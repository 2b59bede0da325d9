/** Tags that a key requires of the deployments that serve it, as JSON. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const require = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE keys ADD COLUMN require TEXT NOT NULL DEFAULT '{}'")
})
