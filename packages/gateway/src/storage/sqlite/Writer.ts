/**
 * The one writer of a store. Every write, of the ledger and of administrators alike, is an operation in one queue; all that wait
 * run in one transaction, and go on when it is on disk. It is written as soon as a turn of the event loop brings nothing new: at
 * once where little is going on, and for several turns together where much is. So thousands of settlements a second share a few
 * hundred commits, and what a caller was told happened has happened.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { Clock, Context, Effect, Latch } from "effect"
import { StoreUnavailable } from "../../core/Store.ts"
import { CommitTimes } from "./CommitTimes.ts"
import { troubleOf, unavailable } from "./Errors.ts"
import type { Disk } from "./WalSync.ts"

/** One write in the queue. Few classes of plain objects: on the hot path a closure for each row would cost more than the row. */
export interface Operation {
  /** Work that is done, or under way: the operation stays queued through failed commits until one succeeds. */
  readonly isOwed: boolean
  /** Somebody waits for it to be on disk. What nobody waits for survives the process at once, and a power cut a moment later. */
  readonly isAwaited: boolean
  /** Inside the transaction. What it throws fails this operation alone, unless the store itself is in trouble. */
  run(): void
  /** The transaction is committed and, if it is awaited, on disk. */
  committed(): void
  /**
   * Nothing of this operation is on disk; `isKept`: it will be, unless the process ends before the store is well again. Then
   * `committed` follows.
   */
  refused(failure: Effect.Effect<never, StoreUnavailable>, isKept: boolean): void
}

/** Sums up what the operations of one transaction did, to write it once before the commit. */
export interface Participant {
  begin(): void
  beforeCommit(): void
}

/** Thrown by an operation that can't fail alone: the work of others in the same transaction was lost with it. */
export class GroupFailed extends Error {}

/** Operations that outlive failed commits; beyond them a settlement is lost, and its reservation is booked at the next start. */
const MAX_OWED = 10_000

/** Milliseconds from a failed commit to the next try; doubled each time, up to the second figure. */
const FIRST_RETRY = 10
const LONGEST_RETRY = 1000

/** Milliseconds until what nobody waits for is brought to the disk, where nothing else took it along: a power cut loses no more. */
const SYNC_REST = 50

/** Tries of a store that closes with something owed: 2.5 s in all. */
const LAST_TRIES = 8

/** Operations in one transaction: about 20 ms of work at most, so that other work gets its turn. */
const MAX_GROUP = 1000

/** Turns of the event loop that may share a transaction: a commit costs as much CPU as ten of its rows. */
const MAX_TURNS = 8

/** Milliseconds that what nobody waits for may wait for company. No provider across a network has answered by then. */
const UNHURRIED_MS = 5

class GroupCommit {
  readonly db: DatabaseSync
  /** Why the last commit failed; undefined while all is well. Until then only what is owed is queued, nothing new is taken. */
  trouble: StoreUnavailable | undefined
  /** Transactions so far. */
  commits = 0
  readonly times: CommitTimes
  /** Open while something owed that nobody waits for is committed and on no way to the disk. */
  readonly inCacheOnly = Latch.makeUnsafe(false)
  /** Open while there is trouble. */
  readonly inTrouble = Latch.makeUnsafe(false)
  /** Open while something waits that nobody waits for. */
  readonly unhurried = Latch.makeUnsafe(false)
  /** In the order they came: what is owed is written before anything that came after it. */
  private queue: Array<Operation> = []
  private scheduled = false
  /** Turns that this transaction has waited, and how many operations waited at the last one. */
  private turns = 0
  private seen = 0
  /** Committed and awaited, but not on disk yet: those that go there now, and those after them. */
  private syncing: ReadonlyArray<Operation> | undefined
  private unsynced: Array<Operation> = []
  private hasRest = false
  /** What was committed did not get to the disk: the log can't be relied on. */
  private mustCheckpoint = false
  private closed = false
  private readonly participants: Array<Participant> = []
  private readonly schedule: (flush: () => void) => void
  private readonly beginStatement: StatementSync
  private readonly commitStatement: StatementSync
  private readonly disk: Disk | undefined

  constructor(db: DatabaseSync, schedule: (flush: () => void) => void, clock: Clock.Clock, disk: Disk | undefined) {
    this.db = db
    this.disk = disk
    this.times = new CommitTimes(clock)
    this.schedule = schedule
    this.beginStatement = db.prepare("BEGIN IMMEDIATE")
    this.commitStatement = db.prepare("COMMIT")
  }

  /** How many operations wait for a commit. */
  get waiting(): number {
    return this.queue.length
  }

  /** Queues an operation for this turn's transaction. */
  add(operation: Operation): void {
    if (this.closed)
      return operation.refused(Effect.fail(new StoreUnavailable({ message: "The store is closed." })), false)
    if (this.trouble !== undefined) return operation.refused(Effect.fail(this.trouble), this.keep(operation))
    this.queue.push(operation)
    if (operation.isAwaited || this.schedule === atOnce) return this.scheduleFlush()
    this.times.queued()
    this.unhurried.openUnsafe()
  }

  /** Commits what waited long enough for company. */
  flushUnhurried(): void {
    this.unhurried.closeUnsafe()
    // A reservation whose provider is being asked must survive the process: it does not wait for the disk.
    this.flush()
  }

  /** Runs `change` in the next transaction and completes when it is on disk. If it throws, only it is undone, and that is a defect. */
  write<A>(change: (db: DatabaseSync) => A): Effect.Effect<A, StoreUnavailable> {
    return Effect.callback<A, StoreUnavailable>((resume) => this.add(new Change(this.db, change, resume)))
  }

  /** Lets `participant` write before each commit. */
  join(participant: Participant): void {
    this.participants.push(participant)
  }

  /** Tries to commit what is owed, if it is not too much for one turn; the rest follows when that went well. */
  retry(): void {
    if (this.mustCheckpoint && !this.checkpoint()) return
    const group = this.take()
    const refused = this.commit(group, probe)
    if (this.trouble !== undefined) {
      this.queue = [...group, ...this.queue]
      return
    }
    this.inTrouble.closeUnsafe()
    this.written(group, refused)
    this.scheduleFlush()
  }

  /** Commits what is queued, and brings it to the disk. */
  flushAll(): void {
    while (this.queue.length > 0 && this.trouble === undefined) this.flush()
    if (this.disk === undefined || this.trouble !== undefined) return
    const group = [...(this.syncing ?? []), ...this.unsynced]
    this.syncing = undefined
    this.unsynced = []
    try {
      this.disk.syncNow()
      for (const operation of group) operation.committed()
    } catch (cause) {
      this.notOnDisk(cause, group)
    }
  }

  /** Takes no more. */
  close(): void {
    this.closed = true
  }

  private setRest(hasRest: boolean): void {
    if (this.hasRest === hasRest) return
    this.hasRest = hasRest
    if (hasRest) this.inCacheOnly.openUnsafe()
    else this.inCacheOnly.closeUnsafe()
  }

  /** Brings to the disk what nobody waits for, unless that happened by the way. */
  syncRest(): void {
    if (this.hasRest && this.trouble === undefined) this.startSync()
  }

  /** What comes while others are brought to the disk would be brought there after them anyway: it shares one transaction. */
  private scheduleFlush(): void {
    if (this.scheduled || this.queue.length === 0 || this.syncing !== undefined) return
    this.scheduled = true
    this.times.queued()
    this.schedule(this.turn)
  }

  private readonly turn = (): void => {
    const waiting = this.queue.length
    if (waiting === this.seen || ++this.turns === MAX_TURNS || waiting >= MAX_GROUP) return this.flush()
    this.seen = waiting
    this.schedule(this.turn)
  }

  private flush(): void {
    this.scheduled = false
    this.turns = 0
    this.seen = 0
    if (this.queue.length === 0 || this.trouble !== undefined) return
    const group = this.take()
    const refused = this.commit(group)
    if (this.trouble !== undefined) return this.postpone(group, this.trouble)
    this.written(group, refused)
    this.scheduleFlush()
  }

  /** A transaction is committed: who waits for it is told when it is on disk. */
  private written(
    group: ReadonlyArray<Operation>,
    refused: ReadonlyMap<Operation, Effect.Effect<never>> | undefined
  ): void {
    for (const operation of group) {
      const failure = refused?.get(operation)
      if (failure !== undefined) operation.refused(failure, false)
      else if (operation.isAwaited && this.disk !== undefined) this.unsynced.push(operation)
      else {
        operation.committed()
        if (operation.isOwed && this.disk !== undefined) this.setRest(true)
      }
    }
    this.sync()
  }

  private sync(): void {
    if (this.unsynced.length > 0) this.startSync()
  }

  private startSync(): void {
    if (this.disk === undefined || this.syncing !== undefined) return
    const group = this.unsynced
    this.setRest(false)
    this.syncing = group
    this.unsynced = []
    this.times.syncBegan()
    this.disk.sync((error) => {
      // The writer was closed in the meantime: it did not wait for this.
      if (this.syncing !== group) return
      this.syncing = undefined
      if (error !== null) return this.notOnDisk(error, group)
      this.times.synced()
      for (const operation of group) operation.committed()
      this.sync()
      this.scheduleFlush()
    })
  }

  /** A system that could not write may believe that it did: everything is written once more before the store is well again. */
  private notOnDisk(cause: unknown, group: ReadonlyArray<Operation>): void {
    const trouble = unavailable(cause)
    this.mustCheckpoint = true
    this.trouble = trouble
    this.times.ended(true)
    this.unsynced = [...group, ...this.unsynced]
    const failure = Effect.fail(trouble)
    for (const operation of this.unsynced) operation.refused(failure, true)
    this.postpone([], trouble)
  }

  /** Moves the log into the database, which SQLite brings to the disk by itself. */
  private checkpoint(): boolean {
    try {
      const outcome = this.db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()
      this.mustCheckpoint = outcome?.["busy"] !== 0
    } catch (cause) {
      this.trouble = unavailable(cause)
    }
    return !this.mustCheckpoint
  }

  private take(): Array<Operation> {
    const group = this.queue.length <= MAX_GROUP ? this.queue : this.queue.slice(0, MAX_GROUP)
    this.queue = this.queue.length <= MAX_GROUP ? [] : this.queue.slice(MAX_GROUP)
    return group
  }

  /** The commit of `group` failed: what can wait waits, and all that queued behind it hears the same. */
  private postpone(group: ReadonlyArray<Operation>, trouble: StoreUnavailable): void {
    const failure = Effect.fail(trouble)
    const all = [...group, ...this.queue]
    this.queue = []
    // First all are kept, then they are told: who is told may go on at once and queue something that must come after them.
    const kept = all.map((operation) => this.keep(operation))
    if (this.queue.length === 0) this.times.idle()
    for (const [index, operation] of all.entries()) operation.refused(failure, kept[index]!)
    this.inTrouble.openUnsafe()
  }

  private keep(operation: Operation): boolean {
    const isKept = operation.isOwed && this.queue.length < MAX_OWED
    if (!isKept) return false
    this.queue.push(operation)
    this.times.queued()
    return true
  }

  /** The operations that failed alone; `trouble` is set when the whole group did. */
  private commit(
    group: ReadonlyArray<Operation>,
    first?: (db: DatabaseSync) => void
  ): Map<Operation, Effect.Effect<never>> | undefined {
    let refused: Map<Operation, Effect.Effect<never>> | undefined
    this.times.began()
    try {
      this.commits++
      this.rollback()
      this.beginStatement.run()
      first?.(this.db)
      for (const participant of this.participants) participant.begin()
      for (const operation of group) {
        try {
          operation.run()
        } catch (cause) {
          if (cause instanceof GroupFailed || troubleOf(cause) !== undefined || !this.db.isTransaction) throw cause
          refused ??= new Map()
          refused.set(operation, Effect.die(cause))
        }
      }
      for (const participant of this.participants) participant.beforeCommit()
      this.commitStatement.run()
      this.trouble = undefined
    } catch (cause) {
      this.trouble = unavailable(cause instanceof GroupFailed ? cause.cause : cause)
      this.rollback()
    }
    this.times.ended(this.trouble !== undefined)
    return refused
  }

  private rollback(): void {
    if (!this.db.isTransaction) return
    try {
      this.db.exec("ROLLBACK")
    } catch (cause) {
      // The next commit tries again; until then every write is refused with this.
      this.trouble = unavailable(cause)
    }
  }
}

/** Writes a page that says nothing new: an empty transaction would succeed on a full disk. */
const probe = (db: DatabaseSync): void => db.exec("PRAGMA user_version = 0")

/** A write that may take several statements: a savepoint lets it fail alone. */
class Change<A> implements Operation {
  readonly isOwed = false
  readonly isAwaited = true
  private readonly db: DatabaseSync
  private readonly change: (db: DatabaseSync) => A
  private readonly resume: (effect: Effect.Effect<A, StoreUnavailable>) => void
  private value: A | undefined

  constructor(
    db: DatabaseSync,
    change: (db: DatabaseSync) => A,
    resume: (effect: Effect.Effect<A, StoreUnavailable>) => void
  ) {
    this.db = db
    this.change = change
    this.resume = resume
  }

  run(): void {
    this.db.exec("SAVEPOINT change")
    try {
      this.value = this.change(this.db)
    } catch (cause) {
      if (this.db.isTransaction) this.db.exec("ROLLBACK TO change; RELEASE change")
      throw cause
    }
    this.db.exec("RELEASE change")
  }

  committed(): void {
    this.resume(Effect.succeed(this.value as A))
  }

  refused(failure: Effect.Effect<never, StoreUnavailable>): void {
    this.resume(failure)
  }
}

export class Writer extends Context.Service<Writer, GroupCommit>()("gateway/storage/Writer") {
  /**
   * A writer on a connection that it has for itself. While its store is in trouble it tries again and again by itself, the loop of
   * events running in between. Closing the scope commits what is still queued. With a `disk` nobody is told of a commit before it
   * is there.
   */
  static readonly make = Effect.fnUntraced(function* (db: DatabaseSync, group: "turn" | "each" = "turn", disk?: Disk) {
    const clock = yield* Clock.Clock
    const writer = yield* Effect.acquireRelease(
      Effect.sync(() => new GroupCommit(db, group === "turn" ? setImmediate : atOnce, clock, disk)),
      close
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(writer.inTrouble.await, recovery(writer))))
    const syncRest = Effect.delay(
      Effect.sync(() => writer.syncRest()),
      SYNC_REST
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(writer.inCacheOnly.await, syncRest)))
    const company = Effect.andThen(writer.unhurried.await, Effect.sleep(UNHURRIED_MS))
    yield* Effect.forkScoped(Effect.forever(Effect.map(company, () => writer.flushUnhurried())))
    return writer
  })
}

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

/** In memory there is no disk to share: commits need not wait for their turn, and tests see no timing. */
const atOnce = (flush: () => void): void => flush()
