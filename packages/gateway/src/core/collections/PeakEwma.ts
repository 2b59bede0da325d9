/**
 * A peak EWMA of how long something takes, in ms: worse news counts at once, better news little by little. What is known fades
 * while nobody asks, so that a deployment that was slow once is tried again by and by: by one call, not by all until it answers.
 */

/** After this much time of better news a third of the bad news is left. */
const HEALS_IN_MS = 30_000
/** And after this much time in which nobody asked. */
const FADES_IN_MS = 300_000
/** What is expected of one that was asked and never answered yet. */
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

  /** 0 while nobody asked. */
  read(now: number): number {
    if (this.askedAt === undefined) return this.value
    this.setBack(now)
    return (
      (this.value === 0 ? UNANSWERED_MS : this.value) * left(now - Math.max(this.askedAt, this.observedAt), FADES_IN_MS)
    )
  }

  /** Where the clock was set back, what was to come counts as of now: else nothing would heal or fade until it has caught up. */
  private setBack(now: number): void {
    if (this.observedAt > now) this.observedAt = now
    if (this.askedAt !== undefined && this.askedAt > now) this.askedAt = now
  }
}

const left = (afterMs: number, timeMs: number): number => Math.exp(-Math.max(0, afterMs) / timeMs)
