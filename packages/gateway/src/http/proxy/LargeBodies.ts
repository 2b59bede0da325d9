/** Parses large bodies one at a time, in slices, with turns by key: a key that sends many waits for itself only. */
import { isUtf8 } from "node:buffer"
import { Deferred, Effect } from "effect"
import { InvalidJson } from "../errors/RequestErrors.ts"
import { JsonScan, MAX_VALUES, NOT_UTF8, parserFor } from "./JsonGuard.ts"
import { LONG_FROM, Masked, type StringPlace, SLICE, slicesOf, valuesAmong } from "./SliceLongStrings.ts"

/** Bodies from this many bytes on are large. */
export const LARGE_FROM = 256 * 1024

/** A lock for one at a time, taken in turns by key. */
export class TurnsByKey {
  private readonly waiting = new Map<string, Array<Deferred.Deferred<void>>>()
  private busy = false

  take<A, E, R>(key: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      this.turn(key),
      () => work,
      () => Effect.sync(() => this.next())
    )
  }

  private turn(key: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (!this.busy) {
        this.busy = true
        return Effect.void
      }
      const mine = Deferred.makeUnsafe<void>()
      const queue = this.waiting.get(key)
      if (queue === undefined) this.waiting.set(key, [mine])
      else queue.push(mine)
      return Effect.onInterrupt(Effect.interruptible(Deferred.await(mine)), () =>
        Effect.sync(() => this.leave(key, mine))
      )
    })
  }

  /** A waiting request left. If it was given its turn meanwhile, it passes it on. */
  private leave(key: string, mine: Deferred.Deferred<void>): void {
    const queue = this.waiting.get(key) ?? []
    const index = queue.indexOf(mine)
    if (index < 0) return this.next()
    queue.splice(index, 1)
    if (queue.length === 0) this.waiting.delete(key)
  }

  private next(): void {
    for (const [key, queue] of this.waiting) {
      const first = queue.shift()!
      // Moves the key behind all others.
      this.waiting.delete(key)
      if (queue.length > 0) this.waiting.set(key, queue)
      return void Deferred.doneUnsafe(first, Effect.void)
    }
    this.busy = false
  }
}

/** The parsed body. `long`: its long strings, if it has any. */
export const parseLarge = Effect.fnUntraced(function* (bytes: Buffer, maxValues = MAX_VALUES) {
  if (!isUtf8(bytes)) return yield* new InvalidJson({ message: NOT_UTF8 })
  const scan = new JsonScan(bytes, maxValues, LONG_FROM)
  while (scan.at < bytes.length) {
    const excess = scan.run(Math.min(bytes.length, scan.at + SLICE))
    if (excess !== undefined) return yield* new InvalidJson({ message: excess })
    yield* Effect.yieldNow
  }
  const places = valuesAmong(bytes, scan.long)
  const strings: Array<string> = []
  for (const place of places) strings.push(yield* textOf(bytes, place))
  const parse = parserFor(scan)
  return yield* Effect.try({
    try: () => {
      if (places.length === 0) return { value: parse(bytes.toString()), long: undefined }
      const long = new Masked(bytes, places, strings, parse)
      return { value: long.whole, long }
    },
    catch: invalid
  })
})

const textOf = Effect.fnUntraced(function* (bytes: Buffer, place: StringPlace) {
  const slices = slicesOf(bytes, place)
  let text = ""
  for (;;) {
    const { done, value } = yield* Effect.try({ try: () => slices.next(), catch: invalid })
    if (done) return text
    text += value
    yield* Effect.yieldNow
  }
})

const invalid = () => new InvalidJson({ message: "the body is not valid JSON" })
