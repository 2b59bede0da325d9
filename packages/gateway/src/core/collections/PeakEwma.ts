/** A peak EWMA in ms. A slower value counts immediately. It decays without calls, so that a slow deployment is tried again. */

/** The time in which faster values bring a slow one down to about a third. */
const HEALS_IN_MS = 30_000
/** The same time constant while there are no calls. */
const FADES_IN_MS = 300_000
/** Assumed for a deployment that was called and has not responded yet. */
const UNANSWERED_MS = 5_000

export class PeakEwma {
  private value = 0
  private observedAt = 0
  private askedAt: number | undefined

  asked(now: number): void {
    this.setBack(now)
    this.askedAt = now
  }

  observe(now: number, ms: number): void {
    this.setBack(now)
    const kept = left(now - this.observedAt, HEALS_IN_MS)
    this.value = ms >= this.value ? ms : this.value * kept + ms * (1 - kept)
    this.observedAt = now
  }

  /** 0 before the first call. */
  read(now: number): number {
    if (this.askedAt === undefined) return this.value
    this.setBack(now)
    return (
      (this.value === 0 ? UNANSWERED_MS : this.value) * left(now - Math.max(this.askedAt, this.observedAt), FADES_IN_MS)
    )
  }

  /** If the clock was set back, future times count as now. Otherwise nothing would fade until the clock has caught up. */
  private setBack(now: number): void {
    if (this.observedAt > now) this.observedAt = now
    if (this.askedAt !== undefined && this.askedAt > now) this.askedAt = now
  }
}

const left = (afterMs: number, timeMs: number): number => Math.exp(-Math.max(0, afterMs) / timeMs)
