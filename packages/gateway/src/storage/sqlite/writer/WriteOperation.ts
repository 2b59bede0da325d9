/** What the writer of a store takes: one write, and what has to be known of it. */
import type { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"

/** One write in the queue. Few classes of plain objects: on the hot path a closure for each row would cost more than the row. */
export interface WriteOperation {
  /** Work that is done, or under way: the operation stays queued through failed commits until one succeeds. */
  readonly isOwed: boolean
  /** Somebody waits for it to be on disk. What nobody waits for survives the process at once, and a power cut a moment later. */
  readonly isAwaited: boolean
  /** Who waits for it waits for company, too; left out: for none, as those who do one thing after the other. */
  readonly isPatient?: boolean
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

/** A write that may take several statements: a savepoint lets it fail alone. */
export class ChangeOperation<A> implements WriteOperation {
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
