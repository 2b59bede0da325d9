/** End users, in Postgres. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer, Option, Stream } from "effect"
import type { SqlError } from "effect/sql"
import type { NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import { type EndUserFilter, type EndUserRecord, EndUserRepository } from "../../../core/keys/EndUserRepository.ts"
import type { ChangeNotice } from "../../../core/keys/KeyRepository.ts"
import { endUserFromRow, type EndUserRow, endUserRow } from "../../records/KeyRows.ts"
import { note } from "../administration/AuditRepositoryPostgres.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"
import { Changes, type StoreChange } from "../nodes/Changes.ts"

const ID_PAGE = 2000

const isAboutEndUsers = (change: StoreChange): change is ChangeNotice =>
  change.what === "end_user" || change.what === "all"

export const layer = Layer.effect(
  EndUserRepository,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const changes = yield* Changes

    /** Completes when the change is in force on every gateway. */
    const change = <A>(scope: string, run: Effect.Effect<A, SqlError.SqlError>) =>
      Effect.gen(function* () {
        const value = yield* run
        return { value, seq: yield* changes.note(sql, { what: "end_user", id: scope }) }
      }).pipe(
        sql.withTransaction,
        orUnavailable,
        Effect.tap(({ seq }) => changes.inForce(seq)),
        Effect.map(({ value }) => value)
      )

    const find = Effect.fn("EndUserRepository.find")(function* (scope: string) {
      const [row] = yield* orUnavailable(sql<EndUserRow>`SELECT * FROM end_users WHERE scope = ${storable(scope)}`)
      return row === undefined ? Option.none<EndUserRecord>() : Option.some(yield* endUserFromRow(row))
    })

    const put = Effect.fn("EndUserRepository.put")((record: EndUserRecord, entry?: NewAuditEntry) => {
      const { body, id, owner, scope, search, updated_at } = endUserRow(record)
      const row = { scope, owner: storable(owner), id: storable(id), body: storable(body), updated_at }
      return change(
        scope,
        Effect.andThen(
          sql`INSERT INTO end_users ${sql.insert({ ...row, search: storable(search) })} ON CONFLICT (scope) DO UPDATE
            SET body = excluded.body, updated_at = excluded.updated_at, search = excluded.search`,
          Effect.suspend(() => note(sql, entry))
        )
      )
    })

    const remove = Effect.fn("EndUserRepository.delete")((scope: string, entry?: NewAuditEntry) =>
      change(
        scope,
        Effect.gen(function* () {
          const deleted = yield* sql`DELETE FROM end_users WHERE scope = ${scope} RETURNING scope`
          if (deleted.length > 0) yield* note(sql, entry)
          return deleted.length > 0
        })
      )
    )

    const list = Effect.fn("EndUserRepository.list")(function* ({ after, limit, owner, search }: EndUserFilter) {
      const conditions = [sql`TRUE`]
      if (after !== undefined) conditions.push(sql`scope > ${storable(after)}`)
      if (owner !== undefined) conditions.push(sql`owner = ${storable(owner)}`)
      if (search !== undefined) conditions.push(sql`strpos(search, ${storable(search.toLowerCase())}) > 0`)
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
      const [all] = yield* sql<{ count: number }>`SELECT count(*)::int AS count FROM end_users`
      return { ids: rows.map(({ id }) => id), hasMore: rows.length === ID_PAGE, most: all?.count ?? 0 }
    }, orUnavailable)

    return { find, put, delete: remove, list, ids, changes: Stream.filter(yield* changes.join, isAboutEndUsers) }
  })
)
