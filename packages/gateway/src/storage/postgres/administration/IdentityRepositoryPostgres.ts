/** People, roles and service tokens in Postgres. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import { IdentityRepository } from "../../../core/admin/IdentityRepository.ts"
import { makeIdentity, type SqlValue } from "../../records/IdentityRows.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"
import { note } from "./AuditRepositoryPostgres.ts"

export const layer = Layer.effect(
  IdentityRepository,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const run = <Row extends object>(text: string, values: ReadonlyArray<SqlValue>) => {
      let place = 0
      return sql.unsafe<Row>(
        text.replaceAll("?", () => `$${++place}`),
        values.map((value) => (typeof value === "string" ? storable(value) : value))
      )
    }
    return makeIdentity({
      read: <Row extends object>(text: string, ...values: ReadonlyArray<SqlValue>) =>
        orUnavailable(run<Row>(text, values)),
      write: (statements, entry) =>
        Effect.gen(function* () {
          let changed = 0
          for (const [text, ...values] of statements) {
            // The number of returned rows is the number of changed rows.
            changed = (yield* run(/^(DELETE|UPDATE)/.test(text) ? `${text} RETURNING 1` : text, values)).length
          }
          yield* note(sql, entry)
          return changed
        }).pipe(sql.withTransaction, orUnavailable)
    })
  })
)
