/** The write-ahead log. A thread moves it into the database: 40 MB would block for 21 to 42 ms (`npm run bench:proxy`). */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { Effect, Latch, Option } from "effect"
import type { Participant } from "./WriteOperation.ts"
import { type DatabaseFile, MoveFailed, walThread } from "./WalThread.ts"

/** 10,000 pages of 4 KiB are 40 MB: SQLite reads a log of this length quickly after a crash. */
export const LONG = 10_000

/** The length is read after every eighth small commit: reading it takes a tenth of the time of a commit. */
const LOOK_EVERY = 8

/** The most pages moved on the event loop, after the thread has moved everything that was there when it began. */
const REST = 64

/** The most moves in a row. Each handles what was written during the one before. */
const MOST_MOVES = 5

/** The pause between moves. A program with a long read transaction prevents moving. */
const PAUSE = "100 millis"

/** How long an idle thread is kept. It takes up to 14 MB, and 30 to 40 ms of CPU to start. */
const THREAD_STAYS = "20 seconds"

/** From 3.51.0 on SQLite reports the length of the log without moving it (https://sqlite.org/pragma.html#pragma_wal_checkpoint). */
export const tellsLength = (([major = 0, minor = 0]) => major > 3 || (major === 3 && minor >= 51))(
  (process.versions["sqlite"] ?? "").split(".").map(Number)
)

export class WalLog {
  readonly isLong = Latch.makeUnsafe(false)
  private commits = 0
  private readonly length: StatementSync
  private readonly move: StatementSync

  private constructor(db: DatabaseSync) {
    this.length = db.prepare("PRAGMA wal_checkpoint(NOOP)")
    this.move = db.prepare("PRAGMA wal_checkpoint(PASSIVE)")
  }

  /** Undefined where this SQLite does not report the length of the log; it then moves the log itself at the end of a commit. */
  static of(db: DatabaseSync): WalLog | undefined {
    if (!tellsLength) return undefined
    // A fallback for when the thread can't move the log.
    db.exec(`PRAGMA wal_autocheckpoint = ${2 * LONG}`)
    return new WalLog(db)
  }

  /** Pages that are not in the database yet. */
  get pages(): number {
    const { checkpointed, log } = this.length.get() ?? {}
    return Number(log) - Number(checkpointed)
  }

  /** Called after each commit. `isSmall`: it wrote a few rows of the ledger at most. */
  grew(isSmall: boolean): void {
    if (this.isLong.isOpen() || (isSmall && ++this.commits % LOOK_EVERY !== 0)) return
    try {
      if (this.pages >= LONG) this.isLong.openUnsafe()
    } catch {
      // The committed data is safe: if there is a fault, the next commit reports it.
    }
  }

  /** Moves what was written during the last move, so that SQLite starts at the beginning of the log again. */
  moveRest(): void {
    this.move.get()
    this.isLong.closeUnsafe()
  }
}

/** Milliseconds from a commit to the move, and the most commits in between for a store to count as quiet. */
const QUIET_MS = 20_000
const QUIET = 60

/** Moves the log when few writes arrive, so that the database file is complete. `log`: undefined if SQLite reports none. */
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
    // The writer reports a log that can't be moved.
    if (writer.commits - before <= QUIET) yield* Effect.ignore(Effect.try({ try: move, catch: String }))
  })
  return Effect.forkScoped(Effect.forever(look))
}

interface Commits {
  readonly commits: number
  join(participant: Participant): void
}

/** Moves the log of a database whenever it is long, until the scope closes. */
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
