/** Brings a Postgres store up to date. */
import { Effect } from "effect"
import { Migrator } from "effect/sql"
import { followMerges } from "../postgres/ledger/PostgresBlocks.ts"
import { migrationsIn, runAll } from "./SqlMigrations.ts"
import { usageColumns } from "./PostgresUsageColumns.ts"

const inFile = migrationsIn(new URL("./postgres.sql", import.meta.url))

/** The trigger of 0023 names a column for each class of usage. */
export const history = { ...inFile, "0023_blocks": Effect.andThen(inFile["0023_blocks"]!, runAll(followMerges)) }

/** A partitioned index has no such setting, and a new partition takes none over: for each of its parts. */
export const summarise = `DO $$
DECLARE part regclass;
BEGIN
  FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'ledger_by_time'::regclass LOOP
    EXECUTE format('ALTER INDEX %s SET (autosummarize = on)', part);
  END LOOP;
END $$`

/** The table in which `effect/sql` notes what was applied. */
export const TABLE = "effect_sql_migrations"

/** The highest migration this version knows. */
export const LATEST = Math.max(...Object.keys(history).map((name) => Number.parseInt(name, 10)))

/** Brings the schema of the current `SqlClient` up to date. All or nothing when it runs in a transaction. */
export const migrate = Migrator.make({})({ loader: Migrator.fromRecord(history), table: TABLE }).pipe(
  Effect.andThen(usageColumns),
  Effect.withSpan("Store.migrate")
)
