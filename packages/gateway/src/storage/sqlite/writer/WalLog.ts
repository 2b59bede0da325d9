/**
 * The write-ahead log of a store. What is in it moves into the database when it is long, in a thread of its own: the move of 40 MB
 * held up the event loop for 21 to 42 ms on a quick disk, every few seconds at 1,000 requests a second (`npm run bench:proxy`), and takes as
 * long as the disk wants on a slow one.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { Effect, Latch, Option } from "effect"
import type { Participant } from "./WriteOperation.ts"
import { type DatabaseFile, MoveFailed, walThread } from "./WalThread.ts"

/** Pages of 4 KiB, 40 MB: a log of this length is read in a moment after a crash. */
export const LONG = 10_000

/** Pages that are moved between two requests, once the thread has moved all that was there when it began. */
const REST = 64

/** Moves in a row. Each has to do with what came during the one before. */
const MOST_MOVES = 5

/** Until the next one. A program that reads the store for long keeps the log from being moved. */
const PAUSE = "100 millis"

/** The thread takes up to 14 MB, and 30 to 40 ms of CPU to start. */
const THREAD_STAYS = "20 seconds"

/** SQLite does so without moving the log from 3.51.0 on (https://sqlite.org/pragma.html#pragma_wal_checkpoint). */
export const tellsLength = (([major = 0, minor = 0]) => major > 3 || (major === 3 && minor >= 51))(
  (process.versions["sqlite"] ?? "").split(".").map(Number)
)

export class WalLog {
  readonly isLong = Latch.makeUnsafe(false)
  private readonly length: StatementSync
  private readonly move: StatementSync

  private constructor(db: DatabaseSync) {
    this.length = db.prepare("PRAGMA wal_checkpoint(NOOP)")
    this.move = db.prepare("PRAGMA wal_checkpoint(PASSIVE)")
  }

  /** Undefined: this SQLite does not tell the length of the log, and moves it by itself at the end of a commit. */
  static of(db: DatabaseSync): WalLog | undefined {
    if (!tellsLength) return undefined
    // Where the thread can't.
    db.exec(`PRAGMA wal_autocheckpoint = ${2 * LONG}`)
    return new WalLog(db)
  }

  /** Pages that are not in the database yet. Takes a microsecond. */
  get pages(): number {
    const { checkpointed, log } = this.length.get() ?? {}
    return Number(log) - Number(checkpointed)
  }

  /** After a commit. */
  grew(): void {
    if (this.isLong.isOpen()) return
    try {
      if (this.pages >= LONG) this.isLong.openUnsafe()
    } catch {
      // No reason to doubt what was committed: the next commit will say what is wrong.
    }
  }

  /** SQLite writes from the beginning of the log again once all of it is in the database: what came during the last move is missing. */
  moveRest(): void {
    this.move.get()
    this.isLong.closeUnsafe()
  }
}

/** Milliseconds from a commit to the move, and the commits in between up to which a store counts as quiet. */
const QUIET_MS = 20_000
const QUIET = 60

/**
 * Moves the log when little is written, so that a copy of the database file alone lacks less than the last minute. `log`: undefined
 * where SQLite does not tell its length.
 */
export const moveWhenQuiet = (db: DatabaseSync, writer: Commits, log: WalLog | undefined) => {
  const isChanged = Latch.makeUnsafe(false)
  writer.join({ begin: () => {}, beforeCommit: () => void isChanged.openUnsafe() })
  const plain = log === undefined ? db.prepare("PRAGMA wal_checkpoint(PASSIVE)") : undefined
  const move = () => {
    isChanged.closeUnsafe()
    if (log === undefined) plain?.get()
    else if (log.pages > REST) log.isLong.openUnsafe()
    else log.moveRest()
  }
  const look = Effect.gen(function* () {
    yield* isChanged.await
    const before = writer.commits
    yield* Effect.sleep(QUIET_MS)
    // A log that can't be moved is the writer's to report.
    if (writer.commits - before <= QUIET) yield* Effect.ignore(Effect.try({ try: move, catch: String }))
  })
  return Effect.forkScoped(Effect.forever(look))
}

interface Commits {
  readonly commits: number
  join(participant: Participant): void
}

/** Moves the log of a database whenever it is long, as long as the scope lives. */
export const moveWhenLong = (log: WalLog, file: DatabaseFile) => {
  const orFailed = <A>(ask: () => A) =>
    Effect.try({ try: ask, catch: (cause) => new MoveFailed({ message: String(cause) }) })
  const pages = orFailed(() => log.pages)
  const moveRest = orFailed(() => log.moveRest())
  const moved = Effect.gen(function* () {
    const move = yield* walThread(file)
    do {
      for (let moves = 0; moves < MOST_MOVES && (yield* pages) > REST; moves++) yield* move
      yield* moveRest
      yield* Effect.sleep(PAUSE)
    } while (Option.isSome(yield* Effect.timeoutOption(log.isLong.await, THREAD_STAYS)))
  })
  const movedOrLater = Effect.scoped(moved).pipe(
    Effect.catch(({ message }) =>
      Effect.andThen(
        Effect.logWarning(`The store's write-ahead log was not checkpointed; next attempt in a minute: ${message}`),
        Effect.sleep("1 minute")
      )
    )
  )
  return Effect.forkScoped(Effect.forever(Effect.andThen(log.isLong.await, movedOrLater)))
}
