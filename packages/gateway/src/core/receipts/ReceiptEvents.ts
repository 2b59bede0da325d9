/** Distributes finished requests to receipts, metrics, logs and traces. */
import { Context, Layer } from "effect"
import type { Receipt } from "./Receipt.ts"

/** A request that a limit refused before it was routed: it has no receipt. */
export interface Refusal {
  /** Epoch ms. */
  readonly at: number
  readonly keyId: string
  readonly team: string | null
  readonly endpoint: string
  readonly stream: boolean
  readonly limit: "rpm" | "tpm" | "parallel"
}

type Listener = (receipt: Receipt, prompt: string | undefined) => void

export class ReceiptEvents extends Context.Service<
  ReceiptEvents,
  {
    /**
     * Called once for each routed request, after its last row was queued. `prompt`: the classified text, undefined if there was
     * none. Listeners must not keep it, as callers decide its size.
     */
    readonly ended: (receipt: Receipt, prompt?: string | undefined) => void
    /** Called once for each request that a limit refused. */
    readonly refused: (refusal: Refusal) => void
    readonly listenRefused: (listener: (refusal: Refusal) => void) => void
    /** `listener` runs on the hot path: it must be quick and must not throw. */
    readonly listen: (listener: Listener) => void
  }
>()("gateway/core/RequestLog") {
  static readonly layer = Layer.sync(ReceiptEvents, () => {
    const listeners: Array<Listener> = []
    const ofRefusals: Array<(refusal: Refusal) => void> = []
    return {
      refused: (refusal) => {
        for (const listener of ofRefusals) listener(refusal)
      },
      listenRefused: (listener) => void ofRefusals.push(listener),
      ended: (receipt, prompt) => {
        for (const listener of listeners) listener(receipt, prompt)
      },
      listen: (listener) => void listeners.push(listener)
    }
  })
}
