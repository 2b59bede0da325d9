/**
 * The only writer of a store: one queue, whose operations share transactions and complete when they are on disk. Under low load
 * a commit starts immediately; under high load several event-loop iterations share one.
 */
import type { DatabaseSync } from "node:sqlite"
import { Clock, Context, Effect } from "effect"
import { atOnce, InCompany } from "./CommitSchedule.ts"
import { GroupCommit } from "./GroupCommit.ts"
import type { WalLog } from "./WalLog.ts"
import type { WalDisk } from "./WalSync.ts"

/** Milliseconds from a failed commit to the next attempt, doubled each time up to the second number. */
const FIRST_RETRY = 10
const LONGEST_RETRY = 1000

/** Milliseconds until background writes are synced to disk, unless another sync included them. A power cut loses at most this much. */
const SYNC_REST = 50

/** The most attempts of a closing store with kept operations: 2.5 s in all. */
const LAST_TRIES = 8

/** Milliseconds that background writes may wait for a batch. No provider across a network has responded by then. */
const BACKGROUND_MS = 5

export class Writer extends Context.Service<Writer, GroupCommit>()("gateway/storage/Writer") {
  /** On a connection of its own. Failed commits are retried in the background. Closing the scope commits the queue. */
  static readonly make = Effect.fnUntraced(function* (
    db: DatabaseSync,
    group: "turn" | "each" = "turn",
    disk?: WalDisk,
    log?: WalLog
  ) {
    const clock = yield* Clock.Clock
    const writer = yield* Effect.acquireRelease(
      Effect.sync(
        () => new GroupCommit({ db, schedule: group === "turn" ? new InCompany() : atOnce, clock, disk, log })
      ),
      close
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(writer.inTrouble.await, recovery(writer))))
    const syncRest = Effect.delay(
      Effect.sync(() => writer.syncRest()),
      SYNC_REST
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(writer.syncPending.await, syncRest)))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(writer.background.await, background(writer))))
    return writer
  })
}

/** A commit of awaited writes includes the background writes queued before it, so those queued after it get the full delay. */
const background = (writer: GroupCommit) =>
  Effect.suspend(() => {
    const left = BACKGROUND_MS - writer.backgroundWaitMs
    // Timers are exact to a millisecond at best.
    return left >= 1 ? Effect.sleep(left) : Effect.sync(() => writer.flushBackground())
  })

/** Completes when the store is healthy again. */
const recovery = Effect.fnUntraced(function* (writer: GroupCommit) {
  yield* Effect.logError(`${writer.trouble?.message} New work is refused until that is over.`)
  for (let wait = FIRST_RETRY; writer.trouble !== undefined; wait = Math.min(2 * wait, LONGEST_RETRY)) {
    yield* Effect.sleep(wait)
    writer.retry()
  }
  yield* Effect.logInfo("The store is available again.")
})

/** A closing store retries its kept operations for a short time. The next start charges what could not be written at its worst case. */
const close = Effect.fnUntraced(function* (writer: GroupCommit) {
  writer.flushAll()
  for (let tries = 0; writer.trouble !== undefined && writer.waiting > 0 && tries < LAST_TRIES; tries++) {
    if (tries > 0) yield* Effect.sleep(FIRST_RETRY * 2 ** tries)
    writer.retry()
    writer.flushAll()
  }
  writer.close()
  if (writer.waiting === 0) return
  yield* Effect.logError(`${writer.trouble?.message} ${writer.waiting} entries of the ledger could not be written.`)
})
