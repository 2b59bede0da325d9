/** The audit log in the store. */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type AuditFilter, AuditRepository, type NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import { auditEntryOf, type AuditRow } from "../../records/AuditRows.ts"
import { seenEntries } from "../../records/SeenRows.ts"
import { orUnavailable } from "../file/Reads.ts"
import { Writer } from "../writer/Writer.ts"

/** Adds entries in the transaction of the changes that they record. */
export const entryWriter = (db: DatabaseSync) => {
  const insert = db.prepare(
    "INSERT INTO audit (at, actor_kind, actor, address, action, target, before, after) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
  )
  return ({ action, actor, after, at, before, target }: NewAuditEntry): void => {
    const texts = [JSON.stringify(before ?? null), JSON.stringify(after ?? null)] as const
    insert.run(at, actor.kind, actor.id, actor.address, action, target, ...texts)
  }
}

export const layer = Layer.effect(
  AuditRepository,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const write = entryWriter(writer.db)

    const list = Effect.fn("AuditRepository.list")(function* (filter: AuditFilter) {
      const { action, actor, after, from, limit, target, to, visibility } = filter
      const conditions = [
        sql`TRUE`,
        ...seenEntries(sql, visibility),
        ...(after === undefined ? [] : [sql`id < ${after}`]),
        ...(actor === undefined ? [] : [sql`actor = ${actor}`]),
        ...(action === undefined ? [] : [sql`action = ${action}`]),
        ...(target === undefined ? [] : [sql`target = ${target}`]),
        ...(from === undefined ? [] : [sql`at >= ${from}`]),
        ...(to === undefined ? [] : [sql`at < ${to}`])
      ]
      const rows = yield* orUnavailable(
        sql<AuditRow>`SELECT * FROM audit WHERE ${sql.and(conditions)} ORDER BY id DESC LIMIT ${limit + 1}`
      )
      return { entries: rows.slice(0, limit).map(auditEntryOf), hasMore: rows.length > limit }
    })

    return {
      add: (entry) => writer.write(() => write(entry)),
      list
    }
  })
)
