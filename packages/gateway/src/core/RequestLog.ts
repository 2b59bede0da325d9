/** Where a finished request is told to whoever wants to know: receipts, metrics, logs, traces. */
import { Context, Layer } from "effect"
import type { Receipt } from "./Receipt.ts"

export class RequestLog extends Context.Service<
  RequestLog,
  {
    /** Called once for each request that was routed, after its last row was queued. */
    readonly ended: (receipt: Receipt) => void
    /** `listener` runs on the hot path: it must be quick and must not throw. */
    readonly listen: (listener: (receipt: Receipt) => void) => void
  }
>()("gateway/core/RequestLog") {
  static readonly layer = Layer.sync(RequestLog, () => {
    const listeners: Array<(receipt: Receipt) => void> = []
    return {
      ended: (receipt) => {
        for (const listener of listeners) listener(receipt)
      },
      listen: (listener) => void listeners.push(listener)
    }
  })
}
