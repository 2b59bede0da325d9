/**
 * The time during which a gateway may accept work. An answered heartbeat extends it from before it was sent, on a clock that
 * never stops and one that runs on while the machine is suspended.
 */
import type { Clock } from "effect"

/** Milliseconds on both clocks. */
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

  /** Epoch milliseconds. */
  get renewedAt(): number {
    return this.renewed.wall
  }

  /** Renews it by a heartbeat sent at that time. A later heartbeat may have been answered before. */
  renew(sent: Moment): void {
    if (sent.steady > this.renewed.steady) this.renewed = sent
  }

  /** Ends it; it begins again with the next heartbeat. */
  end(): void {
    const { steady, wall } = this.now()
    this.renewed = { steady: steady - this.ms, wall: wall - this.ms }
  }
}
