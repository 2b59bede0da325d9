/** An LRU map with an expiry: the least recently used entry goes when there are too many, and every entry after an hour. */
const CAPACITY = 100_000
const LIFETIME_MS = 3_600_000
/** An unchanged value is refreshed at most this often. */
const TOUCHED_EVERY_MS = 60_000

interface LruEntry<V> {
  readonly value: V
  readonly at: number
}

export class LruMap<V> {
  /** Least recently refreshed first. */
  private readonly entries = new Map<string, LruEntry<V>>()
  private readonly capacity: number

  constructor(capacity = CAPACITY) {
    this.capacity = capacity
  }

  get size(): number {
    return this.entries.size
  }

  /** Undefined if nothing was kept in the hour before `now` (epoch milliseconds). */
  get(name: string, now: number): V | undefined {
    const known = this.entries.get(name)
    return known === undefined || isOld(known, now) ? undefined : known.value
  }

  /** Values are compared by identity. */
  keep(name: string, value: V, now: number): void {
    const known = this.entries.get(name)
    if (known !== undefined) {
      if (known.value === value && Math.abs(now - known.at) < TOUCHED_EVERY_MS) return
      this.entries.delete(name)
    }
    this.entries.set(name, { value, at: now })
    // Removes two at a time, so that old entries go faster than new ones come.
    for (let gone = 0; gone < 2; gone++) this.dropOldest(now)
  }

  private dropOldest(now: number): void {
    for (const [name, known] of this.entries) {
      if (this.entries.size > this.capacity || isOld(known, now)) this.entries.delete(name)
      return
    }
  }
}

/** An entry from the future is old too: the clock was set back since. */
const isOld = ({ at }: LruEntry<unknown>, now: number): boolean => Math.abs(now - at) >= LIFETIME_MS
