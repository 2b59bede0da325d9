/** The sessions of administrators in the store. */
import { Effect, Layer, Option } from "effect"
import { type Role, type SessionRecord, SessionRepository } from "../../core/admin/SessionRepository.ts"
import { marks, Statements } from "./Statements.ts"

interface SessionRow {
  readonly id: string
  readonly cookie_hash: string
  readonly token_hash: string
  readonly binding: string
  readonly role: Role
  readonly created_at: number
  readonly last_used_at: number
  readonly expires_at: number
  readonly address: string
  readonly person: string
}

const sessionOf = (row: SessionRow): SessionRecord => ({
  id: row.id,
  cookieHash: row.cookie_hash,
  tokenHash: row.token_hash,
  binding: row.binding,
  role: row.role,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  address: row.address,
  person: row.person === "" ? null : row.person
})

export const layer = Layer.effect(
  SessionRepository,
  Effect.map(Statements, ({ read, write }) => {
    const one = (column: string, value: string) =>
      Effect.map(read<SessionRow>(`SELECT * FROM admin_sessions WHERE ${column} = ?`, value), ([row]) =>
        Option.map(Option.fromUndefinedOr(row), sessionOf)
      )
    return {
      add: (session, entry) => {
        const { address, binding, cookieHash, createdAt, expiresAt, id, lastUsedAt, person, role, tokenHash } = session
        const values = [id, cookieHash, tokenHash, binding, role, createdAt, lastUsedAt, expiresAt, address]
        const insert = `INSERT INTO admin_sessions VALUES (${marks([...values, person])})`
        return Effect.asVoid(write([[insert, ...values, person ?? ""]], { entries: [entry] }))
      },
      find: (cookieHash) => one("cookie_hash", cookieHash),
      get: (id) => one("id", id),
      touch: (id, at) =>
        Effect.asVoid(
          write([["UPDATE admin_sessions SET last_used_at = ? WHERE id = ? AND last_used_at < ?", at, id, at]])
        ),
      list: Effect.map(read<SessionRow>("SELECT * FROM admin_sessions ORDER BY created_at DESC, id"), (rows) =>
        rows.map(sessionOf)
      ),
      remove: (ids, entry) =>
        write([[`DELETE FROM admin_sessions WHERE id IN (${marks(ids)})`, ...ids]], {
          entries: [entry],
          ifChanged: true
        })
    }
  })
)
