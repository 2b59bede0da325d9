/** This gateway as a node of the store. Heartbeats overlap, so each response within a lease counts. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Context, Data, Effect, Latch, Random } from "effect"
import type { SqlError } from "effect/sql"
import { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { join, joinAgain } from "./Join.ts"
import { Lease } from "./Lease.ts"

/** Other gateways declared this one dead: they hold its quota, and its open attempts are closed. */
export class Fenced extends Data.TaggedError("Fenced") {}

export interface NodeOptions {
  readonly name: string
  readonly leaseMs: number
  /** The store's name in messages. */
  readonly place: string
}

/** Milliseconds to the next heartbeat when one is due immediately. */
const SOON_MS = 20

/** Heartbeats per lease: two may be lost. */
const BEATS = 3

export class Node extends Context.Service<
  Node,
  {
    readonly id: number
    readonly leaseMs: number
    readonly clock: Clock.Clock
    /** Why no new work is accepted; undefined while it is. */
    readonly trouble: () => StoreUnavailable | undefined
    /** Milliseconds since the lease was renewed. */
    readonly leaseAgeMs: () => number
    /** When the store last responded, in epoch milliseconds. */
    readonly heardAt: () => number
    /** Called when other gateways declared this one dead: it accepts no work. */
    readonly fence: () => void
    /** Joins again in a transaction on `within`, with `flushed` groups. The lease begins with the next heartbeat. */
    readonly rejoin: (within: PgClient, flushed: number) => Effect.Effect<void, SqlError.SqlError>
    /** Called after `rejoin`. */
    readonly rejoined: () => void
    /** Registers for heartbeats, which carry the newest change and report the one in force here. */
    readonly onBeat: (listener: BeatListener) => void
  }
>()("gateway/storage/Node") {}

export interface BeatListener {
  /** Whether all changes up to this one are in force here, or soon will be. Called after a lapse. */
  readonly isUpTo?: (seq: number) => boolean
  /** The newest change that is in force here; undefined if one has waited so long that the lease must not be renewed. */
  readonly inForce?: () => number | undefined
  readonly newest?: (seq: number) => void
  /** Other gateways declared this one dead. */
  readonly fenced?: () => void
  /** The server has started since this gateway reported its quota. */
  readonly newEngine?: () => void
}

export const makeNode = Effect.fnUntraced(function* (sql: PgClient, { leaseMs, name, place }: NodeOptions) {
  const clock = yield* Clock.Clock
  const id = yield* Random.nextIntBetween(1, 2 ** 31 - 1)
  const lease = new Lease(leaseMs, clock)
  let isFenced = false
  /** How often this gateway has joined. */
  let joined = 1
  const self = { id, name, leaseMs }
  yield* Effect.acquireRelease(
    Effect.andThen(
      join(sql, self, place),
      Effect.sync(() => lease.renew(lease.now()))
    ),
    () =>
      Effect.andThen(sql`DELETE FROM nodes WHERE id = ${id}`, sql`SELECT free_shares()::text AS freed`).pipe(
        sql.withTransaction,
        Effect.timeout("2 seconds"),
        Effect.ignore
      )
  )

  const fence = () => {
    if (isFenced) return
    isFenced = true
    for (const { fenced } of listeners) fenced?.()
  }

  const listeners: Array<BeatListener> = []
  /** Undefined if a change has not been in force for too long. */
  const seenHere = (): number | undefined => {
    const inForce = listeners.map(({ inForce = () => 0 }) => inForce())
    return inForce.includes(undefined) ? undefined : Math.max(0, ...inForce.map((seq) => seq ?? 0))
  }
  const beat = Effect.gen(function* () {
    const seen = seenHere()
    if (seen === undefined) return
    const [sent, time] = [lease.now(), joined]
    const [row] = yield* sql<{ newest: number; is_new: boolean }>`UPDATE nodes
      SET beats = beats + 1, seen = greatest(seen, ${seen}) WHERE id = ${id}
      RETURNING (SELECT coalesce(max(seq), 0) FROM changes) AS newest, engine <> pg_postmaster_start_time() AS is_new`
    // The response is about a membership that has ended since.
    if (time !== joined) return
    if (row === undefined) return fence()
    // Changes sent since it ended did not wait for this gateway.
    const isUpToDate = !lease.isOver || listeners.every(({ isUpTo }) => isUpTo?.(row.newest) !== false)
    if (isUpToDate) lease.renew(sent)
    else soon.openUnsafe()
    for (const { newEngine, newest } of listeners) {
      newest?.(row.newest)
      if (row.is_new) newEngine?.()
    }
  }).pipe(Effect.timeout(leaseMs), Effect.ignore)
  let isOver = false
  /** Logs it once, because refusals themselves are not logged. */
  const tell = Effect.suspend(() => {
    if (isFenced || lease.isOver === isOver) return Effect.void
    isOver = !isOver
    return isOver
      ? Effect.logWarning(
          `${lapse(lease.ageMs)} New requests are refused until it responds in time: it is down or slow, or this process gets too little CPU.`
        )
      : Effect.logInfo("Postgres responds in time again: new requests are accepted.")
  })
  const soon = Latch.makeUnsafe(false)
  const pause = Effect.timeoutOption(Effect.andThen(soon.await, Effect.sleep(SOON_MS)), leaseMs / BEATS)
  const turn = Effect.andThen(
    Effect.andThen(
      pause,
      Effect.sync(() => soon.closeUnsafe())
    ),
    Effect.andThen(tell, Effect.forkScoped(Effect.andThen(beat, tell)))
  )
  yield* Effect.forkScoped(Effect.forever(turn))

  const trouble = (): StoreUnavailable | undefined => {
    if (isFenced) return fenced
    if (!lease.isOver) return undefined
    return new StoreUnavailable({ message: lapse(lease.ageMs), reason: "lease_over" })
  }
  return Node.of({
    id,
    clock,
    leaseMs,
    trouble,
    leaseAgeMs: () => lease.ageMs,
    heardAt: () => lease.renewedAt,
    fence,
    rejoin: (within, flushed) => joinAgain(within, self, flushed, seenHere() ?? 0),
    rejoined: () => {
      isFenced = false
      joined++
      lease.end()
      soon.openUnsafe()
    },
    onBeat: (listener) => void listeners.push(listener)
  })
})

const lapse = (ageMs: number): string =>
  `The store is not available: Postgres has not responded for ${Math.round(ageMs / 1000)} s, longer than store.postgres.lease.`

export const fenced = new StoreUnavailable({
  message:
    "The store is not available: this gateway did not respond for longer than its lease, so others declared it dead. It rejoins as soon as possible.",
  reason: "replaced"
})
