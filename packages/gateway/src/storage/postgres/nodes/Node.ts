/**
 * This gateway among those on the store: its number, and the lease by which it works. A beat does not wait for the one before: where Postgres or
 * this process is slow, each answer within a lease is still in time.
 */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Context, Effect, Latch, Random } from "effect"
import type { SqlError } from "effect/sql"
import { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { join, joinAgain } from "./Join.ts"
import { Lease } from "./Lease.ts"

export interface NodeOptions {
  readonly name: string
  readonly leaseMs: number
  /** The store, as messages name it. */
  readonly place: string
}

/** Milliseconds to the next beat where one is due at once. */
const SOON_MS = 20

/** Beats in a lease: two may be lost. */
const BEATS = 3

export class Node extends Context.Service<
  Node,
  {
    readonly id: number
    readonly leaseMs: number
    /** By which its lease counts. */
    readonly clock: Clock.Clock
    /** Why nothing new may be taken on; undefined while it may. */
    readonly trouble: () => StoreUnavailable | undefined
    /** Milliseconds since the lease was renewed. */
    readonly leaseAgeMs: () => number
    /** When the store was last heard of, epoch ms. */
    readonly heardAt: () => number
    /** Others took this gateway for dead: it takes on nothing. */
    readonly fence: () => void
    /** In a transaction on `within`: it is one of them again, with so many groups of the ledger written. Its lease begins with its next beat. */
    readonly rejoin: (within: PgClient, flushed: number) => Effect.Effect<void, SqlError.SqlError>
    /** After that. */
    readonly rejoined: () => void
    /** What a beat brings with it: called with the number of the newest change. The number that is in force here goes along. */
    readonly onBeat: (listener: BeatListener) => void
  }
>()("gateway/storage/Node") {}

export interface BeatListener {
  /** Whether all changes up to this one are in force here; if not, they soon are. Asked after a lapse, when nobody waited for this gateway. */
  readonly isUpTo?: (seq: number) => boolean
  /** The newest change that is in force here; undefined: one waits for so long that the lease may not be renewed. */
  readonly inForce?: () => number | undefined
  readonly newest?: (seq: number) => void
  /** Others took this gateway for dead. */
  readonly fenced?: () => void
  /** The server has started since it was told what this gateway holds of limits. */
  readonly newEngine?: () => void
}

export const makeNode = Effect.fnUntraced(function* (sql: PgClient, { leaseMs, name, place }: NodeOptions) {
  const clock = yield* Clock.Clock
  const id = yield* Random.nextIntBetween(1, 2 ** 31 - 1)
  const lease = new Lease(leaseMs, clock)
  let isFenced = false
  /** How often it has joined. */
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
  /** Undefined: one of the changes is not in force for too long. */
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
    // What it says is of the place that this gateway has lost since.
    if (time !== joined) return
    if (row === undefined) return fence()
    // Changes that were told since it was over did not wait for this gateway.
    const isUpToDate = !lease.isOver || listeners.every(({ isUpTo }) => isUpTo?.(row.newest) !== false)
    if (isUpToDate) lease.renew(sent)
    else soon.openUnsafe()
    for (const { newEngine, newest } of listeners) {
      newest?.(row.newest)
      if (row.is_new) newEngine?.()
    }
  }).pipe(Effect.timeout(leaseMs), Effect.ignore)
  let isOver = false
  /** Says it once, as refusals themselves leave no line. */
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
