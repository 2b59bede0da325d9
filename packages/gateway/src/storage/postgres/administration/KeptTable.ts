/** What the two tables of kept responses in Postgres have in common. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import {
  type CacheVitals,
  type Erasure,
  type HeldByKey,
  headerOfResponse,
  likeModel,
  MADE_BY
} from "../../../core/kept/KeptResponses.ts"
import { mostFreedFor, type Quota } from "../../../core/domain/Quota.ts"
import { storable } from "../connection/Texts.ts"
import { makeHoldings } from "../responses/PostgresHoldings.ts"

export const keptTable = (sql: PgClient, name: "kept_answers" | "cached_responses", vitals?: CacheVitals) => {
  const table = sql(name)
  const kind = name === "kept_answers" ? "answer" : "cached"
  const order = sql(kind === "answer" ? "kept_at" : "used_at")
  const holdings = sql(kind === "answer" ? "holdings" : "cached_holdings")
  const excess = makeHoldings(sql, kind)
  const removeOldest = (keyId: string) => sql<{ bytes: string }>`DELETE FROM ${table} WHERE id IN (
    SELECT id FROM ${table} WHERE key_id = ${keyId} ORDER BY ${order} LIMIT 1) RETURNING bytes::text`

  return {
    /** Each deletion is a transaction of its own, so that no insert waits for the counts of two keys. */
    makeRoom: Effect.fnUntraced(function* (quota: Quota, keyId: string, bytes: number) {
      for (let left = mostFreedFor(bytes); left > 0;) {
        const more = yield* excess(quota, keyId, bytes)
        if (more === undefined) return
        for (const freed of yield* removeOldest(more.keyId)) {
          left -= Number(freed.bytes)
          if (vitals !== undefined) vitals.room++
        }
      }
    }),

    erase: ({ keyId, model, responseId }: Erasure) => {
      const conditions = [sql`kind <> 'erased'`]
      if (keyId !== undefined) {
        const owner = storable(keyId)
        const madeBy = sql`key_id >= 'team:' AND key_id < 'team;' AND position(${`"${MADE_BY}":${JSON.stringify(keyId)}`} IN headers) > 0`
        conditions.push(responseId === undefined ? sql`(key_id = ${owner} OR (${madeBy}))` : sql`key_id = ${owner}`)
      }
      if (responseId !== undefined) conditions.push(sql`position(${headerOfResponse(responseId)} IN headers) > 0`)
      if (model !== undefined) conditions.push(sql`headers ILIKE ${storable(likeModel(model))}`)
      return Effect.asVoid(sql`DELETE FROM ${table} WHERE ${sql.and(conditions)}`)
    },

    held: Effect.map(
      sql<{ keyId: string; entries: number; bytes: string }>`SELECT key_id AS "keyId", bytes::text,
        (SELECT count(*)::int FROM ${table} AS k WHERE k.key_id = h.key_id) AS entries
        FROM ${holdings} AS h WHERE kind = ${kind} AND bytes > 0 ORDER BY h.bytes DESC`,
      (rows): ReadonlyArray<HeldByKey> => rows.map((row) => ({ ...row, bytes: Number(row.bytes) }))
    )
  }
}
