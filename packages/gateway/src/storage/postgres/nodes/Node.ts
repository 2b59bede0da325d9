/**
 * This gateway among those on the store: its number, and the lease by which it works. It may take on work while the lease lasts, which each
 * beat makes longer, counted from before the beat was sent by a clock that never stops and one that a suspended machine does not stop.
 */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Context, Effect, Random } from "effect"
import { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { joinAlone, joinOthers } from "./Join.ts"

export interface NodeOptions {
  readonly name: string
  readonly leaseMs: number
  /** The store, as messages name it. */
  readonly place: string
}

/** Whether other gateways may work on the same store. They may not until limits and budgets are shared out among them. */
export class Companions extends Context.Reference<"refused" | "welcome">("gateway/storage/Companions", {
  defaultValue: () => "refused"
}) {}

/** Beats in a lease: two may be lost. */
const BEATS = 3

export class Node extends Context.Service<
  Node,
  {
    readonly id: number
    readonly leaseMs: number
    /** Why nothing new may be taken on; undefined while it may. */
    readonly trouble: () => StoreUnavailable | undefined
    /** Milliseconds since the lease was renewed. */
    readonly leaseAgeMs: () => number
    /** When the store was last heard of, epoch ms. */
    readonly heardAt: () => number
    /** Another gateway took this one for dead and has its place. */
    readonly fence: () => void
    /** What a beat brings with it: called with the number of the newest change. The number that is in force here goes along. */
    readonly onBeat: (listener: BeatListener) => void
  }
>()("gateway/storage/Node") {}

export interface BeatListener {
  /** The newest change that is in force here; undefined: one waits for so long that the lease may not be renewed. */
  readonly inForce: () => number | undefined
  readonly newest: (seq: number) => void
}

export const makeNode = Effect.fnUntraced(function* (sql: PgClient, { leaseMs, name, place }: NodeOptions) {
  const clock = yield* Clock.Clock
  const id = yield* Random.nextIntBetween(1, 2 ** 31 - 1)
  const now = () => ({ steady: Number(clock.monotonicTimeNanosUnsafe()) / 1e6, wall: clock.currentTimeMillisUnsafe() })
  let renewed = now()
  let isFenced = false
  const self = { id, name, leaseMs }
  const join = (yield* Companions) === "refused" ? joinAlone(sql, self, place) : joinOthers(sql, self)
  yield* Effect.acquireRelease(
    Effect.andThen(
      join,
      Effect.sync(() => (renewed = now()))
    ),
    () => Effect.ignore(Effect.timeout(sql`DELETE FROM nodes WHERE id = ${id}`, "2 seconds"))
  )

  const ageMs = () => {
    const at = now()
    return Math.max(at.steady - renewed.steady, at.wall - renewed.wall)
  }
  const fence = () => {
    isFenced = true
  }

  const listeners: Array<BeatListener> = []
  const beat = Effect.gen(function* () {
    const inForce = listeners.map((listener) => listener.inForce())
    if (inForce.includes(undefined)) return
    const began = now()
    const seen = Math.max(0, ...inForce.map((seq) => seq ?? 0))
    const [row] = yield* sql<{ newest: number }>`UPDATE nodes SET beats = beats + 1, seen = greatest(seen, ${seen})
      WHERE id = ${id} RETURNING (SELECT coalesce(max(seq), 0) FROM changes) AS newest`
    if (row === undefined) return fence()
    renewed = began
    for (const listener of listeners) listener.newest(row.newest)
  }).pipe(Effect.timeout(leaseMs / 2), Effect.ignore)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(leaseMs / BEATS), beat)))

  const trouble = (): StoreUnavailable | undefined => {
    if (isFenced) return fenced
    if (ageMs() < leaseMs) return undefined
    return new StoreUnavailable({
      message: `The store is not available: Postgres has not answered for ${Math.round(ageMs() / 1000)} s, longer than store.postgres.lease.`,
      reason: "lease_over"
    })
  }
  return Node.of({
    id,
    leaseMs,
    trouble,
    leaseAgeMs: ageMs,
    heardAt: () => renewed.wall,
    fence,
    onBeat: (listener) => void listeners.push(listener)
  })
})

export const fenced = new StoreUnavailable({
  message:
    "The store is not available: this gateway did not answer for longer than its lease and another has its place; start it again.",
  reason: "replaced"
})
