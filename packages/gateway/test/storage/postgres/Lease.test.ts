import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Lease } from "../../../src/storage/postgres/nodes/Lease.ts"

const lease = Effect.map(Clock.Clock, (clock) => new Lease(10_000, clock))

describe("the lease of a gateway", () => {
  it.effect("lasts from before the beat was sent, however long its answer took", () =>
    Effect.gen(function* () {
      const held = yield* lease
      yield* TestClock.adjust("3 seconds")
      const sent = held.now()
      yield* TestClock.adjust("6 seconds")
      assert.isFalse(held.isOver)
      held.renew(sent)
      assert.strictEqual(held.ageMs, 6_000)
      yield* TestClock.adjust("3999 millis")
      assert.isFalse(held.isOver)
      yield* TestClock.adjust("1 millis")
      assert.isTrue(held.isOver)
    })
  )

  it.effect("is not made shorter by a beat that is answered after a later one", () =>
    Effect.gen(function* () {
      const held = yield* lease
      const first = held.now()
      yield* TestClock.adjust("3 seconds")
      const second = held.now()
      yield* TestClock.adjust("2 seconds")
      held.renew(second)
      held.renew(first)
      assert.strictEqual(held.ageMs, 2_000)
    })
  )

  it.effect("counts the time in which a machine was suspended, and time by which the clock was set back", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let wall = 0
      const odd: Clock.Clock = Object.assign(Object.create(clock), { currentTimeMillisUnsafe: () => wall })
      const held = new Lease(10_000, odd)
      wall = 20_000
      assert.isTrue(held.isOver)
      held.renew(held.now())
      wall = -50_000
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(held.isOver)
    })
  )

  it.effect("that was ended begins with the next beat", () =>
    Effect.gen(function* () {
      const held = yield* lease
      held.end()
      assert.isTrue(held.isOver)
      held.renew(held.now())
      assert.strictEqual(held.ageMs, 0)
    })
  )
})
