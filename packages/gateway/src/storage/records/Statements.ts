/** Statements in SQL that SQLite and Postgres both read: `?` stands for a value. Each store runs them in its own way. */
import { Context, Effect, Option, type Scope, type Stream } from "effect"
import type { NewAuditEntry } from "../../core/domain/AuditRepository.ts"
import type { StoreUnavailable } from "../../core/domain/Errors.ts"
import type { Visibility } from "../../core/domain/Principal.ts"
import type { ChangeNotice } from "../../core/keys/KeyRepository.ts"

export type SqlValue = string | number | null

export type Statement = readonly [text: string, ...values: ReadonlyArray<SqlValue>]

/** `rotation` is about deployments, without naming them. `reset` clears the failures of one deployment, which no table holds. */
export type StoreChange = ChangeNotice | { readonly what: "rotation" | "reset"; readonly id: string }

interface WithStatements {
  readonly entries?: ReadonlyArray<NewAuditEntry | undefined>
  /** Leaves the entries out where the statements change no row. */
  readonly ifChanged?: boolean
  /** What other gateways on the store are told. The effect completes when it is in force there. */
  readonly changes?: ReadonlyArray<StoreChange>
}

export class Statements extends Context.Service<
  Statements,
  {
    readonly read: <Row extends object>(
      text: string,
      ...values: ReadonlyArray<SqlValue>
    ) => Effect.Effect<ReadonlyArray<Row>, StoreUnavailable>
    /** In one transaction. How many rows the last statement changed. */
    readonly write: (
      statements: ReadonlyArray<Statement>,
      more?: WithStatements
    ) => Effect.Effect<number, StoreUnavailable>
    /** The same, and the person's keys follow: the IDs of those that were suspended or resumed, in force everywhere else. */
    readonly follow: (
      person: string,
      statements: ReadonlyArray<Statement>,
      entry: NewAuditEntry | undefined
    ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    /** Whether an expression whose texts are in lower case has `part` in it, in any case. */
    readonly contains: (expression: string, part: string) => Statement
    /** What other gateways on the store change from now on. */
    readonly changes: Effect.Effect<Stream.Stream<StoreChange>, never, Scope.Scope>
  }
>()("gateway/storage/Statements") {}

export const all = (conditions: ReadonlyArray<Statement | undefined>): Statement => {
  const given = conditions.filter((one) => one !== undefined)
  return [given.map(([text]) => text).join(" AND ") || "TRUE", ...given.flatMap(([, ...values]) => values)]
}

/** Placeholders for a list of values; `NULL` for an empty list, which matches nothing. */
export const marks = (values: ReadonlyArray<unknown>): string => values.map(() => "?").join(", ") || "NULL"

/** `column` holds the name of a team that a call may see, or `key` the ID of a key. Undefined: it may see everything. */
export const visibleTo = (visibility: Visibility, column = "team", key?: string): Statement | undefined => {
  if (visibility === "all") return undefined
  const { keys = [], teams } = visibility
  const inTeams = `${column} IN (${marks(teams)})`
  if (key === undefined || keys.length === 0) return [inTeams, ...teams]
  return [`(${inTeams} OR ${key} IN (${marks(keys)}))`, ...teams, ...keys]
}

export const auditStatement = ({ action, actor, after, at, before, target }: NewAuditEntry): Statement => [
  "INSERT INTO audit (at, actor_kind, actor, address, action, target, before, after) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  at,
  actor.kind,
  actor.id,
  actor.address,
  action,
  target,
  JSON.stringify(before ?? null),
  JSON.stringify(after ?? null)
]

export const firstOf = <Row, E>(rows: Effect.Effect<ReadonlyArray<Row>, E>) =>
  Effect.map(rows, ([row]) => Option.fromUndefinedOr(row))

const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Columns of a table, by the fields of its records: `created_at` is `createdAt`. `fields`: their names, with spaces between. */
export const columnsOf = <A extends object>(table: string, fields: string) => {
  const all = fields.split(/\s+/)
  const columns = all.map(columnOf)
  const values = (record: A): ReadonlyArray<SqlValue> => {
    const found = record as { readonly [field: string]: SqlValue }
    return all.map((field) => found[field]!)
  }
  return {
    names: columns.join(", "),
    selected: all.map((field, index) => `${columns[index]} AS "${field}"`).join(", "),
    /** The assignments of an UPDATE with `values`. */
    assigned: columns.map((column) => `${column} = ?`).join(", "),
    values,
    /** `more`: what follows the values. */
    insert: (record: A, more = ""): Statement => [
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks(columns)}) ${more}`,
      ...values(record)
    ]
  }
}
