/**
 * Gateways that have died are taken off the list, by any other: what they had open is booked, and their shares are free. A gateway is dead when
 * its beats stand still for longer than its lease by the clock of who looks, so no clocks are compared.
 */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql"
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

interface Seen {
  readonly beats: number
  readonly at: number
}

/** Looks in a lease. */
const LOOKS = 3

/**
 * Looks at once and from then on. `bury`, in the transaction that takes them off, books what gateways that are gone had open and frees what they
 * held; how many attempts that were.
 */
export const keepReaping = (
  sql: PgClient,
  node: Node["Service"],
  bury: Effect.Effect<number, SqlError.SqlError>
): Effect.Effect<void, never, Scope.Scope> => Effect.provideService(reaping(sql, node, bury), Clock.Clock, node.clock)

const reaping = Effect.fnUntraced(function* (
  sql: PgClient,
  node: Node["Service"],
  bury: Effect.Effect<number, SqlError.SqlError>
) {
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
      for (const other of dead) {
        const rows = yield* sql`DELETE FROM nodes WHERE id = ${other.id} AND beats = ${other.beats} RETURNING id`
        if (rows.length > 0) gone.push(other)
      }
      return { gone, booked: gone.length === 0 ? 0 : yield* bury }
    }).pipe(sql.withTransaction)

  const look = Effect.gen(function* () {
    const now = steadyMs(node.clock)
    // Who did not look for so long, or could not, does not know who has beaten meanwhile.
    if (now - lookedAt > node.leaseMs || node.trouble() !== undefined) seen.clear()
    lookedAt = now
    const others = yield* sql<Other>`SELECT id, name, space, pid, lease_ms, beats FROM nodes WHERE id <> ${node.id}`
    for (const id of seen.keys()) if (!others.some((other) => other.id === id)) seen.delete(id)
    const dead = others.filter((other) => isDead(other, now))
    if (dead.length === 0) return
    const { booked, gone } = yield* take(dead)
    for (const { name, pid } of gone) {
      yield* Effect.logWarning(
        `The gateway on ${name} (process ${pid}) is gone: ${booked} attempts that it left open are booked, and its shares of limits are free.`
      )
    }
  }).pipe(Effect.catch(() => Effect.sync(() => seen.clear())))

  yield* look
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(node.leaseMs / LOOKS), look)))
})

const steadyMs = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
