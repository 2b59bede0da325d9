/** The limit of tokens per minute: every token counts for 60 s, however many answers were asked for and however long they took. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { RateLimiter } from "../../../src/core/limits/RateLimiter.ts"
import { Script } from "../../../src/testing/Script.ts"
import { callerWith, gatewayLayer, noLimits, settleDown } from "./Support.ts"
import { ask, input, read, streaming } from "./Talk.ts"

const limited = callerWith({ limits: { ...noLimits, tpm: 10_000 } })

const answerOf = (output: number) => ({ usage: { input: 10, output } })

describe("tokens per minute", () => {
  it.effect("refuses a request for more tokens than the limit for good, and calls no provider", () =>
    Effect.gen(function* () {
      for (const fields of [
        { max_tokens: 10_001 },
        { max_tokens: 5_001, n: 2 },
        { messages: [{ role: "user", content: "word ".repeat(12_000) }] }
      ]) {
        const refused = yield* Effect.flip(ask(input(fields, { caller: limited })))
        assert.deepInclude(refused, { _tag: "RequestExceedsLimit", limit: 10_000, scope: "key" })
      }
      assert.lengthOf(yield* (yield* Script).requests, 0)
      assert.strictEqual((yield* ask(input({ max_tokens: 9_000 }, { caller: limited }))).kind, "whole")
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.answer("hello", answerOf(10))] })))
  )

  it.effect("every choice that is asked for counts", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const asked = input({ n: 99 }, { caller: limited })
      const first = yield* Effect.forkChild(ask(asked))
      yield* settleDown
      for (let i = 0; i < 9; i++) {
        const refused = yield* Effect.flip(ask(asked))
        assert.deepInclude(refused, { _tag: "RateLimited", kind: "tpm", retryAfterSeconds: 60 })
      }
      assert.lengthOf(yield* script.requests, 1)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(first)
      assert.strictEqual((yield* Effect.flip(ask(asked)))._tag, "RateLimited")
    }).pipe(
      Effect.provide(gatewayLayer({ "*": [Script.delay("5 seconds", Script.answer("hello", answerOf(10_000)))] }))
    )
  )

  it.effect("a stream that takes longer than the window counts when it ends", () =>
    Effect.gen(function* () {
      const reading = yield* Effect.forkChild(read(streaming({ caller: limited }, { max_tokens: 100 })))
      for (let i = 0; i < 120; i++) yield* TestClock.adjust("1 seconds")
      yield* Fiber.join(reading)
      // It ended 27 s ago.
      const refused = yield* Effect.flip(ask(input({}, { caller: limited })))
      assert.deepInclude(refused, { _tag: "RateLimited", kind: "tpm", retryAfterSeconds: 33 })
      yield* TestClock.adjust("33 seconds")
      assert.strictEqual((yield* ask(input({}, { caller: limited }))).kind, "whole")
    }).pipe(
      Effect.provide(
        gatewayLayer({
          "*": [
            Script.stream(
              Array.from({ length: 90 }, (_, i) => `word${i} `),
              { every: "1 seconds", ...answerOf(30_000) }
            ),
            Script.answer("hello")
          ]
        })
      )
    )
  )

  it.effect("an answer that nobody waited for counts as what was booked", () =>
    Effect.gen(function* () {
      const reading = yield* Effect.forkChild(read(streaming({ caller: limited }, { max_tokens: 9_000 })))
      for (let i = 0; i < 50; i++) yield* TestClock.adjust("1 seconds")
      yield* Fiber.interrupt(reading)
      const limiter = yield* RateLimiter
      const { tokens } = yield* limiter.allowances(limited)
      assert.isAbove(tokens!.remaining, 9_000)
      assert.isBelow(tokens!.remaining, 9_950)
    }).pipe(
      Effect.provide(
        gatewayLayer({
          "*": [
            Script.stream(
              Array.from({ length: 200 }, (_, i) => `word${i} `),
              { every: "1 seconds" }
            )
          ]
        })
      )
    )
  )
})
