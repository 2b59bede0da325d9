/**
 * The one writer of a store. Every write, of the ledger and of administrators alike, is an operation in one queue; once per turn
 * of the event loop all that wait run in one transaction, and go on when it is on disk. So thousands of settlements a second
 * share a few hundred commits, and what a caller was told happened has happened.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { Context, Effect, type Scope } from "effect"
import { StoreUnavailable } from "../../core/Store.ts"
import { troubleOf, unavailable } from "./Errors.ts"

/** One write in the queue. Few classes of plain objects: on the hot path a closure for each row would cost more than the row. */
export interface Operation {
  /** Money that was spent: whoever waits is told of a failed commit, and the operation stays queued until one succeeds. */
  readonly isOwed: boolean
  /** Inside the transaction. What it throws fails this operation alone, unless the store itself is in trouble. */
  run(): void
  /** The transaction is on disk. */
  committed(): void
  /** Nothing of this operation is stored. */
  refused(failure: Effect.Effect<never, StoreUnavailable>): void
}

/** Sums up what the operations of one transaction did, to write it once before the commit. */
export interface Participant {
  begin(): void
  beforeCommit(): void
}

/** Thrown by an operation that can't fail alone: the work of others in the same transaction was lost with it. */
export class GroupFailed extends Error {}

/** Settlements that outlive failed commits; beyond them a settlement is lost, and its reservation is booked at the next start. */
const MAX_OWED = 10_000

/** Operations in one transaction: about 20 ms of work at most, so that other work gets its turn. */
const MAX_GROUP = 1000

class GroupCommit {
  readonly db: DatabaseSync
  /** Why the last commit failed; undefined while all is well. The next write tries again. */
  trouble: StoreUnavailable | undefined
  /** Transactions so far. */
  commits = 0
  private queue: Array<Operation> = []
  /** What failed commits left behind, oldest first. */
  private owed: Array<Operation> = []
  private scheduled = false
  private closed = false
  private readonly participants: Array<Participant> = []
  private readonly schedule: (flush: () => void) => void
  private readonly beginStatement: StatementSync
  private readonly commitStatement: StatementSync

  constructor(db: DatabaseSync, schedule: (flush: () => void) => void) {
    this.db = db
    this.schedule = schedule
    this.beginStatement = db.prepare("BEGIN IMMEDIATE")
    this.commitStatement = db.prepare("COMMIT")
  }

  /** Queues an operation for this turn's transaction. */
  add(operation: Operation): void {
    if (this.closed) return operation.refused(Effect.fail(new StoreUnavailable({ message: "The store is closed." })))
    this.queue.push(operation)
    if (this.scheduled) return
    this.scheduled = true
    this.schedule(this.flush)
  }

  /** Runs `change` in the next transaction and completes when it is on disk. If it throws, only it is undone, and that is a defect. */
  write<A>(change: (db: DatabaseSync) => A): Effect.Effect<A, StoreUnavailable> {
    return Effect.callback<A, StoreUnavailable>((resume) => this.add(new Change(this.db, change, resume)))
  }

  /** Lets `participant` write before each commit. */
  join(participant: Participant): void {
    this.participants.push(participant)
  }

  /** Commits what is queued and takes no more. */
  close(): void {
    while (this.queue.length > 0) this.flush()
    this.settleUp()
    this.closed = true
  }

  /** Tries again what failed commits left behind, with the next write that succeeds. Who waited for it was told long ago. */
  settleUp(): void {
    if (this.owed.length === 0) return
    const owed = this.owed
    const refused = this.commit(owed)
    if (this.trouble !== undefined) return
    this.owed = []
    for (const operation of owed) if (refused?.has(operation) !== true) operation.committed()
  }

  private readonly flush = (): void => {
    this.scheduled = false
    if (this.queue.length === 0) return
    const group = this.queue.length <= MAX_GROUP ? this.queue : this.queue.slice(0, MAX_GROUP)
    this.queue = this.queue.length <= MAX_GROUP ? [] : this.queue.slice(MAX_GROUP)
    const refused = this.commit(group)
    const trouble = this.trouble
    if (trouble === undefined) this.settleUp()
    else this.owed.push(...group.filter((operation) => operation.isOwed).slice(0, MAX_OWED - this.owed.length))
    for (const operation of group) {
      const failure = trouble === undefined ? refused?.get(operation) : Effect.fail(trouble)
      if (failure === undefined) operation.committed()
      else operation.refused(failure)
    }
    if (this.queue.length > 0 && !this.scheduled) {
      this.scheduled = true
      this.schedule(this.flush)
    }
  }

  /** The operations that failed alone; `trouble` is set when the whole group did. */
  private commit(group: ReadonlyArray<Operation>): Map<Operation, Effect.Effect<never>> | undefined {
    let refused: Map<Operation, Effect.Effect<never>> | undefined
    try {
      this.commits++
      this.rollback()
      this.beginStatement.run()
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

/** A write that may take several statements: a savepoint lets it fail alone. */
class Change<A> implements Operation {
  readonly isOwed = false
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
  /** A writer on a connection that it has for itself. Closing the scope commits what is still queued. */
  static readonly make = (
    db: DatabaseSync,
    group: "turn" | "each" = "turn"
  ): Effect.Effect<GroupCommit, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => new GroupCommit(db, group === "turn" ? setImmediate : atOnce)),
      (writer) => Effect.sync(() => writer.close())
    )
}

/** In memory there is no disk to share: commits need not wait for their turn, and tests see no timing. */
const atOnce = (flush: () => void): void => flush()
