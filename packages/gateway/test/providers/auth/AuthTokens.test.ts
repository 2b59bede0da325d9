import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { AuthFailed } from "../../../src/core/pool/Auth.ts"
import { heldToken } from "../../../src/providers/auth/AuthTokens.ts"

/** Gives out `token-1`, `token-2` …, each for `lives` ms; `wait`: before each. */
const issuer = (lives: number, wait: Effect.Effect<void, AuthFailed> = Effect.void) => {
  const state = { count: 0 }
  const fetch = Effect.gen(function* () {
    state.count++
    const value = Redacted.make(`token-${state.count}`)
    yield* wait
    return { value, endsAt: (yield* Clock.currentTimeMillis) + lives }
  })
  return { state, token: Effect.map(heldToken(fetch), Redacted.value) }
}

const HOUR = 3_600_000

describe("a token that runs out", () => {
  it.effect("is fetched once for all who wait for the first one", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { state, token } = issuer(HOUR, Deferred.await(gate))
      const waiting = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 50 }, () => token),
          { concurrency: 50 }
        )
      )
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(new Set(yield* Fiber.join(waiting)), new Set(["token-1"]))
      assert.strictEqual(state.count, 1)
    })
  )

  it.effect("is renewed before it ends, while requests go on with the old one", () =>
    Effect.gen(function* () {
      const { state, token } = issuer(HOUR)
      assert.strictEqual(yield* token, "token-1")
      yield* TestClock.adjust("54 minutes")
      assert.strictEqual(yield* token, "token-1")
      assert.strictEqual(state.count, 1)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* token, "token-1")
      yield* Effect.yieldNow
      assert.strictEqual(yield* token, "token-2")
      assert.strictEqual(state.count, 2)
    })
  )

  it.effect("is waited for once it has ended", () =>
    Effect.gen(function* () {
      const { token } = issuer(HOUR)
      yield* token
      yield* TestClock.adjust("3 hours")
      assert.strictEqual(yield* token, "token-2")
    })
  )

  it.effect("that lives for a minute is not fetched for every request", () =>
    Effect.gen(function* () {
      const { state, token } = issuer(60_000)
      for (let second = 0; second < 25; second++) {
        yield* token
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(state.count, 1)
    })
  )

  it.effect("holds on to its end where it can't be renewed, and is not asked for all the time", () =>
    Effect.gen(function* () {
      let isDown = false
      const down = Effect.suspend(() => (isDown ? Effect.fail(new AuthFailed({ message: "down" })) : Effect.void))
      const { state, token } = issuer(HOUR, down)
      yield* token
      isDown = true
      yield* TestClock.adjust("56 minutes")
      for (let request = 0; request < 10; request++) {
        assert.strictEqual(yield* token, "token-1")
        yield* Effect.yieldNow
      }
      assert.strictEqual(state.count, 2)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* Effect.flip(token)).message, "down")
      isDown = false
      assert.match(yield* token, /^token-/)
    })
  )

  it.effect("still comes for the others when the request that asked first is given up", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { state, token } = issuer(HOUR, Deferred.await(gate))
      const first = yield* Effect.forkChild(token)
      yield* Effect.yieldNow
      const second = yield* Effect.forkChild(token)
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(second), "token-1")
      assert.strictEqual(state.count, 1)
    })
  )
})
