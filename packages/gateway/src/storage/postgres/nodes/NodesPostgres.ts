/** All gateways on the store, as each reports of itself. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import { Nodes } from "../../../core/nodes/Nodes.ts"
import { StoreHealth } from "../../../core/domain/StoreHealth.ts"
import { orUnavailable } from "../connection/Errors.ts"
import { Flusher } from "../ledger/Flusher.ts"
import { Node } from "./Node.ts"
import { Reports } from "./Reports.ts"
import { Sharing } from "./Sharing.ts"

interface Row {
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

export const layer = Layer.effect(
  Nodes,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const node = yield* Node
    const flusher = yield* Flusher
    const reports = yield* Reports
    const sharing = yield* Sharing
    const health = yield* StoreHealth

    const list = sql<Row>`SELECT id, name, version, lease_ms, lag_ms, shares, is_refusing,
      (extract(epoch FROM joined_at) * 1000)::int8 AS joined_at, (extract(epoch FROM heard_at) * 1000)::int8 AS heard_at,
      heard_at < clock_timestamp() - lease_ms * interval '1 ms' AS is_silent
      FROM nodes ORDER BY joined_at, id`.pipe(
      orUnavailable,
      Effect.map((rows) =>
        rows.map((row) => {
          const isThis = row.id === node.id
          const isRefusing = isThis ? health.trouble() !== undefined : row.is_refusing
          return {
            id: row.id,
            name: row.name,
            version: row.version,
            joinedAt: row.joined_at,
            leaseMs: row.lease_ms,
            heardAt: row.heard_at,
            lagMs: isThis ? flusher.lagMs() : row.lag_ms,
            sharesHeld: isThis ? sharing.held() : row.shares,
            state: row.is_silent ? ("silent" as const) : isRefusing ? ("refusing" as const) : ("working" as const),
            isThis
          }
        })
      )
    )
    const vitals = () => ({
      leaseAgeMs: node.leaseAgeMs(),
      clockAheadMs: reports.clockAheadMs(),
      resentFlushes: flusher.resent
    })
    return { list, vitals, sharing }
  })
)
