/** Distributes finished requests to receipts, metrics, logs and traces. */
import { Context, Layer } from "effect"
import type { Receipt } from "./Receipt.ts"

type ReceiptListener = (receipt: Receipt, prompt: string | undefined) => void

export class ReceiptEvents extends Context.Service<
  ReceiptEvents,
  {
    /** Called once per request, for routed ones after the last row was queued. Listeners must not keep `prompt`. */
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
