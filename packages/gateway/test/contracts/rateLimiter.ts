/** What every RateLimiter keeps to: the limits, the waits that it tells, the slots that it gives back. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, type Layer, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Caller } from "../../src/core/keys/Caller.ts"
import { RateLimiter } from "../../src/core/limits/RateLimiter.ts"
import type { Limits } from "../../src/core/domain/Budget.ts"
import { inTime } from "./stores.ts"
import { callerWith, noLimits, NOW, seeded, settleDown } from "../core/call/Support.ts"

const key = (limits: Partial<Limits>) => callerWith({ limits: { ...noLimits, ...limits } })

const both = (own: Partial<Limits>, shared: Partial<Limits>, id = "key_a") =>
  callerWith({ id, limits: { ...noLimits, ...own } }, { name: "red", limits: { ...noLimits, ...shared } })

/** Admits for as long as a request that is answered at once. */
const admit = (limiter: RateLimiter["Service"], caller: Caller, tokens = 0) =>
  inTime(Effect.scoped(limiter.admit(caller, tokens)))

const isAdmitted = (limiter: RateLimiter["Service"], caller: Caller, tokens = 0) =>
  Effect.map(Effect.result(admit(limiter, caller, tokens)), Result.isSuccess)

/** The most that lies in any window of 60 s, given times and weights. */
const most = (admitted: ReadonlyArray<readonly [at: number, weight: number]>): number => {
  let sum = 0
  let worst = 0
  let from = 0
  for (const [at, weight] of admitted) {
    sum += weight
    while (admitted[from]![0] <= at - 60_000) sum -= admitted[from++]![1]
    worst = Math.max(worst, sum)
  }
  return worst
}

/** Milliseconds to the next request. */
const arrivals: { readonly [name: string]: (chance: ReturnType<typeof seeded>, index: number) => number } = {
  "all at once, every half minute": (_, index) => (index % 40 === 0 ? 30_000 : 0),
  "a steady second": () => 1_000,
  "just around the end of the window": (_, index) => (index % 20 === 0 ? 59_999 : 1),
  "by chance": (chance) => Math.floor(-Math.log(1 - chance.next()) * 2_000),
  "bursts that grow": (chance, index) => (index % (1 + (index % 17)) === 0 ? chance.below(20_000) : 3)
}

/** `processes`: with several, each tells what it knows; the limits are the same. */
export const rateLimiterContract = (name: string, layer: Layer.Layer<RateLimiter>, processes = 1) =>
  describe(`RateLimiter · ${name}`, () => {
    const byOne = processes === 1 ? it.effect : it.effect.skip
    for (const [pattern, next] of Object.entries(arrivals)) {
      it.effect(`admits at most the limit in any 60 s, and who waits as told is admitted: ${pattern}`, () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(NOW)
          const limiter = yield* RateLimiter
          const chance = seeded(7)
          const caller = key({ rpm: 10, tpm: 5_000 })
          const requests: Array<readonly [number, number]> = []
          const tokens: Array<readonly [number, number]> = []
          let now = NOW
          for (let index = 0; index < 400; index++) {
            const asked = 1 + chance.below(1_500)
            const result = yield* Effect.result(admit(limiter, caller, asked))
            if (Result.isFailure(result)) {
              const wait = result.failure.retryAfterSeconds * 1_000
              assert.isAtLeast(wait, 1_000)
              if (chance.next() < 0.5) {
                // Not a second earlier, where that is a whole second.
                now += wait
                yield* TestClock.setTime(now)
                assert.isTrue(yield* isAdmitted(limiter, caller, asked), `${result.failure.kind} after ${wait}`)
                requests.push([now, 1])
                tokens.push([now, asked])
              }
            } else {
              requests.push([now, 1])
              tokens.push([now, asked])
            }
            now += next(chance, index)
            yield* TestClock.setTime(now)
          }
          assert.isAtLeast(requests.length, 10)
          assert.isAtMost(most(requests), 10)
          assert.isAtMost(most(tokens), 5_000)
        }).pipe(Effect.provide(layer))
      )
    }

    it.effect("reaches the limit, says what is used, and is exact to the millisecond", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW)
        const limiter = yield* RateLimiter
        const caller = key({ rpm: 2 })
        yield* admit(limiter, caller)
        yield* TestClock.adjust(10_500)
        yield* admit(limiter, caller)
        const refused = yield* Effect.flip(admit(limiter, caller))
        assert.deepInclude(refused, {
          kind: "rpm",
          scope: "key",
          subject: "key_a",
          limit: 2,
          used: 2,
          retryAfterSeconds: 50,
          resetsAt: NOW + 60_000
        })
        yield* TestClock.adjust(49_499)
        assert.isFalse(yield* isAdmitted(limiter, caller))
        yield* TestClock.adjust(1)
        assert.isTrue(yield* isAdmitted(limiter, caller))
        assert.isFalse(yield* isAdmitted(limiter, caller))
      }).pipe(Effect.provide(layer))
    )

    byOne("uses nothing up for what it refuses, of no limit and of no scope", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const caller = both({ rpm: 5, tpm: 100 }, { rpm: 1, tpm: 1_000, maxParallel: 3 })
        yield* admit(limiter, caller, 10)
        for (let i = 0; i < 20; i++) {
          const refused = yield* Effect.flip(admit(limiter, caller, 10))
          assert.strictEqual(refused.scope, "team")
        }
        const { requests, tokens } = yield* limiter.allowances(caller)
        assert.deepStrictEqual(requests, { limit: 5, remaining: 4, resetMs: 60_000 })
        assert.deepStrictEqual(tokens, { limit: 100, remaining: 90, resetMs: 60_000 })
        yield* TestClock.adjust("60 seconds")
        assert.isTrue(yield* isAdmitted(limiter, caller, 10))
      }).pipe(Effect.provide(layer))
    )

    it.effect("counts the keys of a team together", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const one = both({}, { rpm: 2 }, "key_1")
        const two = both({ rpm: 9 }, { rpm: 2 }, "key_2")
        yield* admit(limiter, one)
        yield* admit(limiter, two)
        const refused = yield* Effect.flip(admit(limiter, one))
        assert.deepInclude(refused, { scope: "team", subject: "red", keyId: "key_1", used: 2 })
        assert.isTrue(yield* isAdmitted(limiter, key({ rpm: 1 })))
      }).pipe(Effect.provide(layer))
    )

    it.effect("tells the longest of several waits", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const caller = both({ rpm: 1 }, { tpm: 100 })
        yield* admit(limiter, both({}, { tpm: 100 }), 100)
        yield* TestClock.adjust("30 seconds")
        yield* admit(limiter, key({ rpm: 1 }))
        const refused = yield* Effect.flip(admit(limiter, caller, 50))
        assert.deepInclude(refused, { kind: "rpm", scope: "key", retryAfterSeconds: 60 })
        yield* TestClock.adjust("60 seconds")
        assert.isTrue(yield* isAdmitted(limiter, caller, 50))
      }).pipe(Effect.provide(layer))
    )

    it.effect("replaces expected tokens by used ones, up and down", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const caller = key({ tpm: 1_000 })
        const first = yield* Effect.scoped(limiter.admit(caller, 900))
        assert.isFalse(yield* isAdmitted(limiter, caller, 200))
        yield* first.settle(100)
        const second = yield* Effect.scoped(limiter.admit(caller, 200))
        yield* second.settle(2_000)
        const refused = yield* Effect.flip(admit(limiter, caller, 1))
        assert.deepInclude(refused, { kind: "tpm", retryAfterSeconds: 60 })
        if (processes === 1) assert.strictEqual(refused.used, 2_100)
        yield* TestClock.adjust("60 seconds")
        assert.isTrue(yield* isAdmitted(limiter, caller, 1_000))
        // It was told before.
        yield* second.settle(5_000)
        if (processes > 1) return
        assert.strictEqual((yield* limiter.allowances(caller)).tokens?.remaining, 0)
        yield* TestClock.adjust("60 seconds")
        assert.strictEqual((yield* limiter.allowances(caller)).tokens?.remaining, 1_000)
      }).pipe(Effect.provide(layer))
    )

    it.effect("counts what an answer used that took longer than a minute, whoever else asked meanwhile", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const caller = key({ tpm: 1_000 })
        const long = yield* Effect.scoped(limiter.admit(caller, 100))
        yield* TestClock.adjust("61 seconds")
        // Each that is new makes room for itself by forgetting who is idle.
        for (let index = 0; index < 20; index++) yield* admit(limiter, both({ rpm: 9 }, {}, `key_${index}`))
        yield* long.settle(2_000)
        yield* TestClock.adjust("59 seconds")
        assert.isFalse(yield* isAdmitted(limiter, caller, 1))
        yield* TestClock.adjust("1 seconds")
        assert.isTrue(yield* isAdmitted(limiter, caller, 1_000))
      }).pipe(Effect.provide(layer))
    )

    it.effect("admits a request larger than the limit when nothing else was used", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const caller = key({ tpm: 100 })
        assert.isTrue(yield* isAdmitted(limiter, caller, 5_000))
        const refused = yield* Effect.flip(admit(limiter, caller, 5_000))
        yield* TestClock.adjust(refused.retryAfterSeconds * 1_000)
        assert.isTrue(yield* isAdmitted(limiter, caller, 5_000))
      }).pipe(Effect.provide(layer))
    )

    byOne("frees a slot when its scope closes, however that comes", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const caller = both({ maxParallel: 1 }, { maxParallel: 2 })
        const other = both({}, { maxParallel: 2 }, "key_b")
        const scope = yield* Scope.make()
        yield* Scope.provide(limiter.admit(caller, 0), scope)
        const own = yield* Effect.flip(admit(limiter, caller))
        assert.deepInclude(own, { kind: "parallel", scope: "key", limit: 1, used: 1, retryAfterSeconds: 1 })
        const running = yield* Effect.forkChild(Effect.scoped(Effect.andThen(limiter.admit(other, 0), Effect.never)))
        yield* settleDown
        assert.strictEqual((yield* Effect.flip(admit(limiter, other))).scope, "team")
        yield* Fiber.interrupt(running)
        assert.isTrue(yield* isAdmitted(limiter, other))
        yield* Scope.close(scope, Exit.void)
        assert.isTrue(yield* isAdmitted(limiter, caller))
        const failing = Effect.scoped(Effect.andThen(limiter.admit(caller, 0), Effect.fail("no")))
        for (let i = 0; i < 5; i++) assert.strictEqual(yield* Effect.flip(failing), "no")
        assert.isTrue(yield* isAdmitted(limiter, caller))
      }).pipe(Effect.provide(layer))
    )

    it.effect("keeps no slot of a request that is interrupted while it is admitted", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const caller = both({ maxParallel: 1 }, { maxParallel: 1 })
        for (let turns = 0; turns < 8; turns++) {
          const running = yield* Effect.forkChild(Effect.scoped(Effect.andThen(limiter.admit(caller, 0), Effect.never)))
          for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
          yield* Fiber.interrupt(running)
          assert.isTrue(yield* isAdmitted(limiter, caller), `after ${turns} turns`)
        }
      }).pipe(Effect.provide(layer))
    )

    it.effect("frees a slot that is left early once, not again when its scope closes", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const caller = key({ maxParallel: 1 })
        const first = yield* Scope.make()
        const permit = yield* Scope.provide(limiter.admit(caller, 0), first)
        yield* permit.leave
        const second = yield* Scope.make()
        yield* Scope.provide(limiter.admit(caller, 0), second)
        yield* permit.leave
        yield* Scope.close(first, Exit.void)
        assert.isFalse(yield* isAdmitted(limiter, caller))
        yield* Scope.close(second, Exit.void)
        assert.isTrue(yield* isAdmitted(limiter, caller))
      }).pipe(Effect.provide(layer))
    )

    it.effect("frees nobody's slot when a request without a limit of its kind ends", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const scope = yield* Scope.make()
        yield* Scope.provide(limiter.admit(key({ maxParallel: 1 }), 0), scope)
        yield* admit(limiter, key({ rpm: 5 }))
        yield* admit(limiter, key({ rpm: 5 }))
        assert.isFalse(yield* isAdmitted(limiter, key({ maxParallel: 1 })))
      }).pipe(Effect.provide(layer))
    )

    it.effect("a lowered limit holds at once, a raised one gives room at once", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        for (let i = 0; i < 5; i++) yield* admit(limiter, key({ rpm: 5, tpm: 500 }), 100)
        assert.isFalse(yield* isAdmitted(limiter, key({ rpm: 2 })))
        assert.isTrue(yield* isAdmitted(limiter, key({ rpm: 6 })))
        assert.isFalse(yield* isAdmitted(limiter, key({ tpm: 550 }), 100))
        assert.isTrue(yield* isAdmitted(limiter, key({ tpm: 600 }), 100))
      }).pipe(Effect.provide(layer))
    )

    byOne("who waits for a lowered limit is admitted", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        for (let i = 0; i < 6; i++) {
          yield* admit(limiter, key({ rpm: 6 }))
          yield* TestClock.adjust("5 seconds")
        }
        const refused = yield* Effect.flip(admit(limiter, key({ rpm: 2 })))
        yield* TestClock.adjust((refused.retryAfterSeconds - 1) * 1_000)
        assert.isFalse(yield* isAdmitted(limiter, key({ rpm: 2 })))
        yield* TestClock.adjust("1 seconds")
        assert.isTrue(yield* isAdmitted(limiter, key({ rpm: 2 })))
      }).pipe(Effect.provide(layer))
    )

    it.effect("does not lock a key out when the clock is set back", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW)
        const limiter = yield* RateLimiter
        yield* admit(limiter, key({ rpm: 1 }))
        yield* TestClock.setTime(NOW - 3_600_000)
        const refused = yield* Effect.result(admit(limiter, key({ rpm: 1 })))
        if (Result.isFailure(refused)) assert.isAtMost(refused.failure.retryAfterSeconds, 60)
        yield* TestClock.adjust("60 seconds")
        assert.isTrue(yield* isAdmitted(limiter, key({ rpm: 1 })))
      }).pipe(Effect.provide(layer))
    )

    byOne("holds a place in rpm and a slot for a request whose tokens are not known yet, and gives both back", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const caller = both({ rpm: 1 }, { maxParallel: 1 })
        const scope = yield* Scope.make()
        yield* Scope.provide(limiter.admit(caller), scope)
        const refused = yield* Effect.flip(admit(limiter, caller))
        assert.include(["rpm", "parallel"], refused.kind)
        assert.isFalse(yield* isAdmitted(limiter, both({}, { maxParallel: 1 }, "key_b")))
        yield* Scope.close(scope, Exit.void)
        assert.isTrue(yield* isAdmitted(limiter, both({}, { maxParallel: 1 }, "key_b")))
        assert.isTrue(yield* isAdmitted(limiter, caller))
        assert.isFalse(yield* isAdmitted(limiter, caller))
      }).pipe(Effect.provide(layer))
    )

    byOne("counts a request once its tokens are expected, and not where those are refused", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const caller = key({ rpm: 2, tpm: 100 })
        const enter = (tokens: number) =>
          inTime(Effect.scoped(Effect.flatMap(limiter.admit(caller), (permit) => permit.expect(tokens))))
        yield* enter(60)
        assert.strictEqual((yield* Effect.flip(enter(60))).kind, "tpm")
        yield* enter(40)
        assert.strictEqual((yield* Effect.flip(enter(1))).kind, "rpm")
        assert.strictEqual((yield* limiter.allowances(caller)).requests?.limit, 2)
      }).pipe(Effect.provide(layer))
    )

    it.effect("asks nothing of keys without limits", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        for (let i = 0; i < 1_000; i++) yield* admit(limiter, callerWith(), 1_000_000)
        assert.deepStrictEqual(yield* limiter.allowances(callerWith()), { requests: undefined, tokens: undefined })
        assert.deepStrictEqual((yield* limiter.allowances(key({ rpm: 3 }))).requests, {
          limit: 3,
          remaining: 3,
          resetMs: 0
        })
      }).pipe(Effect.provide(layer))
    )
  })
