/** Stored receipts. A port: `storage` implements it. */
import { Context, Effect, Layer, type Option } from "effect"
import { FleetInForce } from "../domain/Fleet.ts"
import { keeperOf, type KeptPrompt, PromptFeatures } from "./KeptPrompt.ts"
import type { Feedback, Receipt } from "./Receipt.ts"
import type { ReceiptConditions } from "./ReceiptFilter.ts"
import { ReceiptEvents } from "./ReceiptEvents.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"

export interface ReceiptFilter extends ReceiptConditions {
  /** 1 to 1000. */
  readonly limit: number
  /** The last receipt ID of the previous page, or where its search stopped. */
  readonly after: string | undefined
  /** About how many receipts to read; undefined: as many as a person waits for. */
  readonly atMost?: number | undefined
}

export interface ReceiptPage {
  readonly receipts: ReadonlyArray<Receipt>
  readonly hasMore: boolean
  /** Where the search stopped before the end of the archive: the ID of a request, and its end (epoch milliseconds). */
  readonly scannedTo?: { readonly requestId: string; readonly endedAt: number } | undefined
}

export class ReceiptArchive extends Context.Service<
  ReceiptArchive,
  {
    /** Found immediately, on disk within a second; no response waits for it. No endpoint returns the kept prompt. */
    readonly add: (receipt: Receipt, prompt?: KeptPrompt | undefined) => void
    /** By the receipt's id or its request's id. */
    readonly find: (id: string) => Effect.Effect<Option.Option<Receipt>, StoreUnavailable>
    /** Latest end first; inserts don't move the pages. A search may stop and return where to continue. `none`: `after` is unknown. */
    readonly list: (filter: ReceiptFilter) => Effect.Effect<Option.Option<ReceiptPage>, StoreUnavailable>
    /** Sets the caller's score, 0 to 1, and replaces an earlier one. On disk when it completes. `none` if there is no such receipt. */
    readonly rate: (id: string, score: number) => Effect.Effect<Option.Option<Feedback>, StoreUnavailable>
  }
>()("gateway/core/ReceiptArchive") {}

/** Stores every receipt, and the part of its prompt that the settings keep. */
export const keepReceipts = Layer.effectDiscard(
  Effect.gen(function* () {
    const archive = yield* ReceiptArchive
    const log = yield* ReceiptEvents
    const features = yield* PromptFeatures
    let keep: ReturnType<typeof keeperOf>
    const { follow } = yield* FleetInForce
    follow(({ router }) => (keep = keeperOf(router.keepPrompts, features)))
    log.listen((receipt, prompt) => archive.add(receipt, prompt === undefined ? undefined : keep?.(prompt)))
  })
)
