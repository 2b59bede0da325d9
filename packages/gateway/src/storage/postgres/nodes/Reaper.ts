/** Closes open attempts of dead gateways and frees their quota. Dead: silent for longer than its lease, by this clock. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { steadyMs } from "../../../core/collections/Steady.ts"
import { LEASE_MARGIN } from "./Join.ts"
import type { Node } from "./Node.ts"
import { mayLive } from "./Process.ts"

interface Other {
  readonly id: number
  readonly name: string
  readonly space: string
  readonly pid: number
  readonly lease_ms: number
  readonly beats: number
}

/** A node whose process has certainly died, so that nothing more is written for it. */
export interface DeadNode {
  readonly node: number
  /** The latest time of death, in epoch milliseconds. */
  readonly until: number
}

type Bury = (dead: ReadonlyArray<DeadNode>) => Effect.Effect<number, SqlError.SqlError>

interface Seen {
  readonly beats: number
  readonly at: number
}

const LOOKS = 3

/**
 * Checks immediately and from then on. `bury` closes what dead gateways had open and returns how many attempts. `dead`:
 * processes that have certainly died; others may still run, and providers charge all that they reserve.
 */
export const keepReaping = (
  sql: PgClient,
  node: Node["Service"],
  bury: Bury
): Effect.Effect<void, never, Scope.Scope> => Effect.provideService(reaping(sql, node, bury), Clock.Clock, node.clock)

const reaping = Effect.fnUntraced(function* (sql: PgClient, node: Node["Service"], bury: Bury) {
  const seen = new Map<number, Seen>()
  let lookedAt = 0

  const isDead = (other: Other, now: number): boolean => {
    const first = seen.get(other.id)
    if (first?.beats !== other.beats) seen.set(other.id, { beats: other.beats, at: now })
    return !mayLive(other) || now - (seen.get(other.id)?.at ?? now) >= other.lease_ms * LEASE_MARGIN
  }

  const take = (dead: ReadonlyArray<Other>) =>
    Effect.gen(function* () {
      const gone: Array<Other> = []
      const known: Array<DeadNode> = []
      for (const other of dead) {
        // Each node is heard several times per lease, so it lived at most one lease longer, unless the server was unavailable.
        const [row] = yield* sql<{
          until: number | null
        }>`DELETE FROM nodes WHERE id = ${other.id} AND beats = ${other.beats}
          RETURNING CASE WHEN heard_at > pg_postmaster_start_time() THEN
            least(extract(epoch FROM heard_at) * 1000 + lease_ms, extract(epoch FROM clock_timestamp()) * 1000)::int8 END AS until`
        if (row === undefined) continue
        gone.push(other)
        if (row.until !== null && !mayLive(other)) known.push({ node: other.id, until: row.until })
      }
      return { gone, booked: gone.length === 0 ? 0 : yield* bury(known) }
    }).pipe(sql.withTransaction)

  const look = Effect.gen(function* () {
    const now = steadyMs(node.clock)
    // An observer that did not look for this long does not know which nodes have sent heartbeats meanwhile.
    if (now - lookedAt > node.leaseMs || node.trouble() !== undefined) seen.clear()
    lookedAt = now
    const others = yield* sql<Other>`SELECT id, name, space, pid, lease_ms, beats FROM nodes WHERE id <> ${node.id}`
    for (const id of seen.keys()) if (!others.some((other) => other.id === id)) seen.delete(id)
    const dead = others.filter((other) => isDead(other, now))
    if (dead.length === 0) return
    const { booked, gone } = yield* take(dead)
    for (const { name, pid } of gone) {
      yield* Effect.logWarning(
        `The gateway on ${name} (process ${pid}) is dead: its ${booked} open attempts are charged, and its limit leases are released.`
      )
    }
  }).pipe(Effect.catch(() => Effect.sync(() => seen.clear())))

  yield* look
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(node.leaseMs / LOOKS), look)))
})
