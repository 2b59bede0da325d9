/** The archive over a store: receipts that wait for their page are found in memory, others are read. */
import { Clock, Effect, Option } from "effect"
import { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { requestIdOf } from "../../../core/domain/RequestIds.ts"
import type { Feedback } from "../../../core/receipts/Receipt.ts"
import type { ReceiptArchive, ReceiptFilter, ReceiptPage } from "../../../core/receipts/ReceiptArchive.ts"
import type { makeReceiptReads } from "./ReceiptReads.ts"
import type { WaitingReceipts } from "./WaitingReceipts.ts"

interface Store {
  readonly waiting: WaitingReceipts
  /** Writes what waits. */
  readonly written: Effect.Effect<void>
  readonly reads: ReturnType<typeof makeReceiptReads>
  readonly keepMs: number
  /** An ID as the store has it. */
  readonly stored: (id: string) => string
  /** None if the page was deleted since it was found. Repeating a score keeps its time. */
  readonly score: (
    page: number,
    requestId: string,
    score: Feedback
  ) => Effect.Effect<Option.Option<Feedback>, StoreUnavailable>
  /** Why the store can't write; undefined: it can. */
  readonly trouble: () => StoreUnavailable | undefined
}

export const storedReceipts = (store: Store): ReceiptArchive["Service"] => {
  const { keepMs, reads, waiting, written } = store
  const cutoff = Effect.map(Clock.currentTimeMillis, (now) => now - keepMs)
  const idOf = (id: string) => store.stored(requestIdOf(id))

  const find = Effect.fn("ReceiptArchive.find")(function* (id: string) {
    const fresh = waiting.find(requestIdOf(id))
    if (fresh !== undefined) return Option.some(fresh)
    return Option.map(yield* reads.find(idOf(id), yield* cutoff), ({ receipt }) => receipt)
  })

  const list = Effect.fn("ReceiptArchive.list")(function* (filter: ReceiptFilter) {
    yield* written
    return yield* reads.list(filter, filter.after === undefined ? undefined : idOf(filter.after), yield* cutoff)
  })

  const rate = Effect.fn("ReceiptArchive.rate")(function* (id: string, score: number) {
    // Feedback is stored with the page of its receipt, which may not be written yet.
    yield* written
    const found = yield* reads.find(idOf(id), yield* cutoff)
    const at = yield* Clock.currentTimeMillis
    if (Option.isSome(found)) return yield* store.score(found.value.page, idOf(id), { score, at })
    if (waiting.find(requestIdOf(id)) === undefined) return Option.none()
    return yield* store.trouble() ?? new StoreUnavailable({ message: "The receipt is not written yet: try again." })
  })

  return { add: (receipt, prompt) => waiting.add(receipt, prompt), find, list, rate }
}

/** The archive where none are kept. */
export const noReceipts: ReceiptArchive["Service"] = {
  add: () => {},
  find: () => Effect.succeedNone,
  list: () => Effect.succeedSome({ receipts: [], hasMore: false } satisfies ReceiptPage),
  rate: () => Effect.succeedNone
}
