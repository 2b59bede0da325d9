/** The sessions of administrators in Postgres. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer, Option } from "effect"
import { type Role, type SessionRecord, SessionRepository } from "../../../core/administration/SessionRepository.ts"
import { orUnavailable } from "../connection/Errors.ts"
import { storable } from "../connection/Texts.ts"
import { note } from "./AuditRepositoryPostgres.ts"

interface Row {
  readonly id: string
  readonly cookie_hash: string
  readonly token_hash: string
  readonly binding: string
  readonly role: Role
  readonly created_at: number
  readonly last_used_at: number
  readonly expires_at: number
  readonly address: string
}

const recordOf = (row: Row): SessionRecord => ({
  id: row.id,
  cookieHash: row.cookie_hash,
  tokenHash: row.token_hash,
  binding: row.binding,
  role: row.role,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  address: row.address
})

export const layer = Layer.effect(
  SessionRepository,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const first = (rows: ReadonlyArray<Row>) => Option.map(Option.fromUndefinedOr(rows[0]), recordOf)
    return {
      add: ({ address, binding, cookieHash, createdAt, expiresAt, id, lastUsedAt, role, tokenHash }, entry) =>
        Effect.gen(function* () {
          yield* sql`INSERT INTO admin_sessions VALUES (${id}, ${cookieHash}, ${tokenHash}, ${binding}, ${role},
            ${createdAt}, ${lastUsedAt}, ${expiresAt}, ${storable(address)})`
          yield* note(sql, entry)
        }).pipe(sql.withTransaction, orUnavailable),
      find: (cookieHash) =>
        orUnavailable(
          Effect.map(sql<Row>`SELECT * FROM admin_sessions WHERE cookie_hash = ${storable(cookieHash)}`, first)
        ),
      get: (id) => orUnavailable(Effect.map(sql<Row>`SELECT * FROM admin_sessions WHERE id = ${storable(id)}`, first)),
      touch: (id, at) =>
        orUnavailable(
          Effect.asVoid(sql`UPDATE admin_sessions SET last_used_at = greatest(last_used_at, ${at}) WHERE id = ${id}`)
        ),
      list: orUnavailable(
        Effect.map(sql<Row>`SELECT * FROM admin_sessions ORDER BY created_at DESC, id`, (rows) => rows.map(recordOf))
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
