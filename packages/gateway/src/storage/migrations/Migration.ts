import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A migration that runs these statements in order. */
export const migration = (statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  )
