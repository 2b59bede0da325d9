/**
 * The one writer of a store. Every write, of the ledger and of administrators alike, is an operation in one queue; all that wait
 * run in one transaction, and go on when it is on disk. It is written at once where little is going on, and for several turns of the
 * event loop together where much is. So thousands of settlements a second share a few hundred commits, and what a caller was told
 * happened has happened.
 */
import type { DatabaseSync } from "node:sqlite"
import { Clock, Context, Effect } from "effect"
import { atOnce, InCompany } from "./CommitSchedule.ts"
import { GroupCommit } from "./GroupCommit.ts"
import type { WalLog } from "./WalLog.ts"
import type { WalDisk } from "./WalSync.ts"

/** Milliseconds from a failed commit to the next try; doubled each time, up to the second figure. */
const FIRST_RETRY = 10
const LONGEST_RETRY = 1000

/** Milliseconds until what nobody waits for is brought to the disk, where nothing else took it along: a power cut loses no more. */
const SYNC_REST = 50

/** Tries of a store that closes with something owed: 2.5 s in all. */
const LAST_TRIES = 8

/** Milliseconds that what nobody waits for may wait for company. No provider across a network has answered by then. */
const UNHURRIED_MS = 5

export class Writer extends Context.Service<Writer, GroupCommit>()("gateway/storage/Writer") {
  /**
   * A writer on a connection that it has for itself. While its store is in trouble it tries again and again by itself, the loop of events
   * running in between. Closing the scope commits what is still queued. With a `disk` nobody is told of a commit before it is there.
   */
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
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(writer.inCacheOnly.await, syncRest)))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(writer.unhurried.await, unhurried(writer))))
    return writer
  })
}

/** A commit that others waited for has taken along what was there: what came after it has all of its time. */
const unhurried = (writer: GroupCommit) =>
  Effect.suspend(() => {
    const left = UNHURRIED_MS - writer.unhurriedMs
    // No timer is more exact than a millisecond.
    return left >= 1 ? Effect.sleep(left) : Effect.sync(() => writer.flushUnhurried())
  })

/** Completes when the store is well again. */
const recovery = Effect.fnUntraced(function* (writer: GroupCommit) {
  yield* Effect.logError(`${writer.trouble?.message} New work is refused until that is over.`)
  for (let wait = FIRST_RETRY; writer.trouble !== undefined; wait = Math.min(2 * wait, LONGEST_RETRY)) {
    yield* Effect.sleep(wait)
    writer.retry()
  }
  yield* Effect.logInfo("The store is available again.")
})

/** What is owed is worth waiting for a little; what still can't be written then, the next start books at its worst case. */
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
