/** Any number of gateways works on a store: none says any more that it is alone. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const anyNumber = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE nodes DROP COLUMN alone`
})
