/** The receipts in Postgres: written in pages, found by ID, listed from the newest, and deleted when they expire. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Effect, FiberHandle, FiberSet, Layer, Option } from "effect"
import { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { requestIdOf } from "../../../core/domain/RequestIds.ts"
import type { Feedback } from "../../../core/receipts/Receipt.ts"
import { ReceiptArchive, type ReceiptFilter, type ReceiptPage } from "../../../core/receipts/ReceiptArchive.ts"
import { KeepReceipts } from "../../records/receipts/KeepReceipts.ts"
import { makeReceiptReads } from "../../records/receipts/ReceiptReads.ts"
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
    if (keepMs === 0) {
      const find = () => Effect.succeedNone
      return { add: () => {}, find, list: () => Effect.succeedSome(nothing), rate: find }
    }
    const cutoff = Effect.map(Clock.currentTimeMillis, (now) => now - keepMs)

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

    const find = Effect.fn("ReceiptArchive.find")(function* (id: string) {
      const requestId = requestIdOf(id)
      const fresh = waiting.find(requestId)
      if (fresh !== undefined) return Option.some(fresh)
      return Option.map(yield* reads.find(storable(requestId), yield* cutoff), ({ receipt }) => receipt)
    })

    const list = Effect.fn("ReceiptArchive.list")(function* (filter: ReceiptFilter) {
      yield* written
      const after = filter.after === undefined ? undefined : storable(requestIdOf(filter.after))
      return yield* reads.list(filter, after, yield* cutoff)
    })

    /** Repeating a score keeps its time. The page may have been deleted since it was found. */
    const score = (page: number, requestId: string, { at, score }: Feedback) =>
      orUnavailable(
        firstOf(sql<Feedback>`INSERT INTO feedback AS f (page, request_id, score, at)
        SELECT id, ${requestId}, ${score}, ${at} FROM receipts WHERE id = ${page}
        ON CONFLICT (page, request_id) DO UPDATE SET score = excluded.score,
          at = CASE WHEN f.score = excluded.score THEN f.at ELSE excluded.at END
        RETURNING score, at`)
      )

    const rate = Effect.fn("ReceiptArchive.rate")(function* (id: string, given: number) {
      // Feedback is stored with the page of its receipt, which may not be written yet.
      yield* written
      const requestId = storable(requestIdOf(id))
      const found = yield* reads.find(requestId, yield* cutoff)
      const at = yield* Clock.currentTimeMillis
      if (Option.isSome(found)) return yield* score(found.value.page, requestId, { score: given, at })
      if (waiting.find(requestId) === undefined) return Option.none()
      return yield* new StoreUnavailable({ message: "The receipt is not written yet: try again." })
    })

    return { add: (receipt, prompt) => waiting.add(receipt, prompt), find, list, rate }
  })
)

const nothing: ReceiptPage = { receipts: [], hasMore: false }
