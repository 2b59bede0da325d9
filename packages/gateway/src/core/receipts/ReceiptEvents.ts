/** Where a finished request is told to whoever wants to know: receipts, metrics, logs, traces. */
import { Context, Layer } from "effect"
import type { Receipt } from "./Receipt.ts"

type Listener = (receipt: Receipt, prompt: string | undefined) => void

export class ReceiptEvents extends Context.Service<
  ReceiptEvents,
  {
    /**
     * Called once for each request that was routed, after its last row was queued. `prompt`: what was classified; undefined where
     * nothing was. It is as large as the caller made it, so nobody may hold on to it.
     */
    readonly ended: (receipt: Receipt, prompt?: string | undefined) => void
    /** `listener` runs on the hot path: it must be quick and must not throw. */
    readonly listen: (listener: Listener) => void
  }
>()("gateway/core/RequestLog") {
  static readonly layer = Layer.sync(ReceiptEvents, () => {
    const listeners: Array<Listener> = []
    return {
      ended: (receipt, prompt) => {
        for (const listener of listeners) listener(receipt, prompt)
      },
      listen: (listener) => void listeners.push(listener)
    }
  })
}
