/** Brings a SQLite store up to date. */
import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { migrationsIn } from "./SqlMigrations.ts"
import { usageColumns } from "./UsageColumns.ts"

const inFile = migrationsIn(new URL("./sqlite.sql", import.meta.url))

/** Copies the rows of a table that 0025 made anew, with the columns that `usageColumns` added. */
const copyScopes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* usageColumns
  const columns = yield* sql<{ name: string }>`SELECT name FROM pragma_table_info('scope_rollup_by_scope')`
  const names = columns.map(({ name }) => name).join(", ")
  yield* sql.unsafe(
    `INSERT INTO scope_rollup (${names}) SELECT ${names} FROM scope_rollup_by_scope ORDER BY slot, scope`
  )
  yield* sql`DROP TABLE scope_rollup_by_scope`
})

export const history: typeof inFile = {
  ...inFile,
  "0025_scopes": Effect.andThen(inFile["0025_scopes"]!, copyScopes)
}

/** The table in which `effect/sql` notes what was applied. */
export const TABLE = "effect_sql_migrations"

/** The highest migration this version knows. */
export const LATEST = Math.max(...Object.keys(history).map((name) => Number.parseInt(name, 10)))

/** Brings the database of the current `SqlClient` up to date. */
export const migrate = Migrator.make({})({ loader: Migrator.fromRecord(history), table: TABLE }).pipe(
  Effect.andThen(usageColumns),
  Effect.withSpan("Store.migrate")
)
