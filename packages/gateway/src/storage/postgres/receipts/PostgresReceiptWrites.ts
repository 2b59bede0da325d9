/** Writes pages of receipts with their kept prompts, and deletes expired ones. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { PageDraft } from "../../records/receipts/PageDraft.ts"
import type { Prompts } from "../../records/receipts/WaitingPrompts.ts"
import { storable, storableOrNull } from "../connection/Texts.ts"

/** The most pages that one statement deletes. */
export const PRUNE_PAGES = 16

/** Writes a page of at least one receipt. Returns the end of the newest receipt in epoch milliseconds. */
export const insertPage = Effect.fnUntraced(function* (
  sql: PgClient,
  { body, endedAt, requestIds }: PageDraft,
  prompts?: Prompts
): Effect.fn.Return<number, SqlError.SqlError> {
  const ids = requestIds.map(storable).sort((a, b) => (a < b ? -1 : 1))
  const kept = requestIds.flatMap((requestId) => {
    const prompt = prompts?.get(requestId)
    if (prompt === undefined) return []
    return [{ request: storable(requestId), set: storableOrNull(prompt.featureSet), body: storable(prompt.body) }]
  })
  // JSON escapes what Postgres can't store, so the page stays as it is.
  yield* sql`WITH page AS (
      INSERT INTO receipts (first_request, last_request, ended_at, body)
      VALUES (${ids[0] ?? ""}, ${ids.at(-1) ?? ""}, ${endedAt}, ${body}) RETURNING id
    ) INSERT INTO kept_prompts (page, request_id, feature_set, body)
      SELECT page.id, x.request, x.set, x.body
      FROM page, json_to_recordset(${JSON.stringify(kept)}::json) AS x(request text, set text, body text)`
  return endedAt
})

/** Deletes some of the oldest pages that ended before `cutoff` (epoch milliseconds). Returns how many. */
export const prunePages = (sql: PgClient, cutoff: number): Effect.Effect<number, SqlError.SqlError> =>
  Effect.map(
    sql`DELETE FROM receipts WHERE id IN (SELECT id FROM receipts ORDER BY id LIMIT ${PRUNE_PAGES}) AND ended_at < ${cutoff}
      RETURNING id`,
    (rows) => rows.length
  )
