/** The sessions of administrators in the store. */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { SessionRepository } from "../../../core/admin/SessionRepository.ts"
import { sessionOf, type SessionRow } from "../../records/SessionRows.ts"
import { orUnavailable } from "../file/Reads.ts"
import { Writer } from "../writer/Writer.ts"
import { entryWriter } from "./AuditRepositorySqlite.ts"

export const layer = Layer.effect(
  SessionRepository,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const insert = writer.db.prepare("INSERT INTO admin_sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    const touch = writer.db.prepare("UPDATE admin_sessions SET last_used_at = max(last_used_at, ?) WHERE id = ?")
    const remove = writer.db.prepare("DELETE FROM admin_sessions WHERE id = ?")
    const note = entryWriter(writer.db)
    const first = (rows: ReadonlyArray<SessionRow>) => Option.map(Option.fromUndefinedOr(rows[0]), sessionOf)

    return {
      add: (session, entry) =>
        writer.write(() => {
          const { address, binding, cookieHash, createdAt, expiresAt, id, lastUsedAt, person, role, tokenHash } =
            session
          insert.run(id, cookieHash, tokenHash, binding, role, createdAt, lastUsedAt, expiresAt, address, person ?? "")
          if (entry !== undefined) note(entry)
        }),
      find: (cookieHash) =>
        orUnavailable(
          Effect.map(sql<SessionRow>`SELECT * FROM admin_sessions WHERE cookie_hash = ${cookieHash}`, first)
        ),
      get: (id) => orUnavailable(Effect.map(sql<SessionRow>`SELECT * FROM admin_sessions WHERE id = ${id}`, first)),
      touch: (id, at) => writer.write(() => void touch.run(at, id)),
      list: orUnavailable(
        Effect.map(sql<SessionRow>`SELECT * FROM admin_sessions ORDER BY created_at DESC, id`, (rows) =>
          rows.map(sessionOf)
        )
      ),
      remove: (ids, entry) =>
        writer.write(() => {
          const removed = ids.reduce((sum, id) => sum + Number(remove.run(id).changes), 0)
          if (removed > 0 && entry !== undefined) note(entry)
          return removed
        })
    }
  })
)
