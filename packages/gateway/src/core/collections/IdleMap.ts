import { Effect } from "effect"

/**
 * A map that drops idle entries, so that its size follows what is in use. It never scans everything in one step: each insert checks
 * two other entries and removes the idle ones, and `sweeping` removes the rest where few are inserted.
 */
export class IdleMap<V> {
  private readonly isIdle: (value: V, now: number) => boolean
  private readonly dropped: (value: V, now: number) => void
  private readonly entries = new Map<string, V>()
  /** Walks the entries in an endless circle, new ones included. */
  private hand = this.entries.entries()

  /** `isIdle`: whether an entry is worth no more than a missing one at a time (epoch ms). `dropped` is called for each entry that is removed. */
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
    this.sweep(now)
    this.entries.set(name, value)
  }

  delete(name: string): void {
    this.entries.delete(name)
  }

  clear(): void {
    this.entries.clear()
  }

  /** Checks so many entries. */
  sweep(now: number, looks = LOOKS): void {
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

/** Entries that are checked in one step of a sweep: less than a millisecond. */
const SWEPT = 2_000

/** Removes the idle entries of these maps every ten minutes, with pauses. `now`: the time that the maps are told. */
export const sweeping = (
  maps: ReadonlyArray<Pick<IdleMap<unknown>, "size" | "sweep">>,
  now: () => number
): Effect.Effect<never> =>
  Effect.forever(
    Effect.gen(function* () {
      yield* Effect.sleep("10 minutes")
      for (const map of maps) {
        for (let left = map.size; left > 0; left -= SWEPT) {
          map.sweep(now(), SWEPT)
          if (left > SWEPT) yield* Effect.yieldNow
        }
      }
    })
  )
