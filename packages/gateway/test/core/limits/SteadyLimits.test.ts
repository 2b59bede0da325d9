/** Rate limits where the clock of the machine is set. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { RateLimiter } from "../../../src/core/limits/RateLimiter.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { limiterOf } from "../grants/Nodes.ts"
import { callerWith, noLimits, NOW } from "../call/Support.ts"

const layers = {
  memory: RateLimiter.layerMemory,
  shares: Layer.orDie(Layer.provide(limiterOf(1), SqliteStore.layerMemory))
}

for (const [name, layer] of Object.entries(layers)) {
  describe(`rate limits · ${name}`, () => {
    it.effect("are not opened by a step of the clock forward, nor closed by one back", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW)
        const steady = yield* Clock.Clock
        let step = 0
        const set = { ...steady, currentTimeMillisUnsafe: () => steady.currentTimeMillisUnsafe() + step }
        const built = yield* Effect.provideService(Layer.build(layer), Clock.Clock, set)
        const limiter = Context.get(built, RateLimiter)
        const caller = callerWith({ limits: { ...noLimits, rpm: 1 } })
        const admit = Effect.provideService(
          Effect.scoped(Effect.suspend(() => limiter.admit(caller, 0))),
          Clock.Clock,
          set
        )
        yield* admit
        for (step of [3_600_000, -3_600_000]) {
          const refused = yield* Effect.flip(admit)
          assert.deepInclude(refused, { kind: "rpm", retryAfterSeconds: 60, resetsAt: NOW + step + 60_000 })
        }
        yield* TestClock.adjust("60 seconds")
        assert.isTrue(Result.isSuccess(yield* Effect.result(admit)))
      })
    )
  })
}
