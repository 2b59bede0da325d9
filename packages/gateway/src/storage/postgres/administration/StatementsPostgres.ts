/** Statements in Postgres, where they are in force on every gateway when they complete. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import { FOLLOW_PERSON } from "../../records/KeyReads.ts"
import { auditStatement, type SqlValue, Statements, type StoreChange } from "../../records/Statements.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { placed, storable } from "../connection/Texts.ts"
import { Changes } from "../nodes/Changes.ts"

const run = <Row extends object>(sql: PgClient, text: string, values: ReadonlyArray<SqlValue>) =>
  sql.unsafe<Row>(
    placed(text),
    values.map((value) => (typeof value === "string" ? storable(value) : value))
  )

const stored = (change: StoreChange): StoreChange =>
  change.what === "all" ? change : { ...change, id: storable(change.id) }

/** Adds entries to the audit log in the transaction of the change that they record. */
export const note = (
  sql: PgClient,
  ...entries: ReadonlyArray<NewAuditEntry | undefined>
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.forEach(
    entries.filter((entry) => entry !== undefined),
    (entry) => {
      const [text, ...values] = auditStatement(entry)
      return run(sql, text, values)
    },
    { discard: true }
  )

export const layer = Layer.effect(
  Statements,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const changes = yield* Changes
    return {
      read: <Row extends object>(text: string, ...values: ReadonlyArray<SqlValue>) =>
        orUnavailable(run<Row>(sql, text, values)),
      write: (statements, { changes: notices = [], entries = [], ifChanged = false } = {}) =>
        Effect.gen(function* () {
          let changed = 0
          // The rows that come back say how many were changed.
          for (const [text, ...values] of statements) changed = (yield* run(sql, `${text} RETURNING 1`, values)).length
          if (changed > 0 || !ifChanged) yield* note(sql, ...entries)
          let last: number | undefined
          for (const notice of notices) last = yield* changes.note(sql, stored(notice))
          return { changed, last }
        }).pipe(
          sql.withTransaction,
          orUnavailable,
          Effect.tap(({ last }) => (last === undefined ? Effect.void : changes.inForce(last))),
          Effect.map(({ changed }) => changed)
        ),
      follow: (person, statements, entry) =>
        Effect.gen(function* () {
          for (const [text, ...values] of statements) yield* run(sql, text, values)
          yield* note(sql, entry)
          const ids = (yield* run<{ id: string }>(sql, FOLLOW_PERSON, [person])).map(({ id }) => id)
          let last: number | undefined
          for (const id of ids) last = yield* changes.note(sql, { what: "key", id })
          return { ids, last }
        }).pipe(
          sql.withTransaction,
          orUnavailable,
          Effect.tap(({ last }) => (last === undefined ? Effect.void : changes.inForce(last))),
          Effect.map(({ ids }) => ids)
        ),
      contains: (expression, part) => [`strpos(${expression}, ?) > 0`, part.toLowerCase()],
      changes: changes.join
    }
  })
)
