/** Which rows of a store in a file become which of one in Postgres. */
import { sums } from "@model-gateway/gateway/internal/storage/records/Columns"
import { storable } from "@model-gateway/gateway/internal/storage/postgres/connection/Texts"
import { scopeCell, scopeSums } from "@model-gateway/gateway/internal/storage/sqlite/ledger/ScopeRollups"

/** A row as SQLite gives it, and as Postgres reads it from JSON. */
export type CopiedRow = { readonly [column: string]: string | number | bigint | boolean | null | Uint8Array }

export interface CopiedTable {
  /** What is read. */
  readonly from: string
  /** Where it goes. */
  readonly to: string
  /** Columns that identify a row, and may be shown. */
  readonly key: string
  readonly change?: (row: CopiedRow) => CopiedRow
}

const without = (row: CopiedRow, ...names: ReadonlyArray<string>): CopiedRow =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

/** Open rows are of nodes before the first: the next gateway that starts settles them. */
const NOBODY = 0

const attempt = ({ details, ...row }: CopiedRow): CopiedRow => ({
  ...without(row, "fixed", "per_second"),
  node: NOBODY,
  ...detailsIn(details)
})

const detailsIn = (details: CopiedRow[string] | undefined): CopiedRow =>
  typeof details === "string" ? JSON.parse(details) : {}

const closed = (row: CopiedRow): CopiedRow => ({ ...attempt(row), estimated: Number(row["estimated"]) === 1 })

/** An open attempt has no end yet. */
const identity = `id, request_id, attempt, at, key_id, team, provider, model, deployment, tags, reserved, price_source, price_version,
  operation, baseline, subjects`

/** What was spent by quarters of an hour, which a file keeps by windows of budgets. */
const spent = `SELECT scope, at / 900000 AS slot, ${NOBODY} AS node, sum(cost) AS cost FROM (
  SELECT 'key:' || key_id AS scope, at, cost FROM ledger WHERE status <> 'reserved' AND cost > 0
  UNION ALL SELECT 'team:' || team, at, cost FROM ledger WHERE status <> 'reserved' AND cost > 0 AND team <> ''
  UNION ALL SELECT value, at, cost FROM ledger, json_each(iif(subjects = '', '[]', subjects)) WHERE status <> 'reserved' AND cost > 0
) GROUP BY scope, slot`

/** In this order: rows that others name come before them. */
export const tables: ReadonlyArray<CopiedTable> = [
  { from: "SELECT * FROM meta WHERE name = 'pepper'", to: "meta", key: "name" },
  { from: "SELECT * FROM keys", to: "keys", key: "id" },
  {
    from: "SELECT * FROM teams",
    to: "teams",
    key: "name",
    change: (row) => ({ ...row, search: String(row["name"]).toLowerCase() })
  },
  { from: "SELECT * FROM end_users", to: "end_users", key: "scope" },
  { from: "SELECT * FROM disabled_deployments", to: "disabled_deployments", key: "deployment" },
  { from: "SELECT * FROM ledger WHERE status <> 'reserved'", to: "ledger", key: "node, id", change: closed },
  {
    from: `SELECT ${identity} FROM ledger WHERE status = 'reserved'`,
    to: "attempts_open",
    key: "node, id",
    change: attempt
  },
  { from: spent, to: "spend", key: "scope, slot, node" },
  {
    from: "SELECT * FROM rollup",
    to: "rollup",
    key: "hour, key_id, team, provider, model, tags, node",
    change: (row) => ({ ...without(row, "first_id", "last_id", "last_cost_id"), node: NOBODY })
  },
  {
    from: `SELECT ${scopeCell.join(", ")}, max(last_at) AS last_at, ${sums.map((name) => `sum(${name}) AS ${name}`).join(", ")}
      FROM (${scopeSums}) GROUP BY ${scopeCell.join(", ")}`,
    to: "scope_rollup",
    key: "scope, slot, key_id, team, provider, model, tags, node",
    change: (row) => ({ ...row, node: NOBODY })
  },
  { from: 'SELECT scope, "window", start FROM budget_windows', to: "budget_windows", key: 'scope, "window", start' },
  { from: "SELECT * FROM receipts", to: "receipts", key: "id" },
  { from: "SELECT * FROM feedback", to: "feedback", key: "page, request_id" },
  { from: "SELECT * FROM kept_prompts", to: "kept_prompts", key: "page, request_id" },
  { from: "SELECT * FROM responses", to: "responses", key: "id" },
  { from: "SELECT * FROM response_items", to: "response_items", key: "key_id, item_id, response" },
  { from: "SELECT * FROM kept_answers", to: "kept_answers", key: "id" },
  { from: "SELECT * FROM admin_sessions", to: "admin_sessions", key: "id" },
  { from: "SELECT * FROM people", to: "people", key: "id" },
  { from: "SELECT * FROM assignments", to: "assignments", key: "person, team, source" },
  { from: "SELECT * FROM service_tokens", to: "service_tokens", key: "id" },
  { from: "SELECT * FROM sign_ins", to: "sign_ins", key: "id" },
  { from: "SELECT * FROM traffic", to: "traffic", key: "cut, grain, start, dimensions" },
  { from: "SELECT * FROM audit", to: "audit", key: "id" },
  { from: "SELECT * FROM alert_marks", to: "alert_marks", key: "id" }
]

/** Columns whose next number must come after those that were copied. */
export const numbered = [
  ["keys", "seq"],
  ["receipts", "id"],
  ["responses", "id"],
  ["audit", "id"]
] as const

/** As JSON: integers exactly, bytes as Postgres writes them. */
export const asJson = (row: CopiedRow): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (typeof value === "string") return [name, storable(value)]
      if (typeof value === "bigint") return [name, Number.isSafeInteger(Number(value)) ? Number(value) : String(value)]
      return [name, value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value]
    })
  )
