/** The queue of writes and its transactions. Operations that survive a failed commit keep their place. */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { type Clock, Effect, Latch } from "effect"
import { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { type CommitSchedule, FULL_BATCH, MAX_GROUP } from "./CommitSchedule.ts"
import { CommitTimes } from "./CommitTimes.ts"
import { troubleOf, unavailable } from "../file/SqliteErrors.ts"
import { ChangeOperation, GroupFailed, type WriteOperation, type Participant } from "./WriteOperation.ts"
import type { WalLog } from "./WalLog.ts"
import type { WalDisk } from "./WalSync.ts"

/** The most operations kept after failed commits. Beyond it a settlement is lost, and the next start charges its reservation. */
const MAX_PENDING = 10_000

interface CommitOptions {
  readonly db: DatabaseSync
  readonly schedule: CommitSchedule
  readonly clock: Clock.Clock
  readonly disk: WalDisk | undefined
  readonly log: WalLog | undefined
}

export class GroupCommit {
  readonly db: DatabaseSync
  /** Why the last commit failed; undefined while the store is healthy. Until then only operations that are kept are queued. */
  trouble: StoreUnavailable | undefined
  /** Transactions committed so far. */
  commits = 0
  readonly times: CommitTimes
  /** Open while a background write that must be kept is committed, and no sync to disk is under way for it. */
  readonly syncPending = Latch.makeUnsafe(false)
  /** Open while commits fail. */
  readonly inTrouble = Latch.makeUnsafe(false)
  /** Open while the queue holds background writes. */
  readonly background = Latch.makeUnsafe(false)
  /** Nanoseconds of the monotonic clock. */
  private backgroundSince: bigint | undefined
  /** In order of arrival: a kept operation is written before everything queued after it. */
  private queue: Array<WriteOperation> = []
  private scheduled = false
  /** Whether the queue holds an operation that a caller awaits. */
  private isAwaited = false
  /** Whether an awaited operation in the queue must not wait for a batch. */
  isUrgent = false
  /** Awaited operations that are committed but not on disk: those being synced now, and those after them. */
  private syncing: ReadonlyArray<WriteOperation> | undefined
  private unsynced: Array<WriteOperation> = []
  private hasRest = false
  /** A sync to disk failed: the log can't be relied on until a checkpoint succeeds. */
  private mustCheckpoint = false
  private closed = false
  private readonly participants: Array<Participant> = []
  private readonly schedule: CommitSchedule
  private readonly beginStatement: StatementSync
  private readonly commitStatement: StatementSync
  private readonly disk: WalDisk | undefined
  private readonly log: WalLog | undefined
  private readonly clock: Clock.Clock

  constructor({ clock, db, disk, log, schedule }: CommitOptions) {
    this.db = db
    this.disk = disk
    this.log = log
    this.clock = clock
    this.times = new CommitTimes(clock)
    this.schedule = schedule
    this.beginStatement = db.prepare("BEGIN IMMEDIATE")
    this.commitStatement = db.prepare("COMMIT")
  }

  /** The number of operations waiting for a commit. */
  get waiting(): number {
    return this.queue.length
  }

  /** Queues an operation for the next transaction. */
  add(operation: WriteOperation): void {
    if (this.closed)
      return operation.refused(Effect.fail(new StoreUnavailable({ message: "The store is closed." })), false)
    if (this.trouble !== undefined) return operation.refused(Effect.fail(this.trouble), this.keep(operation))
    this.queue.push(operation)
    if (operation.isAwaited || this.schedule.isAtOnce) {
      this.isUrgent ||= operation.canBatch !== true
      this.isAwaited = true
      return this.scheduleFlush()
    }
    this.times.queued()
    this.backgroundSince ??= this.clock.monotonicTimeNanosUnsafe()
    this.background.openUnsafe()
  }

  /** Milliseconds since the oldest background write was queued. */
  get backgroundWaitMs(): number {
    if (this.backgroundSince === undefined) return 0
    return Number(this.clock.monotonicTimeNanosUnsafe() - this.backgroundSince) / 1e6
  }

  /** Commits background writes that waited long enough for a batch. */
  flushBackground(): void {
    this.backgroundDone()
    // A reservation must survive the process while its provider is called, but need not wait for the disk.
    this.flush()
  }

  /** Runs `change` in the next transaction and completes on disk. If it throws, only its writes are undone, and the effect dies. */
  write<A>(change: (db: DatabaseSync) => A): Effect.Effect<A, StoreUnavailable> {
    return Effect.callback<A, StoreUnavailable>((resume) => {
      this.add(new ChangeOperation(this.db, change, resume))
    })
  }

  /** Lets `participant` write before each commit. */
  join(participant: Participant): void {
    this.participants.push(participant)
  }

  /** Tries to commit the kept operations, at most one transaction of them; the rest follows after a success. */
  retry(): void {
    if (this.mustCheckpoint && !this.checkpoint()) return
    const group = this.take()
    const refused = this.commit(group, probe)
    if (this.trouble !== undefined) {
      this.queue = [...group, ...this.queue]
      this.isAwaited = this.isUrgent = true
      return
    }
    this.inTrouble.closeUnsafe()
    this.written(group, refused)
    this.scheduleFlush()
  }

  /** Commits the queue and syncs it to disk. */
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

  /** Refuses further operations. */
  close(): void {
    this.closed = true
  }

  private setRest(hasRest: boolean): void {
    if (this.hasRest === hasRest) return
    this.hasRest = hasRest
    if (hasRest) this.syncPending.openUnsafe()
    else this.syncPending.closeUnsafe()
  }

  /** Syncs background writes to disk, unless another sync included them. */
  syncRest(): void {
    if (this.hasRest && this.trouble === undefined) this.startSync()
  }

  /** Operations that arrive during a sync would be synced after it anyway, so they share one transaction. */
  private scheduleFlush(): void {
    if (!this.isAwaited || this.syncing !== undefined) return
    if (this.scheduled) return this.schedule.more(this)
    this.scheduled = true
    this.times.queued()
    this.schedule.soon(this)
  }

  /** Commits as much of the queue as fits into one transaction. */
  flush(): void {
    this.scheduled = false
    if (this.queue.length === 0 || this.trouble !== undefined) return
    const group = this.take()
    const refused = this.commit(group)
    if (this.trouble !== undefined) return this.postpone(group, this.trouble)
    this.written(group, refused)
    this.scheduleFlush()
  }

  /** A transaction was committed: awaited operations complete when it is on disk. */
  private written(
    group: ReadonlyArray<WriteOperation>,
    refused: ReadonlyMap<WriteOperation, Effect.Effect<never>> | undefined
  ): void {
    for (const operation of group) {
      const failure = refused?.get(operation)
      if (failure !== undefined) operation.refused(failure, false)
      else if (operation.isAwaited && this.disk !== undefined) this.unsynced.push(operation)
      else {
        operation.committed()
        if (operation.isRequired && this.disk !== undefined) this.setRest(true)
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
      // The writer was closed meanwhile, and did not wait for this sync.
      if (this.syncing !== group) return
      this.syncing = undefined
      if (error !== null) return this.notOnDisk(error, group)
      this.times.synced()
      for (const operation of group) operation.committed()
      this.sync()
      this.scheduleFlush()
    })
  }

  /** After a failed sync the system may believe that it wrote everything, so all of it is written again before the store is healthy. */
  private notOnDisk(cause: unknown, group: ReadonlyArray<WriteOperation>): void {
    const trouble = unavailable(cause)
    this.mustCheckpoint = true
    this.trouble = trouble
    this.times.ended(true)
    this.unsynced = [...group, ...this.unsynced]
    const failure = Effect.fail(trouble)
    for (const operation of this.unsynced) operation.refused(failure, true)
    this.postpone([], trouble)
  }

  /** Moves the log into the database, which SQLite syncs to disk itself. */
  private checkpoint(): boolean {
    try {
      const outcome = this.db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()
      this.mustCheckpoint = outcome?.["busy"] !== 0
    } catch (cause) {
      this.trouble = unavailable(cause)
    }
    return !this.mustCheckpoint
  }

  private take(): Array<WriteOperation> {
    const group = this.queue.length <= MAX_GROUP ? this.queue : this.queue.slice(0, MAX_GROUP)
    this.queue = this.queue.length <= MAX_GROUP ? [] : this.queue.slice(MAX_GROUP)
    this.isAwaited = this.isUrgent = this.queue.length > 0
    if (this.queue.length === 0) this.backgroundDone()
    return group
  }

  /** The queue holds no background writes any more. */
  private backgroundDone(): void {
    if (this.backgroundSince === undefined) return
    this.backgroundSince = undefined
    this.background.closeUnsafe()
  }

  /** The commit of `group` failed: operations that can be kept stay queued, and all behind them fail with the same error. */
  private postpone(group: ReadonlyArray<WriteOperation>, trouble: StoreUnavailable): void {
    const failure = Effect.fail(trouble)
    const all = [...group, ...this.queue]
    this.queue = []
    // Keep all before reporting any: a caller that is notified may immediately queue a write that must come later.
    const kept = all.map((operation) => this.keep(operation))
    if (this.queue.length === 0) this.times.idle()
    for (const [index, operation] of all.entries()) operation.refused(failure, kept[index]!)
    this.inTrouble.openUnsafe()
  }

  private keep(operation: WriteOperation): boolean {
    const isKept = operation.isRequired && this.queue.length < MAX_PENDING
    if (!isKept) return false
    this.queue.push(operation)
    this.isAwaited = this.isUrgent = true
    this.times.queued()
    return true
  }

  /** Returns the operations that failed alone. Sets `trouble` when the whole group failed. */
  private commit(
    group: ReadonlyArray<WriteOperation>,
    first?: (db: DatabaseSync) => void
  ): Map<WriteOperation, Effect.Effect<never>> | undefined {
    let refused: Map<WriteOperation, Effect.Effect<never>> | undefined
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
      for (const participant of this.participants) participant.committed?.()
      this.trouble = undefined
    } catch (cause) {
      this.trouble = unavailable(cause instanceof GroupFailed ? cause.cause : cause)
      this.rollback()
    }
    this.times.ended(this.trouble !== undefined)
    this.log?.grew(group.length <= FULL_BATCH && group.every(({ canBatch }) => canBatch === true))
    return refused
  }

  private rollback(): void {
    if (!this.db.isTransaction) return
    try {
      this.db.exec("ROLLBACK")
    } catch (cause) {
      // The next commit tries again; until then every write is refused with this error.
      this.trouble = unavailable(cause)
    }
  }
}

/** Writes a page with unchanged contents, because an empty transaction would succeed on a full disk. */
const probe = (db: DatabaseSync): void => db.exec("PRAGMA user_version = 0")
