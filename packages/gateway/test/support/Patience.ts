/** Waiting for what goes on outside a test: another process, the other side of a socket, a disk. In real time, whatever the test's clock. */
import { Effect } from "effect"

/** Far beyond what a busy machine needs; below the tests' own limit, so that what failed is named. */
export const PATIENCE_MS = 60_000

const pause = (ms: number) => Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, ms)))

/** Looks again and again until what it sees will do, and gives that back. What it saw last is in the failure. */
export const eventually = <A, E, R>(
  look: Effect.Effect<A, E, R>,
  holds: (seen: A) => boolean
): Effect.Effect<A, E, R> => patiently(look, holds, holds)

/** The same for a condition of the test's own process. */
export const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.asVoid(patiently(Effect.sync(holds), (isSo) => isSo, holds))

const patiently = Effect.fnUntraced(function* <A, E, R>(
  look: Effect.Effect<A, E, R>,
  holds: (seen: A) => boolean,
  condition: { readonly toString: () => string }
) {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const seen = yield* look
    if (holds(seen)) return seen
    if (performance.now() > end) {
      const last = String(JSON.stringify(seen)).slice(0, 1_000)
      return yield* Effect.die(new Error(`never came: ${condition.toString()}; seen last: ${last}`))
    }
    yield* pause(5)
  }
})

/**
 * Milliseconds of the quickest of up to ten tries, which end with the first below `enough`: a busy machine makes any of them slow, and
 * a slow program all of them. `attempt` is given the try's number from 0.
 */
export const quickest = Effect.fnUntraced(function* <E, R>(
  enough: number,
  attempt: (number: number) => Effect.Effect<number, E, R>
) {
  let best = Infinity
  for (let number = 0; number < 10 && best >= enough; number++) best = Math.min(best, yield* attempt(number))
  return best
})

/** What an effect gives, with the milliseconds of CPU that this process took meanwhile: other programs have no part in them. */
export const withCpu = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<{ readonly value: A; readonly cpuMs: number }, E, R> =>
  Effect.suspend(() => {
    const before = process.cpuUsage()
    return Effect.map(effect, (value) => {
      const { system, user } = process.cpuUsage(before)
      return { value, cpuMs: (system + user) / 1_000 }
    })
  })
