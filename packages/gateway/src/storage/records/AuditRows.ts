/** The audit log in the store. */
import { Effect, Layer } from "effect"
import type { Actor } from "../../core/domain/Actor.ts"
import { type AuditEntry, type AuditFilter, AuditRepository } from "../../core/domain/AuditRepository.ts"
import type { Visibility } from "../../core/domain/Principal.ts"
import { all, marks, type Statement, Statements } from "./Statements.ts"

interface AuditRow {
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

const auditEntryOf = (row: AuditRow): AuditEntry => ({
  id: row.id,
  at: row.at,
  actor: { kind: row.actor_kind, id: row.actor, address: row.address },
  action: row.action,
  target: row.target,
  before: JSON.parse(row.before),
  after: JSON.parse(row.after)
})

/** Selects what a person did, and what was done to the teams, their keys and their members. */
const seenEntries = (visibility: Visibility): Statement | undefined => {
  if (visibility === "all") return undefined
  const { owner, teams } = visibility
  const named = marks(teams)
  return [
    `(actor = ? OR (action LIKE 'teams.%' AND target IN (${named}))
      OR (action LIKE 'keys.%' AND target IN (SELECT id FROM keys WHERE team IN (${named})))
      OR (action LIKE 'members.%' AND target IN (SELECT person FROM assignments WHERE team IN (${named}))))`,
    owner ?? "",
    ...teams,
    ...teams,
    ...teams
  ]
}

export const layer = Layer.effect(
  AuditRepository,
  Effect.map(Statements, ({ read, write }) => ({
    add: (entry) => Effect.asVoid(write([], { entries: [entry] })),
    list: Effect.fn("AuditRepository.list")(function* (filter: AuditFilter) {
      const { action, actor, after, from, limit, target, to, visibility } = filter
      const [text, ...values] = all([
        seenEntries(visibility),
        after === undefined ? undefined : ["id < ?", after],
        actor === undefined ? undefined : ["actor = ?", actor],
        action === undefined ? undefined : ["action = ?", action],
        target === undefined ? undefined : ["target = ?", target],
        from === undefined ? undefined : ["at >= ?", from],
        to === undefined ? undefined : ["at < ?", to]
      ])
      const rows = yield* read<AuditRow>(
        `SELECT * FROM audit WHERE ${text} ORDER BY id DESC LIMIT ?`,
        ...values,
        limit + 1
      )
      return { entries: rows.slice(0, limit).map(auditEntryOf), hasMore: rows.length > limit }
    })
  }))
)
