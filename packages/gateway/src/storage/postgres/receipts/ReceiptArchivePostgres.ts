/** The receipts in Postgres: written in pages, found by ID, listed from the newest, and deleted when they expire. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Effect, FiberHandle, FiberSet, Layer } from "effect"
import type { Feedback } from "../../../core/receipts/Receipt.ts"
import { ReceiptArchive } from "../../../core/receipts/ReceiptArchive.ts"
import { KeepReceipts } from "../../records/receipts/KeepReceipts.ts"
import { makeReceiptReads } from "../../records/receipts/ReceiptReads.ts"
import { noReceipts, storedReceipts } from "../../records/receipts/StoredReceipts.ts"
import { PAGE, type ReceiptSink, WaitingReceipts } from "../../records/receipts/WaitingReceipts.ts"
import { firstOf } from "../../records/Statements.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"
import { insertPage, PRUNE_PAGES, prunePages } from "./PostgresReceiptWrites.ts"

/** Receipts are in the store after at most this time. */
const WAIT = "1 second"

/** The time between checks for expired pages; writing pages deletes expired ones, too. */
const LOOK = "1 minute"

export const layer = Layer.effect(
  ReceiptArchive,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const keepMs = yield* KeepReceipts
    const reads = makeReceiptReads(sql, (text) => sql`strpos(body, ${storable(text)}) > 0`, orUnavailable)

    const pruneAll = Effect.gen(function* () {
      const cutoff = (yield* Clock.currentTimeMillis) - keepMs
      while ((yield* prunePages(sql, cutoff)) === PRUNE_PAGES) yield* Effect.yieldNow
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.ignore(pruneAll), Effect.sleep(LOOK))))
    if (keepMs === 0) return noReceipts

    const write = yield* FiberSet.makeRuntime<never>()
    const run = yield* FiberHandle.makeRuntime<never>()
    const sink: ReceiptSink = {
      enough: PAGE,
      write: (page, prompts, done) => {
        const written = Effect.flatMap(insertPage(sql, page, prompts), (endedAt) => prunePages(sql, endedAt - keepMs))
        write(
          Effect.matchCause(written, {
            onFailure: () => done(false),
            onSuccess: () => done(true)
          })
        )
      },
      hurry: () => {}
    }
    const tick = Effect.delay(
      Effect.sync(() => waiting.tick()),
      WAIT
    )
    const waiting = new WaitingReceipts(sink, () => void run(tick))
    const written = Effect.callback<void>((resume) => waiting.write(() => resume(Effect.void)))
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(written, "2 seconds")))

    const score = (page: number, requestId: string, { at, score }: Feedback) =>
      orUnavailable(
        firstOf(sql<Feedback>`INSERT INTO feedback AS f (page, request_id, score, at)
        SELECT id, ${requestId}, ${score}, ${at} FROM receipts WHERE id = ${page}
        ON CONFLICT (page, request_id) DO UPDATE SET score = excluded.score,
          at = CASE WHEN f.score = excluded.score THEN f.at ELSE excluded.at END
        RETURNING score, at`)
      )

    return storedReceipts({ waiting, written, reads, keepMs, stored: storable, score, trouble: () => undefined })
  })
)
