/** The number of rows and bytes that each key has of one kind. Triggers keep the counts. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { excessOf, type Quota } from "../../../core/domain/Quota.ts"

interface HoldingsRow {
  readonly own: string | null
  readonly all: string | null
  readonly largest: ReadonlyArray<{ readonly keyId: string; readonly bytes: number }> | null
}

/** Whose oldest rows must be deleted, and how many bytes of them, before a key has room for `more` bytes. One round trip. */
export const makeHoldings = (sql: PgClient, kind: "response" | "answer" | "cached") => {
  const holdings = sql(kind === "cached" ? "cached_holdings" : "holdings")
  // What all keys hold.
  const all = {
    response: sql`SELECT sum(total) FROM response_bytes`,
    answer: sql`SELECT sum(total) FROM kept_bytes`,
    cached: sql`SELECT sum(bytes) FROM cached_holdings`
  }[kind]
  return (quota: Quota, keyId: string, more: number) =>
    Effect.map(
      sql<HoldingsRow>`SELECT (SELECT bytes FROM ${holdings} WHERE kind = ${kind} AND key_id = ${keyId})::text AS own,
        (${all})::text AS all,
        (SELECT json_agg(json_build_object('keyId', key_id, 'bytes', bytes)) FROM (
          SELECT key_id, bytes FROM ${holdings} WHERE kind = ${kind} ORDER BY bytes DESC LIMIT 2
        ) AS most) AS largest`,
      ([row]) =>
        excessOf(
          { own: Number(row?.own ?? 0), all: Number(row?.all ?? 0), largest: row?.largest ?? [] },
          quota,
          keyId,
          more
        )
    )
}
