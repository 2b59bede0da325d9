/**
 * A caller that leaves before its answer is complete. Each stage of the request declares beforehand whether, and for how long, it
 * goes on without the caller: only the end of an answer tells its cost, and the provider bills it anyway.
 */
import { Effect } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"

/** A request without its caller keeps its slot of `max_parallel` for this long. */
const KEEPS_SLOT_MS = 60_000

export class Departure {
  isGone = false
  private lastsMs = 0
  private freeSlot: Effect.Effect<void, StoreUnavailable> = Effect.void
  private heard: (() => void) | undefined

  /** From now on the request may go on for `ms` without its caller; Infinity: to its end, 0: not at all. */
  goesOnFor(ms: number): void {
    this.lastsMs = ms
  }

  /** How the slot of `max_parallel` is given back while the request goes on. */
  holds(freeSlot: Effect.Effect<void, StoreUnavailable>): void {
    this.freeSlot = freeSlot
  }

  /** Registers who is told when the caller leaves: the call in progress. */
  readonly hear = (listener: () => void): void => {
    this.heard = listener
  }

  /**
   * The caller left. `end` ends the request: at once, or in the returned effect, which the caller of this method runs in the
   * background.
   */
  leave(end: () => void): Effect.Effect<void> | undefined {
    if (this.isGone) return undefined
    this.isGone = true
    this.heard?.()
    const { freeSlot, lastsMs } = this
    if (lastsMs > 0) return later(lastsMs, end, freeSlot)
    end()
    return undefined
  }
}

const later = (ms: number, end: () => void, freeSlot: Effect.Effect<void, StoreUnavailable>): Effect.Effect<void> =>
  ms <= KEEPS_SLOT_MS
    ? Effect.delay(Effect.sync(end), ms)
    : Effect.andThen(
        Effect.delay(Effect.ignore(freeSlot), KEEPS_SLOT_MS),
        Number.isFinite(ms) ? Effect.delay(Effect.sync(end), ms - KEEPS_SLOT_MS) : Effect.void
      )
