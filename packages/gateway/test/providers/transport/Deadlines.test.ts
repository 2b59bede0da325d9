import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { Deadlines } from "../../../src/providers/transport/Deadlines.ts"

/** The whole process stands still, as when a machine sleeps or is far too busy. */
const standStill = (ms: number) =>
  Effect.sync(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms))

describe("Deadlines", () => {
  it.live("judges nobody by a time in which the process itself stood still, until it has run a round", () =>
    Effect.gen(function* () {
      const deadlines = new Deadlines(yield* Clock.Clock)
      yield* Effect.forkScoped(deadlines.run)
      const checks: Array<number> = []
      deadlines.watch({ check: (now) => checks.push(now) })
      yield* Effect.sleep("50 millis")
      yield* standStill(1_000)
      const awake = deadlines.now()
      while (checks.length < 2) yield* Effect.sleep("20 millis")
      assert.isAtLeast(checks[0]! - awake, 200)
      assert.isBelow(checks[1]! - checks[0]!, 1_000)
    })
  )
})
