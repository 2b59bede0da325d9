/** Receipts for live views. Each reader has its own queue; a slow one loses receipts. Costs nothing without readers. */
import { Context, Effect, Latch, Layer, type Scope } from "effect"
import type { Receipt } from "./Receipt.ts"
import { isWanted, type ReceiptConditions } from "./ReceiptFilter.ts"
import { ReceiptEvents } from "./ReceiptEvents.ts"

/** The most receipts in a reader's queue, and the most readers. */
const MOST_WAITING = 1000
export const MOST_READERS = 20

export interface WaitingBatch {
  readonly receipts: ReadonlyArray<Receipt>
  /** Receipts that were dropped because the queue was full. */
  readonly dropped: number
}

export interface LiveReader {
  /** Completes when the queue has receipts. */
  readonly ready: Effect.Effect<void>
  take(): WaitingBatch
}

export class LiveReceipts extends Context.Service<
  LiveReceipts,
  {
    /** Reads from now on until the Scope closes, with at most this many queued. Undefined if there are too many readers. */
    readonly read: (
      conditions: ReceiptConditions,
      most?: number
    ) => Effect.Effect<LiveReader | undefined, never, Scope.Scope>
  }
>()("gateway/core/LiveReceipts") {
  static readonly layer = Layer.effect(
    LiveReceipts,
    Effect.gen(function* () {
      const events = yield* ReceiptEvents
      const readers = new Set<ReceiptQueue>()
      events.listen((receipt) => {
        if (readers.size > 0) for (const reader of readers) reader.offer(receipt)
      })
      return {
        read: (conditions, most = MOST_WAITING) =>
          Effect.acquireRelease(
            Effect.sync(() => {
              if (readers.size >= MOST_READERS) return undefined
              const made = new ReceiptQueue(conditions, most)
              readers.add(made)
              return made
            }),
            (reader) => Effect.sync(() => reader !== undefined && readers.delete(reader))
          )
      }
    })
  )
}

class ReceiptQueue implements LiveReader {
  private readonly conditions: ReceiptConditions
  private readonly most: number
  private readonly latch = Latch.makeUnsafe(false)
  private receipts: Array<Receipt> = []
  private dropped = 0

  constructor(conditions: ReceiptConditions, most: number) {
    this.conditions = conditions
    this.most = most
  }

  get ready(): Effect.Effect<void> {
    return this.latch.await
  }

  offer(receipt: Receipt): void {
    if (!isWanted(receipt, this.conditions)) return
    if (this.receipts.length >= this.most) {
      this.dropped++
      return
    }
    this.receipts.push(receipt)
    this.latch.openUnsafe()
  }

  readonly take = (): WaitingBatch => {
    const { dropped, receipts } = this
    this.receipts = []
    this.dropped = 0
    this.latch.closeUnsafe()
    return { receipts, dropped }
  }
}
