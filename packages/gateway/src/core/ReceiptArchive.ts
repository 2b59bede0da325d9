/** Where receipts are kept, as a port: `storage` implements it. */
import { Context, Effect, Layer, type Option } from "effect"
import type { Receipt, ReceiptStatus } from "./Receipt.ts"
import { RequestLog } from "./RequestLog.ts"
import type { StoreUnavailable } from "./Store.ts"

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
    /** It can be found at once, and is on disk within a second: receipts are not money, so no answer waits for them. */
    readonly add: (receipt: Receipt) => void
    /** By the id of the receipt or of its request. */
    readonly find: (id: string) => Effect.Effect<Option.Option<Receipt>, StoreUnavailable>
    /** Those that ended last come first, stable under inserts. `none` when `after` names no receipt. */
    readonly list: (filter: ReceiptFilter) => Effect.Effect<Option.Option<ReceiptPage>, StoreUnavailable>
  }
>()("gateway/core/ReceiptArchive") {}

/** Keeps every receipt that is told. */
export const keepReceipts = Layer.effectDiscard(
  Effect.gen(function* () {
    const archive = yield* ReceiptArchive
    const log = yield* RequestLog
    log.listen(archive.add)
  })
)
