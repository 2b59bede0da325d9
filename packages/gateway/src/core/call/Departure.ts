/**
 * A caller that leaves before its answer is whole. Whether the request goes on without it, and for how long, each part of the
 * request says beforehand: what the provider bills anyway is worth reading, as only its end says what it cost.
 */
import { Effect } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"

/** For this long a request without its caller keeps its slot of `max_parallel`. */
const KEEPS_SLOT_MS = 60_000

export class Departure {
  isGone = false
  private lastsMs = 0
  private freeSlot: Effect.Effect<void, StoreUnavailable> = Effect.void
  private heard: (() => void) | undefined

  /** From now on the request goes on for `ms` without its caller; Infinity: to its end, 0: not at all. */
  goesOnFor(ms: number): void {
    this.lastsMs = ms
  }

  /** How the slot of `max_parallel` is given back while the request goes on. */
  holds(freeSlot: Effect.Effect<void, StoreUnavailable>): void {
    this.freeSlot = freeSlot
  }

  /** Who is told when the caller leaves: the call under way. */
  readonly hear = (listener: () => void): void => {
    this.heard = listener
  }

  /** The caller left. `end` ends the request: at once, or else in the effect, which is to be run beside it. */
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
