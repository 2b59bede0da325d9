/** The receipts' part of the group commit: writes pages, and deletes expired ones a few at a time. */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import type { Effect } from "effect"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import type { PageDraft } from "../../records/receipts/PageDraft.ts"
import type { Prompts } from "../../records/receipts/WaitingPrompts.ts"
import { withoutTraces, type WriteOperation } from "../writer/WriteOperation.ts"

/** Pages that one commit deletes: more than it adds, in a millisecond or two, 17 ms with the longest prompts. */
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
    // The lowest IDs are the oldest pages, so no index is needed.
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

  /** Writes a page of at least one receipt with its kept prompts. Returns the end of the newest receipt in epoch milliseconds. */
  insert({ body, endedAt, requestIds }: PageDraft, prompts?: Prompts): number {
    let [first, last] = [requestIds[0]!, requestIds[0]!]
    for (const id of requestIds) {
      if (id < first) first = id
      if (id > last) last = id
    }
    const page = this.insertPage.run(first, last, endedAt, body).lastInsertRowid
    if (prompts !== undefined && prompts.size > 0) {
      withoutTraces(this.db, () => this.insertPrompts(page, requestIds, prompts))
    }
    return endedAt
  }

  private insertPrompts(page: number | bigint, requestIds: ReadonlyArray<string>, prompts: Prompts): void {
    for (const requestId of requestIds) {
      const kept = prompts.get(requestId)
      if (kept !== undefined) this.insertPrompt.run(page, requestId, kept.featureSet, kept.body)
    }
  }

  /** Deletes some of the oldest pages that ended before `cutoff` (epoch milliseconds). Returns how many. */
  prune(cutoff: number): number {
    const prune = () => Number(this.prunePages.run(cutoff).changes)
    // It takes twice the time of a plain deletion.
    return this.promptsOfOldest.get() === undefined ? prune() : withoutTraces(this.db, prune)
  }

  /** When the oldest page ended, in epoch milliseconds; undefined if there is none. */
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

export class ReceiptBatch implements WriteOperation {
  readonly isRequired = false
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
