/**
 * What a request's endpoint and its call report to each other: a client disconnect, and a sent receipt. Each stage declares
 * how long it continues without the caller: only the end of a response tells its cost, which the provider bills anyway.
 */
import { Effect } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"

export class Departure {
  isGone = false
  /** The request was routed, and its receipt was sent: an error of it is no `Refusal`. */
  hasReceipt = false
  private lastsMs = 0
  private freeSlot: Effect.Effect<void, StoreUnavailable> = Effect.void
  private heard: (() => void) | undefined

  /** From now on the request may go on for `ms` without its caller; Infinity: to its end, 0: not at all. */
  goesOnFor(ms: number): void {
    this.lastsMs = ms
  }

  /** How the slot of `max_parallel` is released when the caller leaves a request that goes on. */
  holds(freeSlot: Effect.Effect<void, StoreUnavailable>): void {
    this.freeSlot = freeSlot
  }

  /** Registers who is told when the caller leaves: the call in progress. */
  readonly hear = (listener: () => void): void => {
    this.heard = listener
  }

  /** The client disconnected. `end` ends the request: immediately, or in the returned effect, to be run in the background. */
  leave(end: () => void): Effect.Effect<void> | undefined {
    if (this.isGone) return undefined
    this.isGone = true
    this.heard?.()
    const { freeSlot, lastsMs } = this
    if (lastsMs > 0) {
      const released = Effect.ignore(freeSlot)
      return Number.isFinite(lastsMs) ? Effect.andThen(released, Effect.delay(Effect.sync(end), lastsMs)) : released
    }
    end()
    return undefined
  }
}
