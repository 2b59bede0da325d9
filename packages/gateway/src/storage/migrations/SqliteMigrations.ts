/** The schema's history. A migration that was released is never edited: changes come as a new one. */
import { Effect } from "effect"
import { Migrator } from "effect/sql"
import { start } from "./0001Start.ts"
import { receipts } from "./0002Receipts.ts"
import { scale } from "./0003Scale.ts"
import { savings } from "./0004Savings.ts"
import { learning } from "./0005Learning.ts"
import { responses } from "./0008Responses.ts"
import { idempotency } from "./0009Idempotency.ts"
import { traffic } from "./0011Traffic.ts"
import { audit } from "./0012Audit.ts"
import { holdings } from "./0013Holdings.ts"
import { identity } from "./0017Identity.ts"
import { scopes } from "./0018Scopes.ts"
import { people } from "./0020People.ts"
import { migration } from "./Migration.ts"
import { usageColumns } from "./UsageColumns.ts"

const history = {
  "0001_start": start,
  "0002_receipts": receipts,
  "0003_scale": scale,
  "0004_savings": savings,
  "0005_learning": learning,
  // Classes of usage without a column of their own, and the service tier, as JSON. Few rows have any.
  "0006_details": migration(["ALTER TABLE ledger ADD COLUMN details TEXT"]),
  // Rows from before are chat.
  "0007_operation": migration(["ALTER TABLE ledger ADD COLUMN operation TEXT NOT NULL DEFAULT 'chat'"]),
  "0008_responses": responses,
  "0009_idempotency": idempotency,
  // Sessions of administrators in browsers. There are few, so they have no index.
  "0010_sessions": migration([
    `CREATE TABLE admin_sessions (
      id TEXT NOT NULL UNIQUE,
      cookie_hash TEXT PRIMARY KEY,
      token_hash TEXT NOT NULL,
      binding TEXT NOT NULL,
      role TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      address TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`
  ]),
  "0011_traffic": traffic,
  "0012_audit": audit,
  "0013_holdings": holdings,
  // What an attempt costs if nothing is written, and how fast that grows. Null in rows from before.
  "0014_growth": migration([
    "ALTER TABLE ledger ADD COLUMN fixed INTEGER",
    "ALTER TABLE ledger ADD COLUMN per_second INTEGER"
  ]),
  // What a key does under a budget with fields whose cost is not known.
  "0015_unknown_fields": migration(["ALTER TABLE keys ADD COLUMN unknown_fields TEXT NOT NULL DEFAULT 'remove'"]),
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

/** Brings the database of the current `SqlClient` up to date. */
export const migrate = Migrator.make({})({ loader: Migrator.fromRecord(history), table: TABLE }).pipe(
  Effect.andThen(usageColumns),
  Effect.withSpan("Store.migrate")
)
