/** Requests more quota for leases that are too small. */
import { Clock, Deferred, Effect } from "effect"
import { steadyMs } from "../collections/Steady.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"
import type { SharedGrants } from "./Grants.ts"
import type { Short } from "./Share.ts"

/** Those that may still be granted more. */
export const stillOpen = (shorts: ReadonlyArray<Short>, now: number): ReadonlyArray<Short> =>
  shorts.filter(({ need, share }) => !share.isRefused(need, now))

/** Other processes may be granted the quota first: after this many attempts the request is refused. */
export const MOST_QUESTIONS = 64

/** Requests all missing quota in one round trip. The leases hold the result: an amount, or until when it is refused. */
export const fillShares = Effect.fnUntraced(function* (grants: SharedGrants, shorts: ReadonlyArray<Short>) {
  const awaited = shorts.flatMap(({ share: { asking } }) => (asking === undefined ? [] : [Deferred.await(asking)]))
  const mine = shorts.filter(({ share }) => share.asking === undefined)
  // No request waits for quota that was used already.
  const waiting = shorts.filter(({ isOwed }) => isOwed !== true)
  for (const { need, share } of waiting) share.await(need)
  yield* Effect.ensuring(
    Effect.andThen(mine.length === 0 ? Effect.void : asked(grants, mine), Effect.all(awaited, { discard: true })),
    Effect.sync(() => {
      for (const { need, share } of waiting) share.awaitNoMore(need)
    })
  )
})

const asked = (grants: SharedGrants, shorts: ReadonlyArray<Short>): Effect.Effect<void, StoreUnavailable> => {
  for (const { share } of shorts) share.asking = Deferred.makeUnsafe()
  return Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const now = steadyMs(clock)
    const answers = yield* grants.ask(shorts.map((short) => short.share.question(short, now)))
    const then = steadyMs(clock)
    for (const [index, answer] of answers.entries()) shorts[index]?.share.answered(answer, then, grants)
  }).pipe(
    Effect.onExit((exit) =>
      Effect.sync(() => {
        const awaited = shorts.flatMap(({ share: { asking } }) => (asking === undefined ? [] : [asking]))
        // Waiting requests resume within `doneUnsafe`, where they may request more again.
        for (const { share } of shorts) share.asking = undefined
        for (const asking of awaited) Deferred.doneUnsafe(asking, exit)
      })
    ),
    Effect.uninterruptible
  )
}
