/** A write in the queue of the store's writer, and what the writer must know about it. */
import type { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"

/** One write in the queue. A few classes of plain objects, because on the hot path a closure per row would cost more than the row. */
export interface WriteOperation {
  /** The work is done or under way: the operation stays queued through failed commits until one succeeds. */
  readonly isRequired: boolean
  /** A caller waits until it is on disk. Other operations may be lost within 50 ms by a power cut. */
  readonly isAwaited: boolean
  /** The awaiting caller can wait for a batch, too. Left out for callers that do one operation after the other. */
  readonly canBatch?: boolean
  /** Runs inside the transaction. An exception fails this operation alone, unless the store itself is in trouble. */
  run(): void
  /** The transaction is committed and, if the operation is awaited, on disk. */
  committed(): void
  /** Nothing of it is on disk. `isKept`: a later commit writes it and calls `committed`, unless the process ends first. */
  refused(failure: Effect.Effect<never, StoreUnavailable>, isKept: boolean): void
}

/** Sums up what the operations of one transaction did, and writes the sums before the commit. */
export interface Participant {
  begin(): void
  beforeCommit(): void
  committed?(): void
}

/** Thrown by an operation that can't fail alone, because the writes of others in the transaction were lost with it. */
export class GroupFailed extends Error {}

/** A write that no caller awaits. */
export class UnawaitedWrite implements WriteOperation {
  readonly isAwaited = false
  readonly isRequired: boolean
  readonly run: () => void

  constructor(run: () => void, isRequired: boolean) {
    this.run = run
    this.isRequired = isRequired
  }

  committed(): void {}

  refused(): void {}
}

/** A write of several statements. A savepoint lets it fail alone. */
export class ChangeOperation<A> implements WriteOperation {
  readonly isRequired = false
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

/** Overwrites what `change` deletes or moves with zeros, as pages that are only marked as free would keep it. */
export const withoutTraces = <A>(db: DatabaseSync, change: () => A): A => {
  db.exec("PRAGMA secure_delete = ON")
  try {
    return change()
  } finally {
    db.exec("PRAGMA secure_delete = OFF")
  }
}
