/** The sessions of administrators in the store. */
import { Effect, Layer, Option } from "effect"
import { type SessionRecord, SessionRepository } from "../../core/admin/SessionRepository.ts"
import { columnsOf, firstOf, marks, Statements } from "./Statements.ts"

/** The person is "" where the record has null. */
type SessionRow = Omit<SessionRecord, "person"> & { readonly person: string }

const SESSIONS = columnsOf<SessionRow>(
  "admin_sessions",
  "id cookieHash tokenHash binding role createdAt lastUsedAt expiresAt address person"
)

const sessionOf = (row: SessionRow): SessionRecord => ({ ...row, person: row.person === "" ? null : row.person })

export const layer = Layer.effect(
  SessionRepository,
  Effect.map(Statements, ({ read, write }) => {
    const one = (column: string, value: string) =>
      Effect.map(
        firstOf(read<SessionRow>(`SELECT ${SESSIONS.selected} FROM admin_sessions WHERE ${column} = ?`, value)),
        Option.map(sessionOf)
      )
    return {
      add: (session, entry) =>
        Effect.asVoid(write([SESSIONS.insert({ ...session, person: session.person ?? "" })], { entries: [entry] })),
      find: (cookieHash) => one("cookie_hash", cookieHash),
      get: (id) => one("id", id),
      touch: (id, at) =>
        Effect.asVoid(
          write([["UPDATE admin_sessions SET last_used_at = ? WHERE id = ? AND last_used_at < ?", at, id, at]])
        ),
      list: Effect.map(
        read<SessionRow>(`SELECT ${SESSIONS.selected} FROM admin_sessions ORDER BY created_at DESC, id`),
        (rows) => rows.map(sessionOf)
      ),
      remove: (ids, entry) =>
        write([[`DELETE FROM admin_sessions WHERE id IN (${marks(ids)})`, ...ids]], {
          entries: [entry],
          ifChanged: true
        })
    }
  })
)
