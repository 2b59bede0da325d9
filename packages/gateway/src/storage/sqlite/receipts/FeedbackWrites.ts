/** What callers thought of answers, beside the receipts they are about. */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import type { Feedback } from "../../../core/receipts/Receipt.ts"

export class FeedbackWrites {
  private readonly put: StatementSync

  constructor(db: DatabaseSync) {
    // The page may have been taken away since it was found. The same score again is no news: it keeps its time.
    this.put = db.prepare(`INSERT INTO feedback (page, request_id, score, at)
      SELECT :page, :request, :score, :at WHERE EXISTS (SELECT 1 FROM receipts WHERE id = :page)
      ON CONFLICT DO UPDATE SET at = iif(score = excluded.score, at, excluded.at), score = excluded.score
      RETURNING score, at`)
  }

  /** In a transaction. Undefined: the receipt is gone. */
  write(page: number, request: string, { at, score }: Feedback): Feedback | undefined {
    const row = this.put.get({ page, request, score, at })
    return row === undefined ? undefined : { score: Number(row["score"]), at: Number(row["at"]) }
  }
}
