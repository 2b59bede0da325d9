/** A sliding window of weights: a ring of times and weights, oldest first, with one entry per millisecond at most. */
export class SlidingWindowLog {
  private readonly windowMs: number
  /** Alternating times and weights. A plain array: a typed one costs some 300 bytes more, and there are many keys. */
  private ring: Array<number> = empty
  private start = 0
  private size = 0
  private total = 0
  /** How many entries were ever dropped. This keeps an entry's number the same while others leave. */
  private dropped = 0

  constructor(windowMs: number) {
    this.windowMs = windowMs
  }

  /** The sum of what was used in the window that ends at `now`. */
  used(now: number): number {
    this.expire(now)
    return this.total
  }

  /** Milliseconds until `weight` more fits under `limit`; 0 when it fits now. Nothing fits under a `limit` of 0. */
  waitFor(weight: number, limit: number, now: number): number {
    this.expire(now)
    let excess = this.total + weight - limit
    if (excess <= 0) return 0
    for (let index = 0; index < this.size; index++) {
      excess -= this.ring[this.slot(index) + 1]!
      if (excess <= 0) return this.timeAt(index) + this.windowMs - now
    }
    return this.windowMs
  }

  /** Adds `weight` at `now`. Returns the number of the entry that it is in. */
  add(now: number, weight: number): number {
    this.total += weight
    // A time that was set back since counts as the last one.
    if (this.size > 0 && this.timeAt(this.size - 1) >= now) this.ring[this.slot(this.size - 1) + 1]! += weight
    else this.push(now, weight)
    return this.dropped + this.size - 1
  }

  /** Adds a weight without `waitFor`: it was used already. */
  addLate(now: number, weight: number): void {
    this.expire(now)
    this.add(now, weight)
  }

  /** Adds to what is in an entry, or takes away, unless it has left the window. */
  correct(entry: number, by: number): void {
    const index = entry - this.dropped
    if (index < 0) return
    this.ring[this.slot(index) + 1]! += by
    this.total += by
  }

  /** Milliseconds until the window is empty. */
  emptyIn(now: number): number {
    this.expire(now)
    return this.size === 0 ? 0 : this.timeAt(this.size - 1) + this.windowMs - now
  }

  private push(now: number, weight: number): void {
    if (this.size * 2 === this.ring.length) this.resize(Math.ceil(this.size * 1.5) + 2)
    const slot = this.slot(this.size++)
    this.ring[slot] = now
    this.ring[slot + 1] = weight
  }

  private expire(now: number): void {
    if (this.size === 0) return
    if (this.timeAt(this.size - 1) > now) this.setBack(now)
    const { length } = this.ring
    while (this.size > 0 && this.ring[this.start]! <= now - this.windowMs) {
      this.total -= this.ring[this.start + 1]!
      this.start += 2
      if (this.start === length) this.start = 0
      this.size--
      this.dropped++
    }
    // Shrinks the ring after a burst.
    if (this.size * 8 < length && length > SMALL) this.resize(this.size * 2)
  }

  /** If the clock was set back, the last entries count as now. Otherwise the window would be as long as the step. */
  private setBack(now: number): void {
    const step = this.timeAt(this.size - 1) - now
    for (let index = 0; index < this.size; index++) this.ring[this.slot(index)]! -= step
  }

  private timeAt(index: number): number {
    return this.ring[this.slot(index)]!
  }

  private slot(index: number): number {
    const slot = this.start + index * 2
    return slot < this.ring.length ? slot : slot - this.ring.length
  }

  private resize(capacity: number): void {
    const ring = Array<number>(Math.max(capacity, 2) * 2).fill(0)
    for (let index = 0; index < this.size; index++) {
      const slot = this.slot(index)
      ring[index * 2] = this.ring[slot]!
      ring[index * 2 + 1] = this.ring[slot + 1]!
    }
    this.ring = ring
    this.start = 0
  }
}

const empty: Array<number> = []

/** A ring of this length or less is not worth shrinking. */
const SMALL = 64
