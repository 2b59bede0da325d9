/** What was known of something lately: the least recent is forgotten when there is too much of it, and all of it after a while. */
const CAPACITY = 100_000
const LIFETIME_MS = 3_600_000
/** What does not change is brought up to date no more often than this. */
const TOUCHED_EVERY_MS = 60_000

interface Known<V> {
  readonly value: V
  readonly at: number
}

export class LruMap<V> {
  /** The longest untouched first. */
  private readonly entries = new Map<string, Known<V>>()
  private readonly capacity: number

  constructor(capacity = CAPACITY) {
    this.capacity = capacity
  }

  get size(): number {
    return this.entries.size
  }

  /** Undefined when it was not told of within the last hour before `now` (epoch ms). */
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
    // Two at a time: old ones go faster than new ones come.
    for (let gone = 0; gone < 2; gone++) this.dropOldest(now)
  }

  private dropOldest(now: number): void {
    for (const [name, known] of this.entries) {
      if (this.entries.size > this.capacity || isOld(known, now)) this.entries.delete(name)
      return
    }
  }
}

/** So is what lies further ahead: the clock was set back since. */
const isOld = ({ at }: Known<unknown>, now: number): boolean => Math.abs(now - at) >= LIFETIME_MS
