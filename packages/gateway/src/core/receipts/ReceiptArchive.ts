/** Stored receipts. A port: `storage` implements it. */
import { Context, Effect, Layer, type Option } from "effect"
import { FleetInForce } from "../domain/Fleet.ts"
import { keeperOf, type KeptPrompt, PromptFeatures } from "./KeptPrompt.ts"
import type { Feedback, Receipt, ReceiptStatus } from "./Receipt.ts"
import { ReceiptEvents } from "./ReceiptEvents.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"

export interface ReceiptFilter {
  /** 1 to 1000. */
  readonly limit: number
  /** The last receipt id of the previous page. */
  readonly after: string | undefined
  readonly key: string | undefined
  readonly team: string | undefined
  /** The requested or the serving model: deployment, `<provider>/<model>`, or the model alone. */
  readonly model: string | undefined
  readonly status: ReceiptStatus | undefined
  /** When the request came: from inclusive, to exclusive, epoch ms. */
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
     * The receipt can be found at once and is on disk within a second. Receipts are not money, so no answer waits for them. The
     * kept prompt is stored with it; no endpoint returns it.
     */
    readonly add: (receipt: Receipt, prompt?: KeptPrompt | undefined) => void
    /** By the receipt's id or its request's id. */
    readonly find: (id: string) => Effect.Effect<Option.Option<Receipt>, StoreUnavailable>
    /** The requests that ended last come first; inserts don't move the pages. `none` if `after` is not a receipt. */
    readonly list: (filter: ReceiptFilter) => Effect.Effect<Option.Option<ReceiptPage>, StoreUnavailable>
    /** Sets the caller's score, 0 to 1, in place of an earlier one. On disk when it completes. `none`: there is no such receipt. */
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
