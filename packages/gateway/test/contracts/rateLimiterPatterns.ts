/** What every RateLimiter keeps to however requests come: five minutes of several patterns, judged against all that was admitted. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import type { Caller } from "../../src/core/keys/Caller.ts"
import type { Permit } from "../../src/core/limits/Admitted.ts"
import { RateLimiter } from "../../src/core/limits/RateLimiter.ts"
import { inTime } from "./stores.ts"
import { callerWith, noLimits, NOW, seeded } from "../core/call/Support.ts"

const WINDOW = 60_000
const OWN = { ...noLimits, rpm: 10, tpm: 4_000 }
const SHARED = { ...noLimits, rpm: 15, tpm: 6_000 }

const inTeam = (id: string): Caller => callerWith({ id, limits: OWN }, { name: "red", limits: SHARED })
const callers: { readonly [id: string]: Caller } = { key_1: inTeam("key_1"), key_2: inTeam("key_2") }

interface Admitted {
  readonly at: number
  readonly key: string
  readonly tokens: number
}

/** The most of `weight` that lies in any window of 60 s. */
const most = (admitted: ReadonlyArray<Admitted>, weight: (one: Admitted) => number): number =>
  Math.max(
    ...admitted.map(({ at }) =>
      admitted.filter((one) => one.at > at - WINDOW && one.at <= at).reduce((sum, one) => sum + weight(one), 0)
    )
  )

type Chance = ReturnType<typeof seeded>

/** When requests come, in ms from the start: five minutes of each. */
const patterns: { readonly [name: string]: (chance: Chance) => ReadonlyArray<number> } = {
  "a steady stream": () => Array.from({ length: 600 }, (_, index) => index * 500),
  "bursts at the edges of minutes": () =>
    Array.from({ length: 6 }, (_, minute) => Array.from({ length: 40 }, (_, index) => minute * WINDOW - 20 + index))
      .flat()
      .map((at) => Math.max(0, at)),
  "by chance (Poisson)": (chance) => {
    const times: Array<number> = []
    for (let at = 0; at < 5 * WINDOW; at -= Math.log(1 - chance.next()) * 900) times.push(Math.floor(at))
    return times
  },
  "all at once, again and again": () =>
    Array.from({ length: 12 }, (_, round) => Array.from({ length: 50 }, () => round * 27_500)).flat(),
  // What a fixed window or a token bucket lets through: its limit right before the turn, and again right after it.
  "twice the limit around the turn of a window": () =>
    Array.from({ length: 5 }, (_, minute) =>
      [59_990, 59_999, 60_000, 60_001, 60_010].flatMap((at) => Array.from({ length: 20 }, () => minute * WINDOW + at))
    ).flat()
}

const ask = (limiter: RateLimiter["Service"], caller: Caller, tokens: number) =>
  Effect.result(inTime(Effect.scoped(limiter.admit(caller, tokens))))

/** `processes`: with several, each tells what it knows; the limits are the same. */
export const rateLimiterPatternsContract = (name: string, layer: Layer.Layer<RateLimiter>, processes = 1) =>
  describe(`RateLimiter, however requests come · ${name}`, () => {
    for (const [pattern, timesOf] of Object.entries(patterns)) {
      it.effect(`no window of 60 s holds more than key and team may: ${pattern}`, () =>
        Effect.gen(function* () {
          const seed = 11
          const chance = seeded(seed)
          const limiter = yield* RateLimiter
          const admitted: Array<Admitted> = []
          for (const time of timesOf(chance)) {
            yield* TestClock.setTime(NOW + time)
            const key = chance.pick(Object.keys(callers))
            const tokens = 1 + chance.below(900)
            const before = yield* limiter.allowances(callers[key]!)
            const result = yield* ask(limiter, callers[key]!, tokens)
            if (Result.isSuccess(result)) {
              admitted.push({ at: time, key, tokens })
              continue
            }
            const after = yield* limiter.allowances(callers[key]!)
            if (processes === 1) assert.deepStrictEqual(after, before, "a refusal uses nothing up")
            // It was right: the request would have been too much for what it names.
            const { kind, scope, subject } = result.failure
            const counted = admitted.filter(
              (one) => one.at > time - WINDOW && (scope === "team" || one.key === subject)
            )
            const used = counted.reduce((sum, one) => sum + (kind === "rpm" ? 1 : one.tokens), 0)
            const limits = scope === "team" ? SHARED : OWN
            if (processes === 1) assert.strictEqual(result.failure.used, used, `seed ${seed}, ${time}`)
            assert.isAbove(used + (kind === "rpm" ? 1 : tokens), (kind === "rpm" ? limits.rpm : limits.tpm)!)
          }
          assert.isAtLeast(admitted.length, SHARED.rpm)
          for (const key of Object.keys(callers)) {
            const own = admitted.filter((one) => one.key === key)
            assert.isAtMost(
              most(own, () => 1),
              OWN.rpm
            )
            assert.isAtMost(
              most(own, ({ tokens }) => tokens),
              OWN.tpm
            )
          }
          assert.isAtMost(
            most(admitted, () => 1),
            SHARED.rpm
          )
          assert.isAtMost(
            most(admitted, ({ tokens }) => tokens),
            SHARED.tpm
          )
        }).pipe(Effect.provide(layer))
      )

      it.effect(`who alone waits as told is admitted by key and team: ${pattern}`, () =>
        Effect.gen(function* () {
          const chance = seeded(5)
          const limiter = yield* RateLimiter
          let now = NOW
          let waits = 0
          for (const time of timesOf(chance)) {
            // Waiting has taken longer than the pattern: it goes on from there.
            now = Math.max(now, NOW + time)
            yield* TestClock.setTime(now)
            const caller = callers[chance.pick(Object.keys(callers))]!
            const tokens = 1 + chance.below(900)
            const result = yield* ask(limiter, caller, tokens)
            if (Result.isSuccess(result)) continue
            const wait = result.failure.retryAfterSeconds * 1_000
            // Told in whole seconds, and less than a second more than it takes.
            assert.isAtMost(now + wait - result.failure.resetsAt, 999)
            now += wait
            waits++
            yield* TestClock.setTime(now)
            assert.isTrue(Result.isSuccess(yield* ask(limiter, caller, tokens)))
          }
          assert.isAbove(waits, 0)
        }).pipe(Effect.provide(layer))
      )
    }

    it.effect(
      "of many who wait for the same moment as many are admitted as there is room, first come, first served",
      () =>
        Effect.gen(function* () {
          const limiter = yield* RateLimiter
          const caller = callerWith({ limits: { ...noLimits, rpm: 10 } })
          let now = NOW
          let waiting = Array.from({ length: 45 }, (_, index) => index)
          const rounds: Array<ReadonlyArray<number>> = []
          while (waiting.length > 0) {
            yield* TestClock.setTime(now)
            const served: Array<number> = []
            let wait = 0
            for (const one of waiting) {
              const result = yield* ask(limiter, caller, 1)
              if (Result.isSuccess(result)) served.push(one)
              else wait = result.failure.retryAfterSeconds * 1_000
            }
            rounds.push(served)
            waiting = waiting.filter((one) => !served.includes(one))
            now += wait
          }
          // Nobody's turn is kept for them, and nobody who keeps coming back is passed over.
          assert.deepStrictEqual(
            rounds.map(({ length }) => length),
            [10, 10, 10, 10, 5]
          )
          assert.deepStrictEqual(
            rounds.flat(),
            Array.from({ length: 45 }, (_, index) => index)
          )
          assert.strictEqual(now, NOW + 4 * WINDOW)
        }).pipe(Effect.provide(layer))
    )

    it.effect("of many who wait for tokens the sum that fits is admitted, and smaller ones may go first", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const caller = callerWith({ limits: { ...noLimits, tpm: 1_000 } })
        yield* TestClock.setTime(NOW)
        assert.isTrue(Result.isSuccess(yield* ask(limiter, caller, 600)))
        yield* TestClock.setTime(NOW + 30_000)
        assert.isTrue(Result.isSuccess(yield* ask(limiter, caller, 400)))
        const large = yield* ask(limiter, caller, 700)
        const small = yield* ask(limiter, caller, 300)
        // 600 are free again after 30 s; 700 fit only when the 400 have left too.
        assert.deepStrictEqual(
          [large, small].map((one) => (Result.isFailure(one) ? one.failure.retryAfterSeconds : 0)),
          [60, 30]
        )
        yield* TestClock.setTime(NOW + 60_000)
        assert.isTrue(Result.isSuccess(yield* ask(limiter, caller, 300)))
        yield* TestClock.setTime(NOW + 90_000)
        assert.isTrue(Result.isSuccess(yield* ask(limiter, caller, 700)))
      }).pipe(Effect.provide(layer))
    )

    // Of several, each takes what is free elsewhere for what came on top, but not what becomes free later.
    const byOne = processes === 1 ? it.effect : it.effect.skip
    byOne("admits only where what was expected and what came on top of it, of the last 60 s, leave room", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW)
        const limiter = yield* RateLimiter
        const chance = seeded(11)
        const caller = callerWith({ limits: { ...noLimits, tpm: 5_000 } })
        const counted: Array<{ readonly at: number; tokens: number }> = []
        const running: Array<{
          readonly permit: Permit
          readonly entry: (typeof counted)[number]
          readonly until: number
        }> = []
        let now = NOW
        let refusals = 0
        for (let index = 0; index < 2_000; index++) {
          now += chance.below(2_000)
          yield* TestClock.setTime(now)
          for (const one of running.filter(({ until }) => until <= now)) {
            running.splice(running.indexOf(one), 1)
            const used = chance.below(2_000)
            yield* one.permit.settle(used)
            if (used > one.entry.tokens) counted.push({ at: now, tokens: used - one.entry.tokens })
            one.entry.tokens = Math.min(used, one.entry.tokens)
          }
          const inWindow = (at: number) =>
            counted.filter((one) => one.at > at - 60_000 && one.at <= at).reduce((sum, { tokens }) => sum + tokens, 0)
          const tokens = 1 + chance.below(1_000)
          const result = yield* ask(limiter, caller, tokens)
          assert.strictEqual(result._tag === "Success", inWindow(now) + tokens <= 5_000, `request ${index}`)
          if (result._tag === "Failure") {
            refusals++
            // Who waits as told finds room, as far as those who run don't take it.
            const then = now + result.failure.retryAfterSeconds * 1_000
            assert.isAtMost(inWindow(then) + tokens, 5_000)
            assert.isAbove(inWindow(then - 1_000) + tokens, 5_000)
            continue
          }
          const entry = { at: now, tokens }
          counted.push(entry)
          running.push({ permit: result.success, entry, until: now + chance.below(150_000) })
        }
        assert.isAbove(refusals, 200)
        assert.isBelow(refusals, 1_800)
      }).pipe(Effect.provide(layer))
    )
  })
