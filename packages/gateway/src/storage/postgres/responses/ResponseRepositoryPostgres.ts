/** Stored responses in Postgres. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer, Random } from "effect"
import type { Statement } from "effect/sql"
import { mostFreedFor, type Quota } from "../../../core/domain/Quota.ts"
import { type Link, ResponseRepository, type StoredResponse } from "../../../core/responses/ResponseRepository.ts"
import { firstOf } from "../../records/Statements.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable, storableOrNull } from "../connection/Texts.ts"
import { patiently } from "../connection/Transactions.ts"
import { makeHoldings } from "./PostgresHoldings.ts"

/** The most rows that one statement deletes. */
const MOST_ROWS = 64

/** Rows of `response_bytes`. */
const SHARES = 64

export const layer = Layer.effect(
  ResponseRepository,
  Effect.gen(function* () {
    const sql = yield* PgClient

    const share = Random.nextIntBetween(0, SHARES - 1)
    const excess = makeHoldings(sql, "response")
    const addBytes = Effect.fnUntraced(function* (bytes: number) {
      yield* sql`UPDATE response_bytes SET total = total + ${bytes}::bigint WHERE share = ${yield* share}`
    })

    /** Runs in a transaction. Returns what was deleted. */
    const remove = Effect.fnUntraced(function* (where: Statement.Fragment) {
      const rows = yield* sql<{ bytes: number }>`DELETE FROM responses WHERE ${where} RETURNING bytes`
      const bytes = rows.reduce((sum, one) => sum + one.bytes, 0)
      if (rows.length > 0) yield* addBytes(-bytes)
      return { count: rows.length, bytes }
    })
    const isOf = (keyId: string, id: string) => sql`key_id = ${storable(keyId)} AND response_id = ${storable(id)}`
    const someOf = (condition: Statement.Fragment) =>
      sql`id IN (SELECT id FROM responses WHERE ${condition} ORDER BY id LIMIT ${MOST_ROWS})`
    /** A key's oldest responses, until this many bytes are free. */
    const oldest = (keyId: string, enough: number) =>
      sql`id IN (SELECT id FROM (
        SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before
        FROM (SELECT id, bytes FROM responses WHERE key_id = ${keyId} ORDER BY id LIMIT ${MOST_ROWS}) AS first
      ) AS summed WHERE before < ${enough}::bigint)`
    /** Each deletion is a transaction of its own, so that no insert waits for the counts of two keys. */
    const makeRoom = Effect.fnUntraced(function* (quota: Quota, keyId: string, bytes: number, most: number) {
      for (let left = most; left > 0;) {
        const more = yield* excess(quota, keyId, bytes)
        if (more === undefined) return
        left -= (yield* sql.withTransaction(remove(oldest(more.keyId, Math.min(more.bytes, left))))).bytes
      }
    })
    const isOld = (cutoff: number) =>
      sql`id IN (SELECT id FROM (SELECT id, created_at FROM responses ORDER BY id LIMIT ${MOST_ROWS}) AS first
        WHERE created_at < ${cutoff})`

    /** Transactions one after another, until there is nothing left to do. */
    const repeatedly = Effect.fnUntraced(function* (where: Statement.Fragment) {
      while ((yield* sql.withTransaction(remove(where))).count > 0) yield* Effect.yieldNow
    })

    const ofRevoked = sql`key_id IN (SELECT id FROM keys WHERE revoked_at IS NOT NULL)`
    /** One query for what there may be to do: nearly always nothing. */
    const remains = sql<{ at: number | null; revoked: boolean }>`SELECT
      (SELECT created_at FROM responses ORDER BY id LIMIT 1) AS at,
      EXISTS (SELECT FROM responses WHERE ${ofRevoked}) AS revoked`.pipe(
      Effect.map(([row]) => ({
        at: row?.at ?? undefined,
        hasRevoked: row?.revoked === true
      }))
    )

    const save = Effect.fn("ResponseRepository.save")(
      function* (response: StoredResponse, itemIds: ReadonlyArray<string>, quota: Quota) {
        const { createdAt, id, parent } = response
        const keyId = storable(response.keyId)
        const [input, body] = [storable(response.input), storable(response.body)]
        const bytes = Buffer.byteLength(input) + Buffer.byteLength(body)
        // A request may end after its key was revoked.
        const revoked = yield* sql`SELECT 1 FROM keys WHERE id = ${keyId} AND revoked_at IS NOT NULL`
        if (bytes > Math.min(quota.all, quota.perKey) || revoked.length > 0) return false
        yield* makeRoom(quota, keyId, bytes, mostFreedFor(bytes))
        const put = sql`WITH response AS (
            INSERT INTO responses (key_id, response_id, parent, created_at, bytes, input, body)
            VALUES (${keyId}, ${storable(id)}, ${storableOrNull(parent)}, ${createdAt}, ${bytes}, ${input}, ${body})
            ON CONFLICT DO NOTHING RETURNING id, key_id
          ), items AS (
            INSERT INTO response_items (key_id, item_id, response)
            SELECT response.key_id, item, response.id
            FROM response, json_array_elements_text(${JSON.stringify(itemIds.map(storable))}::json) AS item
            ON CONFLICT DO NOTHING
          ) SELECT id FROM response`
        const before = response.isAgain === true ? remove(isOf(keyId, id)) : Effect.void
        const added = Effect.flatMap(put, (rows) => (rows.length > 0 ? addBytes(bytes) : Effect.void))
        yield* sql.withTransaction(Effect.andThen(before, added))
        return true
        // The provider was paid for the response, so it waits for a restarting server, as its settlement does.
      },
      patiently,
      orUnavailable
    )

    return {
      save,
      find: Effect.fn("ResponseRepository.find")((keyId: string, id: string) =>
        orUnavailable(
          firstOf(sql<StoredResponse>`SELECT response_id AS id, key_id AS "keyId", parent, created_at AS "createdAt", input, body
          FROM responses WHERE key_id = ${storable(keyId)} AND response_id = ${storable(id)}`)
        )
      ),
      // No response is its own ancestor, as a parent is stored first. UNION would end a cycle.
      links: Effect.fn("ResponseRepository.links")((keyId: string, id: string) =>
        sql<Link>`WITH RECURSIVE link (id, parent, "createdAt", bytes, depth) AS (
            SELECT response_id, parent, created_at, bytes, 0 FROM responses
              WHERE key_id = ${storable(keyId)} AND response_id = ${storable(id)}
            UNION
            SELECT r.response_id, r.parent, r.created_at, r.bytes, link.depth + 1 FROM link
              JOIN responses AS r ON r.key_id = ${storable(keyId)} AND r.response_id = link.parent
          ) CYCLE id SET is_cycle USING path
          SELECT id, parent, "createdAt", bytes FROM link WHERE NOT is_cycle ORDER BY depth`.pipe(orUnavailable)
      ),
      withItem: Effect.fn("ResponseRepository.withItem")((keyId: string, itemId: string) =>
        orUnavailable(
          firstOf(sql<Link>`SELECT response_id AS id, parent, created_at AS "createdAt", bytes FROM responses WHERE id = (
            SELECT max(response) FROM response_items WHERE key_id = ${storable(keyId)} AND item_id = ${storable(itemId)}
          )`)
        )
      ),
      remove: Effect.fn("ResponseRepository.remove")((keyId: string, id: string) =>
        sql.withTransaction(remove(isOf(keyId, id))).pipe(
          Effect.map(({ count }) => count > 0),
          orUnavailable
        )
      ),
      erase: Effect.fn("ResponseRepository.erase")((keyId: string) =>
        orUnavailable(repeatedly(someOf(sql`key_id = ${storable(keyId)}`)))
      ),
      prune: Effect.fn("ResponseRepository.prune")((cutoff: number, quota: Quota) =>
        Effect.gen(function* () {
          const before = yield* remains
          if (before.at !== undefined && before.at < cutoff) yield* repeatedly(isOld(cutoff))
          yield* makeRoom(quota, "", 0, Infinity)
          if (before.hasRevoked) yield* repeatedly(someOf(ofRevoked))
          return (yield* remains).at
        }).pipe(orUnavailable)
      )
    }
  })
)
