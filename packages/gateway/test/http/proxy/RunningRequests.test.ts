import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { Running } from "../../../src/http/proxy/RunningRequests.ts"

describe("Running", () => {
  it.effect("counts those that run, and tells when none does", () =>
    Effect.gen(function* () {
      const running = yield* Running.make<void, never>()
      assert.strictEqual(yield* running.count, 0)
      yield* running.ended
      const fibers = [running.run(Effect.never), running.run(Effect.never), running.run(Effect.void)]
      assert.strictEqual(yield* running.count, 2)
      const waiting = yield* Effect.forkChild(running.ended, { startImmediately: true })
      yield* Fiber.interrupt(fibers[0]!)
      assert.isUndefined(waiting.pollUnsafe())
      yield* Fiber.interrupt(fibers[1]!)
      yield* Fiber.join(waiting)
      assert.strictEqual(yield* running.count, 0)
    })
  )

  it.effect("interrupts those that run, and goes on", () =>
    Effect.gen(function* () {
      const running = yield* Running.make<void, never>()
      let cleaned = 0
      const work = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void cleaned++))
      for (let index = 0; index < 3; index++) running.run(work)
      yield* running.interrupt
      assert.strictEqual(cleaned, 3)
      assert.strictEqual(yield* running.count, 0)
      const later = running.run(Effect.void)
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(later)))
    })
  )

  it.effect("interrupts them when its Scope closes, and whatever begins after that", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const running = yield* Scope.provide(Running.make<void, never>(), scope)
      const before = running.run(Effect.never)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(before)))
      let ran = false
      const after = running.run(Effect.sync(() => void (ran = true)))
      assert.isTrue(Exit.isFailure(yield* Fiber.await(after)))
      assert.isFalse(ran)
    })
  )
})
