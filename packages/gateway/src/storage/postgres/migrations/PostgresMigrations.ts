/** The schema's history in Postgres. A migration that was released is never edited: changes come as a new one. */
import { Effect } from "effect"
import { Migrator } from "effect/sql"
import { start } from "./0001Start.ts"
import { reports } from "./0002Reports.ts"
import { shares } from "./0003Shares.ts"
import { runningRequests } from "./0004RunningRequests.ts"
import { anyNumber } from "./0005AnyNumber.ts"
import { debts } from "./0006Debts.ts"
import { overdrawn } from "./0007Overdrawn.ts"
import { holdings } from "./0013Holdings.ts"
import { growth } from "./0014Growth.ts"
import { unknownFields } from "./0015UnknownFields.ts"
import { summaries } from "./0016Summaries.ts"
import { require } from "./0018Require.ts"
import { usageColumns } from "./PostgresUsageColumns.ts"

const history = {
  "0001_start": start,
  "0002_reports": reports,
  "0003_shares": shares,
  "0004_running_requests": runningRequests,
  "0005_any_number": anyNumber,
  "0006_debts": debts,
  "0007_overdrawn": overdrawn,
  "0013_holdings": holdings,
  "0014_growth": growth,
  "0015_unknown_fields": unknownFields,
  "0016_summaries": summaries,
  "0018_require": require
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
