/**
 * The time for which a gateway may take on work: each beat that Postgres answers makes it longer, counted from before the beat was sent, by a
 * clock that never stops and one that a suspended machine does not stop.
 */
import type { Clock } from "effect"

/** Milliseconds by both clocks. */
export interface Moment {
  readonly steady: number
  readonly wall: number
}

export class Lease {
  readonly ms: number
  private readonly clock: Clock.Clock
  private renewed: Moment

  constructor(ms: number, clock: Clock.Clock) {
    this.ms = ms
    this.clock = clock
    this.renewed = this.now()
  }

  now(): Moment {
    return {
      steady: Number(this.clock.monotonicTimeNanosUnsafe()) / 1e6,
      wall: this.clock.currentTimeMillisUnsafe()
    }
  }

  /** Milliseconds since it was renewed. */
  get ageMs(): number {
    const { steady, wall } = this.now()
    return Math.max(steady - this.renewed.steady, wall - this.renewed.wall)
  }

  get isOver(): boolean {
    return this.ageMs >= this.ms
  }

  /** Epoch ms. */
  get renewedAt(): number {
    return this.renewed.wall
  }

  /** By a beat that was sent then. One that was sent later may have been answered before. */
  renew(sent: Moment): void {
    if (sent.steady > this.renewed.steady) this.renewed = sent
  }

  /** It begins with the next beat. */
  end(): void {
    const { steady, wall } = this.now()
    this.renewed = { steady: steady - this.ms, wall: wall - this.ms }
  }
}
