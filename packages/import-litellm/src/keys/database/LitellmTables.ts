/** LiteLLM's tables as they are at one moment, each cell in the words of Postgres. Nothing is written, and no password is read. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { DatabaseUnreadable } from "./DatabaseErrors.ts"
import type { Columns } from "../columns/Column.ts"
import { keyColumns } from "../columns/KeyColumns.ts"
import { budgetColumns, endUserColumns, secretColumns, teamColumns, userColumns } from "../columns/OwnerColumns.ts"
import type { Row } from "../ReadKeys.ts"

const KEYS = "LiteLLM_VerificationToken"
const TEAMS = "LiteLLM_TeamTable"
const USERS = "LiteLLM_UserTable"
const BUDGETS = "LiteLLM_BudgetTable"
const END_USERS = "LiteLLM_EndUserTable"

/** What keys can name beside these, and only whether it holds them to anything is asked. */
const MEMBERS = "LiteLLM_TeamMembership"
const ORGANIZATIONS = "LiteLLM_OrganizationTable"
const PROJECTS = "LiteLLM_ProjectTable"
const PERMISSIONS = "LiteLLM_ObjectPermissionTable"

export interface Tables {
  readonly keys: ReadonlyArray<Row>
  readonly teams: ReadonlyArray<Row>
  readonly users: ReadonlyArray<Row>
  readonly budgets: ReadonlyArray<Row>
  readonly endUsers: ReadonlyArray<Row>
  /** Users with a budget of their own in a team. */
  readonly members: ReadonlyArray<{ readonly user: string; readonly team: string }>
  /** Ids of those with a budget, limits or a list of models. */
  readonly organizations: ReadonlySet<string>
  readonly projects: ReadonlySet<string>
  /** Ids of those that hold a key to something that it could do here. */
  readonly permissions: ReadonlySet<string>
}

/** A table with its columns, as they are in this version of LiteLLM. */
type Found = ReadonlyMap<string, ReadonlySet<string>>

/** In a transaction that reads. `place`: the database, without who may open it. */
export const readTables = Effect.fnUntraced(function* (sql: PgClient, place: string, schema: string) {
  const found = yield* tablesIn(sql, schema)
  yield* checkTables(sql, found, place, schema)
  const rows = (table: string, columns: Columns, id: string, name: ReadonlyArray<string>) =>
    rowsOf(sql, schema, table, { all: found.get(table) ?? new Set(), known: columns, id, name })
  const tables: Tables = {
    keys: yield* rows(KEYS, keyColumns, "token", ["key_alias", "key_name"]),
    teams: yield* rows(TEAMS, teamColumns, "team_id", ["team_alias", "team_id"]),
    users: yield* rows(USERS, userColumns, "user_id", ["user_id"]),
    budgets: yield* rows(BUDGETS, budgetColumns, "budget_id", ["budget_id"]),
    endUsers: found.has(END_USERS) ? yield* rows(END_USERS, endUserColumns, "user_id", ["user_id"]) : [],
    members: yield* heldMembers(sql, schema, found),
    organizations: yield* restricting(sql, schema, found, ORGANIZATIONS, "organization_id"),
    projects: yield* restricting(sql, schema, found, PROJECTS, "project_id"),
    permissions: yield* holdingPermissions(sql, schema, found.get(PERMISSIONS))
  }
  return tables
})

const tablesIn = (sql: PgClient, schema: string): Effect.Effect<Found, SqlError.SqlError> =>
  Effect.map(
    sql<{ table: string; column: string }>`SELECT c.relname AS table, a.attname AS column
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE n.nspname = ${schema} AND c.relname LIKE ${"LiteLLM\\_%"}`,
    (rows) =>
      new Map(
        [...Map.groupBy(rows, (row) => row.table)].map(([table, all]) => [table, new Set(all.map((row) => row.column))])
      )
  )

/** Tables with the columns without which there is nothing to tell: every LiteLLM since 2024 has them. */
const NEEDED = [
  [KEYS, ["token", "team_id", "user_id", "budget_id"]],
  [TEAMS, ["team_id", "models", "max_budget"]],
  [USERS, ["user_id", "max_budget"]],
  [BUDGETS, ["budget_id", "max_budget"]]
] as const

const checkTables = Effect.fnUntraced(function* (sql: PgClient, found: Found, place: string, schema: string) {
  if (!found.has(KEYS)) {
    const elsewhere = yield* sql<{ name: string }>`SELECT n.nspname AS name FROM pg_class AS c
      JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relname = ${KEYS} ORDER BY 1`
    const [other] = elsewhere
    return yield* new DatabaseUnreadable({
      message: `${place} has no table ${KEYS} in the schema ${schema}: ${
        other === undefined
          ? "is it LiteLLM's database? Give the URL that its general_settings.database_url or DATABASE_URL has."
          : `it is in the schema ${other.name}. Add ?schema=${other.name} to the URL.`
      }`
    })
  }
  for (const [table, columns] of NEEDED) {
    const has = found.get(table)
    const lacking = has === undefined ? "" : columns.find((column) => !has.has(column))
    if (lacking === undefined) continue
    return yield* new DatabaseUnreadable({
      message: `${place} is of an older LiteLLM: it has no ${lacking === "" ? "" : `column ${lacking} in `}${table}. Start a LiteLLM of 2024 or later on it once, which brings its tables up to date, or import an export of ${KEYS} (CSV).`
    })
  }
})

interface Wanted {
  readonly all: ReadonlySet<string>
  readonly known: Columns
  readonly id: string
  /** The first that is there names the row. */
  readonly name: ReadonlyArray<string>
}

/** Of columns that are not known, or that nobody is to see, only whether there is a value. */
const rowsOf = Effect.fnUntraced(function* (
  sql: PgClient,
  schema: string,
  table: string,
  { all, id, known, name }: Wanted
) {
  const columns = [...all].map((column) =>
    known.has(column) && !secretColumns.has(column)
      ? sql`${sql(column)}::text AS ${sql(column)}`
      : sql`CASE WHEN ${sql(column)} IS NOT NULL THEN 'is there' END AS ${sql(column)}`
  )
  const found = yield* sql<{ readonly [column: string]: string | null }>`SELECT ${sql.csv(columns)}
    FROM ${sql(schema)}.${sql(table)} ORDER BY ${sql(id)} COLLATE "C"`
  return found.map((cells, index): Row => {
    const given = Object.entries(cells).flatMap(([column, text]) =>
      text === null || text.trim() === "" ? [] : [[column, text] as const]
    )
    const row = name.map((column) => cells[column] ?? "").find((text) => text.trim() !== "")
    return { at: { table, row: shown(row ?? `number ${index + 1}`) }, cells: new Map(given) }
  })
})

/** On one line of a report. */
const shown = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}\p{Cs}]+/gu, " ")
    .trim()
    .slice(0, 80)

const holds = (sql: PgClient) =>
  sql`b.max_budget IS NOT NULL OR b.rpm_limit IS NOT NULL OR b.tpm_limit IS NOT NULL OR b.max_parallel_requests IS NOT NULL`

const heldMembers = (sql: PgClient, schema: string, found: Found) => {
  if (!found.has(MEMBERS)) return Effect.succeed([])
  // A column of 2026.
  const models =
    found.get(BUDGETS)?.has("allowed_models") === true ? sql`cardinality(b.allowed_models) > 0` : sql`FALSE`
  return sql<{ user: string; team: string }>`SELECT m.user_id AS user, m.team_id AS team
    FROM ${sql(schema)}.${sql(MEMBERS)} AS m JOIN ${sql(schema)}.${sql(BUDGETS)} AS b USING (budget_id)
    WHERE ${holds(sql)} OR ${models}`
}

/** Lists of what a key may use, or may not; those of MCP servers, agents and skills are of nothing that there is here. */
const HOLDING = ["models", "blocked_tools", "vector_stores"]

const holdingPermissions = Effect.fnUntraced(function* (
  sql: PgClient,
  schema: string,
  columns: ReadonlySet<string> | undefined
) {
  const known = HOLDING.filter((name) => columns?.has(name) === true)
  if (known.length === 0) return new Set<string>()
  const rows = yield* sql<{ id: string }>`SELECT object_permission_id AS id FROM ${sql(schema)}.${sql(PERMISSIONS)}
    WHERE ${sql.or(known.map((name) => sql`cardinality(${sql(name)}) > 0`))}`
  return new Set(rows.map((row) => row.id))
})

/** Where it can't be told, all of them. */
const restricting = Effect.fnUntraced(function* (
  sql: PgClient,
  schema: string,
  found: Found,
  table: string,
  id: string
) {
  const columns = found.get(table)
  if (columns === undefined) return new Set<string>()
  const isKnown = columns.has("models") && columns.has("budget_id")
  const rows = isKnown
    ? yield* sql<{ id: string }>`SELECT t.${sql(id)} AS id FROM ${sql(schema)}.${sql(table)} AS t
        LEFT JOIN ${sql(schema)}.${sql(BUDGETS)} AS b USING (budget_id)
        WHERE cardinality(t.models) > 0 OR ${holds(sql)}`
    : yield* sql<{ id: string }>`SELECT ${sql(id)} AS id FROM ${sql(schema)}.${sql(table)}`
  return new Set(rows.map((row) => row.id))
})
