/** The time limits of running calls. One fiber checks all of them: a timer or a fiber for each would cost more than the call. */
import { Clock, Effect, Latch } from "effect"
import { type RosterMember, Roster } from "../../core/collections/Roster.ts"

/** How often limits are looked at, in ms: a call may outlive its limit by this much, and never ends before it. */
const TICK_MS = 250
/** A clock that advances by more between two checks was set. */
const LEAP_MS = 10_000

export interface Watched extends RosterMember {
  /** Ends the call when one of its limits has passed at `now`, by `Deadlines.now`. */
  check(now: number): void
}

export class Deadlines {
  private readonly calls = new Roster<Watched>()
  private readonly anyCalls = Latch.makeUnsafe(false)
  private readonly clock: Clock.Clock
  /** When the limits were last looked at, or had not to be. */
  private lookedAt = 0
  /** What the clock said last, and what its steps amount to. */
  private lastAt = 0
  private shift = 0
  private wasLate = false

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** Milliseconds of a steady clock: setting the system clock neither ends calls nor prolongs them. */
  now(): number {
    const at = this.clock.currentTimeMillisUnsafe()
    const step = at - this.lastAt
    if (step < 0 || step > LEAP_MS) this.shift -= step
    this.lastAt = at
    return at + this.shift
  }

  watch(call: Watched): void {
    this.calls.add(call)
    if (this.calls.size === 1) this.anyCalls.openUnsafe()
  }

  forget(call: Watched): void {
    this.calls.delete(call)
  }

  /** Runs for as long as the transport lives. */
  get run(): Effect.Effect<never> {
    return this.anyCalls.await.pipe(
      Effect.andThen(Effect.sync(() => void (this.lookedAt = this.now()))),
      Effect.andThen(Effect.sleep(TICK_MS)),
      Effect.andThen(Effect.sync(() => this.tick())),
      Effect.forever
    )
  }

  private tick(): void {
    const now = this.now()
    // The process itself stood still, and answers may wait to be read. So this one check judges no call.
    const isLate = !this.wasLate && now - this.lookedAt > 2 * TICK_MS
    this.wasLate = isLate
    if (isLate) return
    for (const call of this.calls.all()) call.check(now)
    if (this.calls.size === 0) this.anyCalls.closeUnsafe()
  }
}
