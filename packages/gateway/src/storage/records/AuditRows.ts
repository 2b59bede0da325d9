/** Rows of `audit`. */
import type { Actor } from "../../core/domain/Actor.ts"
import type { AuditEntry } from "../../core/domain/AuditRepository.ts"

export interface AuditRow {
  readonly id: number
  readonly at: number
  readonly actor_kind: Actor["kind"]
  readonly actor: string
  readonly address: string
  readonly action: string
  readonly target: string
  readonly before: string
  readonly after: string
}

export const auditEntryOf = (row: AuditRow): AuditEntry => ({
  id: row.id,
  at: row.at,
  actor: { kind: row.actor_kind, id: row.actor, address: row.address },
  action: row.action,
  target: row.target,
  before: JSON.parse(row.before),
  after: JSON.parse(row.after)
})
