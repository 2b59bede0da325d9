/** All gateways on the store, as each reports itself. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Clock, Effect, Layer } from "effect"
import { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { type NodeList, type NodeRecord, Nodes } from "../../../core/admin/Nodes.ts"
import { StoreHealth } from "../../../core/domain/StoreHealth.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { Flusher } from "../ledger/Flusher.ts"
import { Node } from "./Node.ts"
import { type NodeRow, readNodes, Reports } from "./Reports.ts"
import { Sharing } from "./Sharing.ts"

/** The last migration that brought limits which an older gateway would not apply: policies and address lists of keys. */
const SCOPES_SCHEMA = 20

/** Milliseconds that a person waits for a store that may be unavailable. */
const PATIENCE_MS = 1_000

export const layer = Layer.effect(
  Nodes,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const node = yield* Node
    const flusher = yield* Flusher
    const reports = yield* Reports
    const sharing = yield* Sharing
    const health = yield* StoreHealth

    const nodeOf = (row: NodeRow): NodeRecord => {
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
        state: row.is_silent && !isThis ? "silent" : isRefusing ? "refusing" : "working",
        isThis
      }
    }
    const list = orUnavailable(readNodes(sql)).pipe(
      Effect.timeoutOrElse({ duration: PATIENCE_MS, orElse: () => Effect.fail(node.trouble() ?? silent) }),
      Effect.match({
        onSuccess: (rows): NodeList => ({ nodes: rows.map(nodeOf), trouble: undefined }),
        onFailure: (trouble) => ({ nodes: reports.known().map(nodeOf), trouble: trouble.message })
      }),
      Effect.provideService(Clock.Clock, node.clock)
    )
    const older = sql<{ name: string }>`SELECT name FROM nodes WHERE schema < ${SCOPES_SCHEMA} ORDER BY name`.pipe(
      Effect.map((rows) => rows.map(({ name }) => name)),
      orUnavailable
    )
    const vitals = () => ({
      leaseAgeMs: node.leaseAgeMs(),
      clockAheadMs: reports.clockAheadMs(),
      resentFlushes: flusher.resent
    })
    return { list, older, vitals, sharing }
  })
)

const silent = new StoreUnavailable({
  message: `The store is not available: Postgres has not responded for ${PATIENCE_MS / 1000} s.`
})
