/** Where receipts are kept, as a port: `storage` implements it. */
import { Context, Effect, Layer, type Option } from "effect"
import { Fleet } from "../domain/Fleet.ts"
import { keeperOf, type KeptPrompt, PromptFeatures } from "./KeptPrompt.ts"
import type { Feedback, Receipt, ReceiptStatus } from "./Receipt.ts"
import { ReceiptEvents } from "./ReceiptEvents.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"

export interface ReceiptFilter {
  /** 1 to 1000. */
  readonly limit: number
  /** The id of the last receipt of the page before. */
  readonly after: string | undefined
  readonly key: string | undefined
  readonly team: string | undefined
  /** What was asked for, or what served it: deployment, `<provider>/<model>` or the model alone. */
  readonly model: string | undefined
  readonly status: ReceiptStatus | undefined
  /** When the request came: inclusive and exclusive, epoch ms. */
  readonly from: number | undefined
  readonly to: number | undefined
}

export interface ReceiptPage {
  readonly receipts: ReadonlyArray<Receipt>
  readonly hasMore: boolean
}

export class ReceiptArchive extends Context.Service<
  ReceiptArchive,
  {
    /**
     * It can be found at once, and is on disk within a second: receipts are not money, so no answer waits for them. What is kept
     * of its prompt goes with it, and comes back to nobody but who reads the store.
     */
    readonly add: (receipt: Receipt, prompt?: KeptPrompt | undefined) => void
    /** By the id of the receipt or of its request. */
    readonly find: (id: string) => Effect.Effect<Option.Option<Receipt>, StoreUnavailable>
    /** Those that ended last come first, stable under inserts. `none` when `after` names no receipt. */
    readonly list: (filter: ReceiptFilter) => Effect.Effect<Option.Option<ReceiptPage>, StoreUnavailable>
    /** Puts the caller's score, 0 to 1, in place of an earlier one; on disk when it completes. `none`: there is no such receipt. */
    readonly rate: (id: string, score: number) => Effect.Effect<Option.Option<Feedback>, StoreUnavailable>
  }
>()("gateway/core/ReceiptArchive") {}

/** Keeps every receipt that is told, and what is wanted of its prompt. */
export const keepReceipts = Layer.effectDiscard(
  Effect.gen(function* () {
    const archive = yield* ReceiptArchive
    const log = yield* ReceiptEvents
    const { router } = yield* Fleet
    const keep = keeperOf(router.keepPrompts, yield* PromptFeatures)
    if (keep === undefined) log.listen((receipt) => archive.add(receipt))
    else log.listen((receipt, prompt) => archive.add(receipt, prompt === undefined ? undefined : keep(prompt)))
  })
)
