/** The schema's history. A migration that was released is never edited: changes come as a new one. */
import { Effect } from "effect"
import { Migrator } from "effect/sql"
import { start } from "./0001Start.ts"
import { receipts } from "./0002Receipts.ts"
import { scale } from "./0003Scale.ts"
import { savings } from "./0004Savings.ts"
import { learning } from "./0005Learning.ts"
import { details } from "./0006Details.ts"
import { operation } from "./0007Operation.ts"
import { responses } from "./0008Responses.ts"
import { idempotency } from "./0009Idempotency.ts"
import { sessions } from "./0010Sessions.ts"
import { traffic } from "./0011Traffic.ts"
import { audit } from "./0012Audit.ts"
import { holdings } from "./0013Holdings.ts"
import { growth } from "./0014Growth.ts"
import { unknownFields } from "./0015UnknownFields.ts"
import { require } from "./0017Require.ts"
import { usageColumns } from "./UsageColumns.ts"

const history = {
  "0001_start": start,
  "0002_receipts": receipts,
  "0003_scale": scale,
  "0004_savings": savings,
  "0005_learning": learning,
  "0006_details": details,
  "0007_operation": operation,
  "0008_responses": responses,
  "0009_idempotency": idempotency,
  "0010_sessions": sessions,
  "0011_traffic": traffic,
  "0012_audit": audit,
  "0013_holdings": holdings,
  "0014_growth": growth,
  "0015_unknown_fields": unknownFields,
  "0017_require": require
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
