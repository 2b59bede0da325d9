/** The schema's history in Postgres. A migration that was released is never edited: changes come as a new one. */
import { Effect } from "effect"
import { Migrator } from "effect/sql"
import { identity } from "../../migrations/0017Identity.ts"
import { people } from "../../migrations/0020People.ts"
import { migration } from "../../migrations/Migration.ts"
import { start } from "./0001Start.ts"
import { shares } from "./0003Shares.ts"
import { runningRequests } from "./0004RunningRequests.ts"
import { overdrawn } from "./0007Overdrawn.ts"
import { holdings } from "./0013Holdings.ts"
import { scopes } from "./0018Scopes.ts"
import { usageColumns } from "./PostgresUsageColumns.ts"

/** A partitioned index has no such setting, and a new partition takes none over: for each of its parts. */
export const summarise = `DO $$
DECLARE part regclass;
BEGIN
  FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'ledger_by_time'::regclass LOOP
    EXECUTE format('ALTER INDEX %s SET (autosummarize = on)', part);
  END LOOP;
END $$`

/** 0006 only made a function that 0007 makes anew. */
const history = {
  "0001_start": start,
  // What gateways report of themselves. `heard_at` is by the server's clock.
  "0002_reports": migration([
    `ALTER TABLE nodes
    ADD COLUMN version text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN lag_ms bigint NOT NULL DEFAULT 0,
    ADD COLUMN shares int NOT NULL DEFAULT 0,
    ADD COLUMN is_refusing boolean NOT NULL DEFAULT false,
    ADD COLUMN heard_at timestamptz NOT NULL DEFAULT now()`
  ]),
  "0003_shares": shares,
  "0004_running_requests": runningRequests,
  // Any number of gateways may share a store.
  "0005_any_number": migration(["ALTER TABLE nodes DROP COLUMN alone"]),
  "0007_overdrawn": overdrawn,
  "0013_holdings": holdings,
  // What an open attempt costs if nothing is written, and how fast that grows. Null in rows from before.
  "0014_growth": migration(["ALTER TABLE attempts_open ADD COLUMN fixed bigint, ADD COLUMN per_second bigint"]),
  // What a key does under a budget with fields whose cost is not known.
  "0015_unknown_fields": migration(["ALTER TABLE keys ADD COLUMN unknown_fields TEXT NOT NULL DEFAULT 'remove'"]),
  // Without it, reports of the last hours read all ranges of the ledger.
  "0016_summaries": migration([summarise]),
  "0017_identity": identity,
  "0018_scopes": scopes,
  // Tags that a key requires of the deployments that serve it, as JSON.
  "0019_require": migration(["ALTER TABLE keys ADD COLUMN require TEXT NOT NULL DEFAULT '{}'"]),
  "0020_people": people
}

/** The table in which `effect/sql` notes what was applied. */
export const TABLE = "effect_sql_migrations"

/** The highest migration this version knows. */
export const LATEST = Math.max(...Object.keys(history).map((name) => Number.parseInt(name, 10)))

/** Brings the schema of the current `SqlClient` up to date. All or nothing when it runs in a transaction. */
export const migrate = Migrator.make({})({ loader: Migrator.fromRecord(history), table: TABLE }).pipe(
  Effect.andThen(usageColumns),
  Effect.withSpan("Store.migrate")
)
