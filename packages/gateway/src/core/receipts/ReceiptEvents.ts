/** Distributes finished requests to receipts, metrics, logs and traces. */
import { Context, Layer } from "effect"
import type { Receipt } from "./Receipt.ts"

type ReceiptListener = (receipt: Receipt, prompt: string | undefined) => void

export class ReceiptEvents extends Context.Service<
  ReceiptEvents,
  {
    /**
     * Called once for each routed request, after its last row was queued, and by `Refusals` for the others. `prompt` is the
     * classified text, undefined if there was none. Listeners must not keep it, because callers decide its size.
     */
    readonly ended: (receipt: Receipt, prompt?: string | undefined) => void
    /** `listener` runs on the hot path: it must be fast and must not throw. */
    readonly listen: (listener: ReceiptListener) => void
  }
>()("gateway/core/RequestLog") {
  static readonly layer = Layer.sync(ReceiptEvents, () => {
    const listeners: Array<ReceiptListener> = []
    return {
      ended: (receipt, prompt) => {
        for (const listener of listeners) listener(receipt, prompt)
      },
      listen: (listener) => void listeners.push(listener)
    }
  })
}
