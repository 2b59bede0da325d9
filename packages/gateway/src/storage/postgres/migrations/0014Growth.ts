/**
 * What an open attempt costs if nothing is written, and how fast that grows. Those from before have neither: only their reservation is
 * known.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const growth = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE attempts_open ADD COLUMN fixed bigint, ADD COLUMN per_second bigint`
})
