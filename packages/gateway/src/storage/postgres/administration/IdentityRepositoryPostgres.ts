/** People, roles and service tokens in Postgres. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import { IdentityRepository } from "../../../core/admin/IdentityRepository.ts"
import type { NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import { makeIdentity, type SqlValue, type Statement } from "../../records/IdentityRows.ts"
import { FOLLOW_PERSON } from "../../records/KeyStatus.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { placed, storable } from "../connection/Texts.ts"
import { Changes } from "../nodes/Changes.ts"
import { note } from "./AuditRepositoryPostgres.ts"

export const layer = Layer.effect(
  IdentityRepository,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const changes = yield* Changes
    const run = <Row extends object>(text: string, values: ReadonlyArray<SqlValue>) =>
      sql.unsafe<Row>(
        placed(text),
        values.map((value) => (typeof value === "string" ? storable(value) : value))
      )
    const runAll = Effect.fnUntraced(function* (
      statements: ReadonlyArray<Statement>,
      entry: NewAuditEntry | undefined
    ) {
      let changed = 0
      for (const [text, ...values] of statements) {
        // The number of returned rows is the number of changed rows.
        changed = (yield* run(/^(DELETE|UPDATE)/.test(text) ? `${text} RETURNING 1` : text, values)).length
      }
      yield* note(sql, entry)
      return changed
    })
    return makeIdentity({
      read: <Row extends object>(text: string, ...values: ReadonlyArray<SqlValue>) =>
        orUnavailable(run<Row>(text, values)),
      write: (statements, entry) => runAll(statements, entry).pipe(sql.withTransaction, orUnavailable),
      writeWithKeys: (person, statements, entry) =>
        Effect.gen(function* () {
          yield* runAll(statements, entry)
          const ids = (yield* run<{ id: string }>(FOLLOW_PERSON, [person])).map(({ id }) => id)
          const seqs = yield* Effect.forEach(ids, (id) => changes.note(sql, { what: "key", id }))
          return { ids, seq: seqs.at(-1) }
        }).pipe(
          sql.withTransaction,
          orUnavailable,
          Effect.tap(({ seq }) => (seq === undefined ? Effect.void : changes.inForce(seq))),
          Effect.map(({ ids }) => ids)
        )
    })
  })
)
