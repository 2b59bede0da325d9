/** The audit log in Postgres. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { type AuditFilter, AuditRepository, type NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import { auditEntryOf, type AuditRow } from "../../records/AuditRows.ts"
import { seenEntries } from "../../records/SeenRows.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"

/** Adds entries in the transaction of the changes that they record. */
export const note = (
  sql: PgClient,
  ...entries: ReadonlyArray<NewAuditEntry | undefined>
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.forEach(
    entries.filter((entry) => entry !== undefined),
    ({ action, actor, after, at, before, target }) =>
      sql`INSERT INTO audit (at, actor_kind, actor, address, action, target, before, after)
        VALUES (${at}, ${actor.kind}, ${storable(actor.id)}, ${storable(actor.address)}, ${action}, ${storable(target)},
          ${JSON.stringify(before ?? null)}, ${JSON.stringify(after ?? null)})`,
    { discard: true }
  )

export const layer = Layer.effect(
  AuditRepository,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const list = Effect.fn("AuditRepository.list")(function* (filter: AuditFilter) {
      const { action, actor, after, from, limit, target, to, visibility } = filter
      const conditions = [
        sql`TRUE`,
        ...seenEntries(sql, visibility),
        ...(after === undefined ? [] : [sql`id < ${after}`]),
        ...(actor === undefined ? [] : [sql`actor = ${storable(actor)}`]),
        ...(action === undefined ? [] : [sql`action = ${storable(action)}`]),
        ...(target === undefined ? [] : [sql`target = ${storable(target)}`]),
        ...(from === undefined ? [] : [sql`at >= ${from}`]),
        ...(to === undefined ? [] : [sql`at < ${to}`])
      ]
      const rows = yield* orUnavailable(
        sql<AuditRow>`SELECT * FROM audit WHERE ${sql.and(conditions)} ORDER BY id DESC LIMIT ${limit + 1}`
      )
      return { entries: rows.slice(0, limit).map(auditEntryOf), hasMore: rows.length > limit }
    })
    return { add: (entry) => orUnavailable(Effect.suspend(() => note(sql, entry))), list }
  })
)
