/** The sessions of administrators in Postgres. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer, Option } from "effect"
import { SessionRepository } from "../../../core/admin/SessionRepository.ts"
import { sessionOf, type SessionRow } from "../../records/SessionRows.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"
import { note } from "./AuditRepositoryPostgres.ts"

export const layer = Layer.effect(
  SessionRepository,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const first = (rows: ReadonlyArray<SessionRow>) => Option.map(Option.fromUndefinedOr(rows[0]), sessionOf)
    return {
      add: ({ address, binding, cookieHash, createdAt, expiresAt, id, lastUsedAt, person, role, tokenHash }, entry) =>
        Effect.gen(function* () {
          yield* sql`INSERT INTO admin_sessions VALUES (${id}, ${cookieHash}, ${tokenHash}, ${binding}, ${role},
            ${createdAt}, ${lastUsedAt}, ${expiresAt}, ${storable(address)}, ${person ?? ""})`
          yield* note(sql, entry)
        }).pipe(sql.withTransaction, orUnavailable),
      find: (cookieHash) =>
        orUnavailable(
          Effect.map(sql<SessionRow>`SELECT * FROM admin_sessions WHERE cookie_hash = ${storable(cookieHash)}`, first)
        ),
      get: (id) =>
        orUnavailable(Effect.map(sql<SessionRow>`SELECT * FROM admin_sessions WHERE id = ${storable(id)}`, first)),
      touch: (id, at) =>
        orUnavailable(
          Effect.asVoid(sql`UPDATE admin_sessions SET last_used_at = greatest(last_used_at, ${at}) WHERE id = ${id}`)
        ),
      list: orUnavailable(
        Effect.map(sql<SessionRow>`SELECT * FROM admin_sessions ORDER BY created_at DESC, id`, (rows) =>
          rows.map(sessionOf)
        )
      ),
      remove: (ids, entry) =>
        Effect.gen(function* () {
          const texts = JSON.stringify(ids.map(storable))
          const removed = yield* sql`DELETE FROM admin_sessions
            WHERE id IN (SELECT json_array_elements_text(${texts}::json)) RETURNING id`
          if (removed.length > 0) yield* note(sql, entry)
          return removed.length
        }).pipe(sql.withTransaction, orUnavailable)
    }
  })
)
