/** What was used when, over the last so many milliseconds: two rings of numbers that grow as needed, oldest first. */
export class SlidingLog {
  private readonly windowMs: number
  private times = new Float64Array(4)
  private weights = new Float64Array(4)
  private start = 0
  private size = 0
  private total = 0
  /** Entries ever dropped: an entry's number stays the same while others leave. */
  private dropped = 0

  constructor(windowMs: number) {
    this.windowMs = windowMs
  }

  /** The sum of what was used in the window that ends at `now`. */
  used(now: number): number {
    this.expire(now)
    return this.total
  }

  /** Milliseconds until `weight` more fits under `limit`; 0 when it fits now. A `limit` of 0 never has room. */
  waitFor(weight: number, limit: number, now: number): number {
    this.expire(now)
    let excess = this.total + weight - limit
    if (excess <= 0) return 0
    for (let index = 0; index < this.size; index++) {
      excess -= this.weights[this.slot(index)]!
      if (excess <= 0) return this.times[this.slot(index)]! + this.windowMs - now
    }
    return this.windowMs
  }

  /** Counts `weight` in at `now`; the entry's number. */
  add(now: number, weight: number): number {
    if (this.size === this.times.length) this.grow()
    const slot = this.slot(this.size)
    this.times[slot] = now
    this.weights[slot] = weight
    this.total += weight
    return this.dropped + this.size++
  }

  /** Changes an entry's weight, unless it has left the window. */
  replace(entry: number, weight: number): void {
    const index = entry - this.dropped
    if (index < 0) return
    const slot = this.slot(index)
    this.total += weight - this.weights[slot]!
    this.weights[slot] = weight
  }

  /** Milliseconds until the window is empty. */
  emptyIn(now: number): number {
    this.expire(now)
    return this.size === 0 ? 0 : this.times[this.slot(this.size - 1)]! + this.windowMs - now
  }

  private expire(now: number): void {
    if (this.size > 0 && this.times[this.slot(this.size - 1)]! > now) this.setBack(now)
    while (this.size > 0 && this.times[this.start]! <= now - this.windowMs) {
      this.total -= this.weights[this.start]!
      this.start = (this.start + 1) % this.times.length
      this.size--
      this.dropped++
    }
  }

  /** The clock was set back: what was used last counts as used now, or else the window would be as long as the step. */
  private setBack(now: number): void {
    const step = this.times[this.slot(this.size - 1)]! - now
    for (let index = 0; index < this.size; index++) this.times[this.slot(index)]! -= step
  }

  private slot(index: number): number {
    return (this.start + index) % this.times.length
  }

  private grow(): void {
    const times = new Float64Array(this.times.length * 2)
    const weights = new Float64Array(times.length)
    for (let index = 0; index < this.size; index++) {
      times[index] = this.times[this.slot(index)]!
      weights[index] = this.weights[this.slot(index)]!
    }
    this.times = times
    this.weights = weights
    this.start = 0
  }
}
