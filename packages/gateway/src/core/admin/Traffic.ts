/**
 * Traffic over time, for charts. A request only adds its receipt to a list, which is counted when it is full or a second old. Rows
 * are written every few seconds, once a minute if there are many, and when the gateway stops. Queries read unwritten rows from
 * memory, so no figure lags behind. A killed process loses its unwritten rows.
 */
import { Clock, Context, Effect, Latch, Layer, Semaphore } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"
import type { Receipt } from "../receipts/Receipt.ts"
import { ReceiptEvents } from "../receipts/ReceiptEvents.ts"
import { TrafficRows, withLongerGrains } from "./TrafficCounting.ts"
import { type TrafficGroup, TrafficGroups, type TrafficQuery } from "./TrafficGroups.ts"
import { TrafficRepository } from "./TrafficRepository.ts"
import { type Grain, grains, type TrafficRow } from "./TrafficRow.ts"
import type { TrafficSums } from "./TrafficSums.ts"

/** The longest delay until receipts are counted, and from then until they are written. */
const COUNTED_AFTER = "1 second"
const WRITTEN_SOON = "4 seconds"
const WRITTEN_LATER = "59 seconds"

/** As many rows cost 0.1 % of a core to write every few seconds. Hundreds of concurrent callers make more. */
const FEW = 200

/** The most uncounted receipts: more would outlive the young generation. */
const MOST_WAITING = 64

/** Rows per write: a millisecond or two of work. */
const WRITTEN_AT_ONCE = 200

/** The time between deletions of old rows. */
const PRUNE_EVERY_MS = 3_600_000

export class Traffic extends Context.Service<
  Traffic,
  {
    /** Every group of the query, those that begin first come first, then those with most requests; and all together. */
    readonly query: (
      query: TrafficQuery
    ) => Effect.Effect<{ readonly total: TrafficSums; readonly groups: ReadonlyArray<TrafficGroup> }, StoreUnavailable>
  }
>()("gateway/core/Traffic") {
  static readonly layer = Layer.effect(
    Traffic,
    Effect.gen(function* () {
      const repository = yield* TrafficRepository
      const events = yield* ReceiptEvents
      /** Not counted yet. */
      let ended: Array<Receipt> = []
      /** Counted, but not written. */
      let rows = new TrafficRows()
      /** All grains that the store has not accepted yet. */
      let owed: ReadonlyArray<TrafficRow> = []
      /** The number of rows in the last write. */
      let written = 0
      let prunedAt = Number.NEGATIVE_INFINITY
      const isEnded = Latch.makeUnsafe(false)
      const isCounted = Latch.makeUnsafe(false)
      // Rows that are being written must be read once: from the store or from memory.
      const oneAtATime = Semaphore.makeUnsafe(1)

      const countAll = () => {
        isEnded.closeUnsafe()
        for (const one of ended) rows.receipt(one)
        ended = []
        if (!rows.isEmpty) isCounted.openUnsafe()
      }
      const count = Effect.sync(countAll)

      events.listen((one) => {
        ended.push(one)
        if (ended.length === 1) isEnded.openUnsafe()
        if (ended.length === MOST_WAITING) countAll()
      })

      const prune = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (now - prunedAt < PRUNE_EVERY_MS) return
        prunedAt = now
        for (const [grain, { keepMs }] of Object.entries(grains) as ReadonlyArray<[Grain, { keepMs: number }]>) {
          yield* repository.prune(grain, now - keepMs)
        }
      })

      const write = Effect.gen(function* () {
        yield* count
        const all = new TrafficRows()
        for (const row of [...owed, ...withLongerGrains(rows.values())]) all.add(row)
        rows = new TrafficRows()
        owed = all.values()
        written = owed.length
        isCounted.closeUnsafe()
        while (owed.length > 0) {
          yield* repository.add(owed.slice(0, WRITTEN_AT_ONCE))
          owed = owed.slice(WRITTEN_AT_ONCE)
          yield* Effect.yieldNow
        }
        yield* prune
      }).pipe(
        Effect.onError(() => Effect.sync(() => isCounted.openUnsafe())),
        Semaphore.withPermit(oneAtATime),
        Effect.uninterruptible
      )

      yield* Effect.forkScoped(
        Effect.forever(Effect.andThen(isEnded.await, Effect.andThen(Effect.sleep(COUNTED_AFTER), count)))
      )
      yield* Effect.forkScoped(
        Effect.forever(
          isCounted.await.pipe(
            Effect.andThen(Effect.suspend(() => Effect.sleep(written <= FEW ? WRITTEN_SOON : WRITTEN_LATER))),
            Effect.andThen(Effect.ignore(write))
          )
        )
      )
      yield* Effect.addFinalizer(() => Effect.ignore(write))

      const query = Effect.fn("Traffic.query")(function* (asked: TrafficQuery) {
        yield* count
        const groups = new TrafficGroups(asked)
        yield* repository.read(asked.slice, groups.visit)
        for (const row of [...owed, ...withLongerGrains(rows.values())]) groups.visit(row)
        return { total: groups.total, groups: groups.sorted() }
      }, Semaphore.withPermit(oneAtATime))

      return { query }
    })
  )
}
