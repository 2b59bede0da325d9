/** The receipts in the store: written in pages, found by ID, listed from the newest, and deleted when they expire. */
import { Clock, Effect, FiberHandle, Latch, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { ReceiptArchive } from "../../../core/receipts/ReceiptArchive.ts"
import { unavailable } from "../file/SqliteErrors.ts"
import { orUnavailable } from "../file/Reads.ts"
import { makeReceiptReads } from "../../records/receipts/ReceiptReads.ts"
import { KeepReceipts } from "../../records/receipts/KeepReceipts.ts"
import { PRUNE_PAGES, ReceiptBatch, ReceiptWrites } from "./SqliteReceiptWrites.ts"
import { PAGE, type ReceiptSink, WaitingReceipts } from "../../records/receipts/WaitingReceipts.ts"
import { noReceipts, storedReceipts } from "../../records/receipts/StoredReceipts.ts"
import { Writer } from "../writer/Writer.ts"
import type { DatabaseSync, StatementSync } from "node:sqlite"
import type { Feedback } from "../../../core/receipts/Receipt.ts"

/** Receipts are on disk after at most this time. */
const WAIT = "1 second"

/** The most milliseconds that an expired page stays when no new pages push it out. */
const OVERTIME = 60_000

export const layer = Layer.effect(
  ReceiptArchive,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const reads = makeReceiptReads(sql, (text) => sql`instr(body, ${text}) > 0`, orUnavailable)
    const keepMs = yield* KeepReceipts
    const writes = new ReceiptWrites(writer.db)

    // When the retention was shortened, old receipts must not wait for new ones to push them out.
    const pruneAll = Effect.gen(function* () {
      const cutoff = (yield* Clock.currentTimeMillis) - keepMs
      while ((yield* writer.write(() => writes.prune(cutoff))) === PRUNE_PAGES) yield* Effect.yieldNow
    })
    const isAny = Latch.makeUnsafe(true)
    // In one step, so that a page written meanwhile can't reopen the latch.
    const look = (): number | undefined => {
      const oldest = writes.oldest()
      if (oldest === undefined) isAny.closeUnsafe()
      return oldest
    }
    // Sleeps until the oldest page expires, or for good while there is none.
    const expiry = Effect.gen(function* () {
      const oldest = yield* Effect.try({ try: look, catch: unavailable })
      if (oldest === undefined) return
      const left = oldest + keepMs - (yield* Clock.currentTimeMillis)
      yield* Effect.sleep(Math.max(left, 0) + OVERTIME)
      return yield* pruneAll
    }).pipe(Effect.catch(() => Effect.sleep(OVERTIME)))
    yield* Effect.forkScoped(
      Effect.andThen(Effect.ignore(pruneAll), Effect.forever(Effect.andThen(isAny.await, expiry)))
    )
    if (keepMs === 0) return noReceipts
    const feedback = new FeedbackWrites(writer.db)

    const run = yield* FiberHandle.makeRuntime<never>()
    const tick = Effect.delay(
      Effect.sync(() => waiting.tick()),
      WAIT
    )
    const sink: ReceiptSink = {
      // A database in memory has no disk to share, and tests see no delay.
      enough: writer.db.location() === null ? 1 : PAGE,
      write: (page, prompts, done) =>
        writer.add(
          new ReceiptBatch({
            page,
            prompts,
            writes,
            keepMs,
            done: (isWritten) => {
              if (isWritten) isAny.openUnsafe()
              done(isWritten)
            }
          })
        ),
      hurry: () => writer.flushBackground()
    }
    const waiting = new WaitingReceipts(sink, () => void run(tick))
    yield* Effect.addFinalizer(() => Effect.sync(() => waiting.flush()))
    const written = Effect.callback<void>((resume) => waiting.write(() => resume(Effect.void)))

    return storedReceipts({
      waiting,
      written,
      reads,
      keepMs,
      stored: (id) => id,
      score: (page, requestId, score) =>
        Effect.map(
          writer.write(() => feedback.write(page, requestId, score)),
          Option.fromUndefinedOr
        ),
      trouble: () => writer.trouble
    })
  })
)

// Feedback of callers, stored beside the receipts that it is about.
class FeedbackWrites {
  private readonly put: StatementSync

  constructor(db: DatabaseSync) {
    // The page may have been deleted since it was found. Repeating a score keeps its time.
    this.put = db.prepare(`INSERT INTO feedback (page, request_id, score, at)
      SELECT :page, :request, :score, :at WHERE EXISTS (SELECT 1 FROM receipts WHERE id = :page)
      ON CONFLICT DO UPDATE SET at = iif(score = excluded.score, at, excluded.at), score = excluded.score
      RETURNING score, at`)
  }

  /** Runs in a transaction. Returns undefined if the receipt no longer exists. */
  write(page: number, request: string, { at, score }: Feedback): Feedback | undefined {
    const row = this.put.get({ page, request, score, at })
    return row === undefined ? undefined : { score: Number(row["score"]), at: Number(row["at"]) }
  }
}
