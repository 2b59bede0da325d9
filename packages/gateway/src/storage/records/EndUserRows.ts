/** End users in the store. */
import { Effect, Layer, Option, Stream } from "effect"
import { type EndUserFilter, type EndUserRecord, EndUserRepository } from "../../core/keys/EndUserRepository.ts"
import type { ChangeNotice } from "../../core/keys/KeyRepository.ts"
import { endUserFromRow, type EndUserRow, endUserRow } from "./KeyRows.ts"
import { all, Statements, type StoreChange } from "./Statements.ts"

const ID_PAGE = 2000

const isAboutEndUsers = (change: StoreChange): change is ChangeNotice =>
  change.what === "end_user" || change.what === "all"

export const layer = Layer.effect(
  EndUserRepository,
  Effect.gen(function* () {
    const { changes, contains, read, write } = yield* Statements
    return {
      find: Effect.fn("EndUserRepository.find")(function* (scope: string) {
        const [row] = yield* read<EndUserRow>("SELECT * FROM end_users WHERE scope = ?", scope)
        return row === undefined ? Option.none<EndUserRecord>() : Option.some(yield* endUserFromRow(row))
      }),
      put: (record, entry) => {
        const { body, id, owner, scope, search, updated_at } = endUserRow(record)
        const insert = `INSERT INTO end_users (scope, owner, id, body, updated_at, search) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (scope) DO UPDATE
          SET body = excluded.body, updated_at = excluded.updated_at, search = excluded.search`
        return Effect.asVoid(
          write([[insert, scope, owner, id, body, updated_at, search]], {
            entries: [entry],
            changes: [{ what: "end_user", id: scope }]
          })
        )
      },
      delete: (scope, entry) =>
        Effect.map(
          write([["DELETE FROM end_users WHERE scope = ?", scope]], {
            entries: [entry],
            ifChanged: true,
            changes: [{ what: "end_user", id: scope }]
          }),
          (count) => count > 0
        ),
      list: Effect.fn("EndUserRepository.list")(function* ({ after, limit, owner, search }: EndUserFilter) {
        const [text, ...values] = all([
          after === undefined ? undefined : ["scope > ?", after],
          owner === undefined ? undefined : ["owner = ?", owner],
          search === undefined ? undefined : contains("search", search)
        ])
        const rows = yield* read<EndUserRow>(
          `SELECT * FROM end_users WHERE ${text} ORDER BY scope LIMIT ?`,
          ...values,
          limit + 1
        )
        const endUsers = yield* Effect.forEach(rows.slice(0, limit), endUserFromRow)
        return { endUsers, hasMore: rows.length > limit }
      }),
      ids: Effect.fnUntraced(function* (after: string) {
        const rows = yield* read<{ readonly id: string }>(
          `SELECT scope AS id FROM end_users WHERE scope > ? ORDER BY scope LIMIT ${ID_PAGE}`,
          after
        )
        const [counted] = yield* read<{ readonly count: number }>("SELECT count(*) AS count FROM end_users")
        return { ids: rows.map(({ id }) => id), hasMore: rows.length === ID_PAGE, most: counted?.count ?? 0 }
      }),
      changes: Stream.filter(yield* changes, isAboutEndUsers)
    }
  })
)
