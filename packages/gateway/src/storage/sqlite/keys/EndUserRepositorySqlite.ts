/** End users, in the store. */
import { Effect, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import { type EndUserFilter, type EndUserRecord, EndUserRepository } from "../../../core/keys/EndUserRepository.ts"
import { endUserFromRow, type EndUserRow, endUserRow } from "../../records/KeyRows.ts"
import { entryWriter } from "../administration/AuditRepositorySqlite.ts"
import { orUnavailable } from "../file/Reads.ts"
import { Writer } from "../writer/Writer.ts"

const ID_PAGE = 2000

const putRow = `INSERT OR REPLACE INTO end_users (scope, owner, id, body, updated_at, search)
  VALUES (:scope, :owner, :id, :body, :updated_at, :search)`

export const layer = Layer.effect(
  EndUserRepository,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const note = entryWriter(writer.db)

    const find = Effect.fn("EndUserRepository.find")(function* (scope: string) {
      const [row] = yield* orUnavailable(sql<EndUserRow>`SELECT * FROM end_users WHERE scope = ${scope}`)
      return row === undefined ? Option.none<EndUserRecord>() : Option.some(yield* endUserFromRow(row))
    })

    const put = Effect.fn("EndUserRepository.put")((record: EndUserRecord, entry?: NewAuditEntry) =>
      writer.write((db) => {
        db.prepare(putRow).run(endUserRow(record))
        if (entry !== undefined) note(entry)
      })
    )

    const remove = Effect.fn("EndUserRepository.delete")((scope: string, entry?: NewAuditEntry) =>
      writer.write((db) => {
        const isDeleted = Number(db.prepare("DELETE FROM end_users WHERE scope = ?").run(scope).changes) > 0
        if (isDeleted && entry !== undefined) note(entry)
        return isDeleted
      })
    )

    const list = Effect.fn("EndUserRepository.list")(function* ({ after, limit, owner, search }: EndUserFilter) {
      const conditions = [sql`TRUE`]
      if (after !== undefined) conditions.push(sql`scope > ${after}`)
      if (owner !== undefined) conditions.push(sql`owner = ${owner}`)
      if (search !== undefined) conditions.push(sql`instr(search, ${search.toLowerCase()}) > 0`)
      const rows = yield* orUnavailable(
        sql<EndUserRow>`SELECT * FROM end_users WHERE ${sql.and(conditions)} ORDER BY scope LIMIT ${limit + 1}`
      )
      return {
        endUsers: yield* Effect.forEach(rows.slice(0, limit), endUserFromRow),
        hasMore: rows.length > limit
      }
    })

    const ids = Effect.fnUntraced(function* (after: string) {
      const rows = yield* sql<{ id: string }>`SELECT scope AS id FROM end_users WHERE scope > ${after}
        ORDER BY scope LIMIT ${ID_PAGE}`
      const [all] = yield* sql<{ count: number }>`SELECT count(*) AS count FROM end_users`
      return { ids: rows.map(({ id }) => id), hasMore: rows.length === ID_PAGE, most: all?.count ?? 0 }
    }, orUnavailable)

    // One process owns the file, so there are no changes by others.
    return { find, put, delete: remove, list, ids, changes: Stream.empty }
  })
)
