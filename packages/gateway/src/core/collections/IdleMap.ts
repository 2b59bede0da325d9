import { Effect, Latch } from "effect"

/** A map that drops idle entries. Each insert checks two others; `keepSmall` does it where few are inserted. */
export class IdleMap<V> {
  private readonly isIdle: (value: V, now: number) => boolean
  private readonly dropped: (value: V, now: number) => void
  private readonly entries = new Map<string, V>()
  /** Walks the entries in an endless circle, new ones included. */
  private hand = this.entries.entries()
  /** Open while there are many entries. */
  private readonly many = Latch.makeUnsafe(false)

  /** `isIdle`: whether an entry is worth no more than a missing one at a time (epoch milliseconds). `dropped` is called for each entry that is removed. */
  constructor(isIdle: (value: V, now: number) => boolean, dropped: (value: V, now: number) => void = () => {}) {
    this.isIdle = isIdle
    this.dropped = dropped
  }

  get size(): number {
    return this.entries.size
  }

  get(name: string): V | undefined {
    return this.entries.get(name)
  }

  values(): Iterable<V> {
    return this.entries.values()
  }

  set(name: string, value: V, now: number): void {
    this.sweep(now, LOOKS)
    this.entries.set(name, value)
    if (this.entries.size === SWEPT) this.many.openUnsafe()
  }

  delete(name: string): void {
    this.entries.delete(name)
  }

  clear(): void {
    this.entries.clear()
  }

  /** Removes idle entries every ten minutes while there are many, with pauses. `now`: as for `isIdle`. */
  keepSmall(now: () => number): Effect.Effect<never> {
    return Effect.forever(
      Effect.gen({ self: this }, function* () {
        yield* this.many.await
        yield* Effect.sleep("10 minutes")
        for (let left = this.size; left > 0; left -= SWEPT) {
          this.sweep(now(), SWEPT)
          yield* Effect.yieldNow
        }
        if (this.size < SWEPT) this.many.closeUnsafe()
      })
    )
  }

  private sweep(now: number, looks: number): void {
    for (let looked = 0; looked < looks; looked++) this.step(now)
  }

  private step(now: number): void {
    const { done, value: entry } = this.hand.next()
    if (done) this.hand = this.entries.entries()
    else if (this.isIdle(entry[1], now)) {
      this.entries.delete(entry[0])
      this.dropped(entry[1], now)
    }
  }
}

/** With one check per insert the map could grow for a whole round; with two at most half of it is idle. */
const LOOKS = 2

/** Entries that are checked in one step of a sweep, which takes less than a millisecond. A map with fewer is not swept. */
const SWEPT = 2_000
