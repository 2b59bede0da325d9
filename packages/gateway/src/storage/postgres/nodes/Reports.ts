/** What a gateway reports about itself, and its clock's offset from the server's. For operators only. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Context, Effect } from "effect"
import { ProductVersion } from "../../../core/domain/About.ts"
import type { FlushQueue } from "../ledger/Flusher.ts"
import type { Node } from "./Node.ts"
import type { SharingTally } from "./Sharing.ts"

/** Reports per lease. */
const REPORTS = 3

/** A larger offset from the server's clock is logged, because budget windows follow this machine's clock. */
const CLOCK_OFF_MS = 500

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

export class Reports extends Context.Service<
  Reports,
  {
    /** How far this machine's clock is ahead of the server's, in milliseconds; negative if behind. */
    readonly clockAheadMs: () => number
    /** All nodes, as the store had them at the last report. */
    readonly known: () => ReadonlyArray<NodeRow>
  }
>()("gateway/storage/Reports") {}

interface Reporting {
  readonly node: Node["Service"]
  readonly flusher: FlushQueue
  readonly sharing: SharingTally
}

export const keepReporting = Effect.fnUntraced(function* (sql: PgClient, { flusher, node, sharing }: Reporting) {
  const version = yield* ProductVersion
  let clockAheadMs = 0
  let isWarned = false
  let known: ReadonlyArray<NodeRow> = []

  const report = Effect.gen(function* () {
    const isRefusing = (flusher.trouble ?? node.trouble()) !== undefined
    const before = yield* Clock.currentTimeMillis
    const [row] = yield* sql<{ at: number }>`UPDATE nodes SET version = ${version},
      lag_ms = ${Math.round(flusher.lagMs())}, shares = ${sharing.held()}, is_refusing = ${isRefusing},
      heard_at = clock_timestamp()
      WHERE id = ${node.id} RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS at`
    const after = yield* Clock.currentTimeMillis
    if (row === undefined) return
    const ahead = (before + after) / 2 - row.at
    // The round trip hides an offset of half its duration to either side.
    const isOff = Math.abs(ahead) - (after - before) / 2 > CLOCK_OFF_MS
    clockAheadMs = ahead
    if (isOff && !isWarned) yield* Effect.logWarning(clockIsOff(ahead))
    isWarned = isOff
    known = yield* readNodes(sql)
  }).pipe(Effect.timeout(node.leaseMs / 2), Effect.ignore)

  yield* report
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(node.leaseMs / REPORTS), report)))
  return Reports.of({ clockAheadMs: () => clockAheadMs, known: () => known })
})

const clockIsOff = (ahead: number): string =>
  `This machine's clock is ${Math.round(Math.abs(ahead))} ms ${ahead > 0 ? "ahead of" : "behind"} that of Postgres: budgets turn by this one.`
