/** Brings a SQLite store up to date. */
import { Effect } from "effect"
import { Migrator } from "effect/sql"
import { migrationsIn } from "./SqlMigrations.ts"
import { usageColumns } from "./UsageColumns.ts"

export const history = migrationsIn(new URL("./sqlite.sql", import.meta.url))

/** The table in which `effect/sql` notes what was applied. */
export const TABLE = "effect_sql_migrations"

/** The highest migration this version knows. */
export const LATEST = Math.max(...Object.keys(history).map((name) => Number.parseInt(name, 10)))

/** Brings the database of the current `SqlClient` up to date. */
export const migrate = Migrator.make({})({ loader: Migrator.fromRecord(history), table: TABLE }).pipe(
  Effect.andThen(usageColumns),
  Effect.withSpan("Store.migrate")
)
