import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { NOWHERE } from "../../../src/core/collections/Roster.ts"
import { Deadlines } from "../../../src/providers/transport/Deadlines.ts"

describe("Deadlines", () => {
  it.effect("judges nobody by a time in which the process itself stood still, until it has run a round", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      /** Milliseconds that passed while nothing of this process ran: no timer went off in them. */
      let stoodStill = 0
      const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + stoodStill
      const deadlines = new Deadlines({ ...clock, currentTimeMillisUnsafe })
      yield* Effect.forkScoped(deadlines.run)
      const checks: Array<number> = []
      deadlines.watch({ place: NOWHERE, check: (now) => checks.push(now) })
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual(checks, [250])
      stoodStill = 1_000
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual(checks, [250])
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(checks, [250, 1_750, 2_000])
    })
  )

  it.effect("goes on by its own measure when the clock leaps, or is set back, by a month", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let step = 0
      const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + step
      const deadlines = new Deadlines({ ...clock, currentTimeMillisUnsafe })
      yield* Effect.forkScoped(deadlines.run)
      const month = 31 * 86_400_000
      for (const to of [month, 0, -month]) {
        const began = deadlines.now()
        const elapsed: Array<number> = []
        const call = { place: NOWHERE, check: (now: number) => elapsed.push(now - began) }
        deadlines.watch(call)
        yield* TestClock.adjust("1 second")
        step = to
        yield* TestClock.adjust("1 second")
        deadlines.forget(call)
        assert.isAtLeast(Math.min(...elapsed), 0)
        assert.isAtLeast(Math.max(...elapsed), 1_500)
        assert.isAtMost(Math.max(...elapsed), 2_000)
      }
    })
  )
})
