/** The gateways on the store, as rows. */
import type { PgClient } from "@effect/sql-pg/PgClient"

export interface NodeRow {
  readonly id: number
  readonly name: string
  readonly version: string
  readonly joined_at: number
  readonly lease_ms: number
  readonly heard_at: number
  readonly lag_ms: number
  readonly shares: number
  readonly is_refusing: boolean
  readonly is_silent: boolean
}

/** The longest-running first. Times are epoch milliseconds by the server's clock. */
export const readNodes = (
  sql: PgClient
) => sql<NodeRow>`SELECT id, name, version, lease_ms, lag_ms, shares, is_refusing,
  (extract(epoch FROM joined_at) * 1000)::int8 AS joined_at, (extract(epoch FROM heard_at) * 1000)::int8 AS heard_at,
  heard_at < clock_timestamp() - lease_ms * interval '1 ms' AS is_silent
  FROM nodes ORDER BY joined_at, id`
