/** The receipts' part of the group commit: pages, and old ones taken away a few at a time. */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import type { Effect } from "effect"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import type { PageDraft } from "../../records/receipts/PageDraft.ts"
import type { Prompts } from "../../records/receipts/WaitingPrompts.ts"
import type { WriteOperation } from "../writer/WriteOperation.ts"

/**
 * Pages that one commit takes away at most: more than it brings, and a millisecond or two of work. With the longest texts of prompts
 * beside them, overwritten, it is 17, so it can't be more without the event loop waiting.
 */
export const PRUNE_PAGES = 2

export class ReceiptWrites {
  private readonly db: DatabaseSync
  private readonly insertPage: StatementSync
  private readonly insertPrompt: StatementSync
  private readonly prunePages: StatementSync
  private readonly oldestPages: StatementSync
  private readonly promptsOfOldest: StatementSync

  constructor(db: DatabaseSync) {
    this.db = db
    this.insertPage = db.prepare(
      "INSERT INTO receipts (first_request, last_request, ended_at, body) VALUES (?, ?, ?, ?)"
    )
    this.insertPrompt = db.prepare("INSERT INTO kept_prompts (page, request_id, feature_set, body) VALUES (?, ?, ?, ?)")
    // The lowest ids are the oldest pages: no index is needed to find them.
    this.prunePages = db.prepare(
      `DELETE FROM receipts WHERE id < (SELECT min(id) + ${PRUNE_PAGES} FROM receipts) AND ended_at < ?`
    )
    this.promptsOfOldest = db.prepare(
      `SELECT 1 FROM kept_prompts WHERE page < (SELECT min(id) + ${PRUNE_PAGES} FROM receipts) LIMIT 1`
    )
    this.oldestPages = db.prepare(
      `SELECT min(ended_at) AS ended FROM receipts WHERE id < (SELECT min(id) + ${PRUNE_PAGES} FROM receipts)`
    )
  }

  /** Writes a page of at least one receipt, with what is kept of their prompts. The end of the newest, epoch ms. */
  insert({ body, endedAt, requestIds }: PageDraft, prompts?: Prompts): number {
    let [first, last] = [requestIds[0]!, requestIds[0]!]
    for (const id of requestIds) {
      if (id < first) first = id
      if (id > last) last = id
    }
    const page = this.insertPage.run(first, last, endedAt, body).lastInsertRowid
    if (prompts !== undefined && prompts.size > 0) {
      this.withoutTraces(() => this.insertPrompts(page, requestIds, prompts))
    }
    return endedAt
  }

  private insertPrompts(page: number | bigint, requestIds: ReadonlyArray<string>, prompts: Prompts): void {
    for (const requestId of requestIds) {
      const kept = prompts.get(requestId)
      if (kept !== undefined) this.insertPrompt.run(page, requestId, kept.featureSet, kept.body)
    }
  }

  /** Takes away the oldest pages that ended before `cutoff` (epoch ms), a few of them; how many. */
  prune(cutoff: number): number {
    const prune = () => Number(this.prunePages.run(cutoff).changes)
    return this.promptsOfOldest.get() === undefined ? prune() : this.withoutTraces(prune)
  }

  /**
   * Zeros are written over what it deletes, and over what it moves: room that is only marked as free would keep what people wrote
   * until something else needs it. Nothing but prompts is worth the work, which is twice that of a plain deletion.
   */
  private withoutTraces<A>(change: () => A): A {
    this.db.exec("PRAGMA secure_delete = ON")
    try {
      return change()
    } finally {
      this.db.exec("PRAGMA secure_delete = OFF")
    }
  }

  /** When the oldest page ended, epoch ms; undefined: there is none. */
  oldest(): number | undefined {
    const ended = this.oldestPages.get()?.["ended"]
    return typeof ended === "number" ? ended : undefined
  }
}

interface Batch {
  readonly page: PageDraft
  readonly prompts: Prompts
  readonly writes: ReceiptWrites
  readonly keepMs: number
  readonly done: (isWritten: boolean) => void
}

/** A page of receipts that is queued for the store. */
export class ReceiptBatch implements WriteOperation {
  readonly isOwed = false
  readonly isAwaited = false
  private readonly batch: Batch

  constructor(batch: Batch) {
    this.batch = batch
  }

  run(): void {
    const { keepMs, page, prompts, writes } = this.batch
    writes.prune(writes.insert(page, prompts) - keepMs)
  }

  committed(): void {
    this.batch.done(true)
  }

  refused(_failure: Effect.Effect<never, StoreUnavailable>): void {
    this.batch.done(false)
  }
}
