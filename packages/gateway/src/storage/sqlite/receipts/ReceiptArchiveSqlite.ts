/** The receipts in the store: written in pages, found by ID, listed from the newest, and deleted when they expire. */
import { Clock, Effect, FiberHandle, Latch, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { requestIdOf } from "../../../core/domain/RequestIds.ts"
import { ReceiptArchive, type ReceiptFilter, type ReceiptPage } from "../../../core/receipts/ReceiptArchive.ts"
import { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { unavailable } from "../file/SqliteErrors.ts"
import { orUnavailable } from "../file/Reads.ts"
import { makeReceiptReads } from "../../records/receipts/ReceiptReads.ts"
import { KeepReceipts } from "../../records/receipts/KeepReceipts.ts"
import { PRUNE_PAGES, ReceiptBatch, ReceiptWrites } from "./SqliteReceiptWrites.ts"
import { PAGE, type ReceiptSink, WaitingReceipts } from "../../records/receipts/WaitingReceipts.ts"
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
    if (keepMs === 0) {
      const find = () => Effect.succeedNone
      return { add: () => {}, find, list: () => Effect.succeedSome(nothing), rate: find }
    }
    const cutoff = Effect.map(Clock.currentTimeMillis, (now) => now - keepMs)
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

    const find = Effect.fn("ReceiptArchive.find")(function* (id: string) {
      const requestId = requestIdOf(id)
      const fresh = waiting.find(requestId)
      if (fresh !== undefined) return Option.some(fresh)
      return Option.map(yield* reads.find(requestId, yield* cutoff), ({ receipt }) => receipt)
    })

    const list = Effect.fn("ReceiptArchive.list")(function* (filter: ReceiptFilter) {
      yield* written
      return yield* reads.list(
        filter,
        filter.after === undefined ? undefined : requestIdOf(filter.after),
        yield* cutoff
      )
    })

    const rate = Effect.fn("ReceiptArchive.rate")(function* (id: string, score: number) {
      // Feedback is stored with the page of its receipt, which may not be written yet.
      yield* written
      const requestId = requestIdOf(id)
      const found = yield* reads.find(requestId, yield* cutoff)
      const at = yield* Clock.currentTimeMillis
      if (Option.isSome(found)) {
        const { page } = found.value
        return Option.fromUndefinedOr(yield* writer.write(() => feedback.write(page, requestId, { score, at })))
      }
      if (waiting.find(requestId) === undefined) return Option.none()
      return yield* writer.trouble ?? new StoreUnavailable({ message: "The receipt is not written yet: try again." })
    })

    return { add: (receipt, prompt) => waiting.add(receipt, prompt), find, list, rate }
  })
)

const nothing: ReceiptPage = { receipts: [], hasMore: false }

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
