/** Rows of `admin_sessions`. */
import type { Role, SessionRecord } from "../../core/admin/SessionRepository.ts"

export interface SessionRow {
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

export const sessionOf = (row: SessionRow): SessionRecord => ({
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
