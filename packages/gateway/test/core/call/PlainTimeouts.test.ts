/** Whole answers that do not come: how long they are waited for, what happens then, and what is held meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { CallInput } from "../../../src/core/call/CallInput.ts"
import { ProviderPool } from "../../../src/core/pool/ProviderPool.ts"
import { countTokens } from "../../../src/core/operations/Tokens.ts"
import { Script } from "../../../src/testing/Script.ts"
import { aliases, ask, books, input, read } from "./Talk.ts"
import { budget, callerWith, gatewayLayer } from "./Support.ts"

const both = { model: "both" }

/** What it comes to, and after how many seconds. */
const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    // Loaded before, since that takes real time.
    yield* countTokens("read the ranks", "openai-chat")
    const start = yield* Clock.currentTimeMillis
    const ended = Effect.flatMap(Effect.result(effect), (result) =>
      Effect.map(Clock.currentTimeMillis, (now) => ({ result, seconds: (now - start) / 1_000 }))
    )
    const fiber = yield* Effect.forkChild(ended)
    for (let i = 0; i < 1_000; i++) yield* TestClock.adjust("1 second")
    return yield* Fiber.join(fiber)
  })

/** An answer of 1,000 tokens in 50 s: twenty a second. */
const slow = Script.delay("50 seconds", Script.answer("long", { usage: { input: 10, output: 1_000 } }))
const quick = Script.delay("1 second", Script.answer("short", { usage: { input: 10, output: 20 } }))

const answered = Effect.fnUntraced(function* (asked: CallInput) {
  if (asked.request.stream) yield* read(asked)
  else yield* ask(asked)
})

describe("a whole answer that does not come", () => {
  it.effect("is given up after `response`, and the next deployment answers", () =>
    Effect.gen(function* () {
      const { result, seconds } = yield* timed(ask(input(both)))
      assert.strictEqual(result._tag === "Success" ? result.success.report.deployment.id : "", "backup/b")
      assert.strictEqual(seconds, 120)
    }).pipe(Effect.provide(gatewayLayer({ openai: [Script.hang], backup: [Script.answer("fine")] }, { aliases })))
  )

  it.effect("is waited for as long as such an answer takes there", () =>
    Effect.gen(function* () {
      const script = yield* Script
      for (let i = 0; i < 3; i++) yield* timed(ask(input({ max_tokens: 2_000 })))
      yield* script.rewrite("openai", [Script.hang])
      // 100 s are usual for so much.
      const { result, seconds } = yield* timed(ask(input({ ...both, max_tokens: 2_000 })))
      assert.strictEqual(result._tag === "Success" ? result.success.report.deployment.id : "", "backup/b")
      assert.isAbove(seconds, 150)
      assert.isBelow(seconds, 250)
      // So little takes no time at all: `response` is the least.
      assert.strictEqual((yield* timed(ask(input({ ...both, max_tokens: 10 })))).seconds, 120)
      // No answer is waited for longer than `total`.
      assert.strictEqual((yield* timed(ask(input({ ...both, max_tokens: 50_000 })))).seconds, 600)
    }).pipe(Effect.provide(gatewayLayer({ openai: [slow], backup: [Script.answer("fine")] }, { aliases })))
  )

  it.effect("a long one that was asked for is not given up before its time, also by one that never answered", () =>
    Effect.gen(function* () {
      const { result, seconds } = yield* timed(ask(input({ max_tokens: 6_000 })))
      assert.strictEqual(result._tag, "Success")
      assert.strictEqual(seconds, 300)
    }).pipe(Effect.provide(gatewayLayer({ openai: [Script.delay("300 seconds", Script.answer("long"))] })))
  )

  describe("what it may cost stays held until the next attempt has its own", () => {
    const world = (limit: number, does = Script.hang) =>
      [
        callerWith({ budgets: [budget(limit)] }),
        gatewayLayer({ openai: [does], backup: [Script.delay("10 seconds", Script.answer("fine"))] }, { aliases })
      ] as const

    /** What one of them holds. */
    const hold = Effect.fnUntraced(
      function* (fields: { readonly stream?: boolean }) {
        const asking = yield* Effect.forkChild(answered(input({ ...both, ...fields })))
        yield* TestClock.adjust("1 second")
        const held = (yield* books).reserved!
        yield* Fiber.interrupt(asking)
        return held
      },
      Effect.provide(gatewayLayer({ openai: [Script.hang] }, { aliases }))
    )

    for (const stream of [false, true]) {
      it.effect(`without room for both there is no other attempt, ${stream ? "streamed" : "plain"}`, () =>
        Effect.gen(function* () {
          const one = yield* hold({ stream })
          // However closely the input is counted: 100 tokens of output are 200.
          for (const [limit, isAsked] of [
            [one * 2, true],
            [one + 200, false]
          ] as const) {
            const [caller, layer] = world(limit)
            yield* Effect.gen(function* () {
              const script = yield* Script
              const asked = input({ ...both, stream }, { caller })
              const { result } = yield* timed(answered(asked))
              assert.lengthOf(yield* script.requestsTo("backup"), isAsked ? 1 : 0, `${limit} of ${one}`)
              if (result._tag === "Success") assert.isTrue(isAsked)
              else
                assert.deepInclude(
                  { ...(result.failure as object) },
                  { _tag: "Exhausted", class: "first_token_timeout", attempts: 1 }
                )
              const { reserved, rows } = yield* books
              assert.strictEqual(reserved, 0)
              assert.isAbove(rows["a"]!.cost, 0)
              assert.strictEqual(rows["a"]!.estimated, rows["a"]!.cost)
              assert.deepInclude(rows["a"], isAsked ? { requests: 0, failed: 0 } : { requests: 1, failed: 1 })
            }).pipe(Effect.provide(layer))
          }
        })
      )
    }

    it.effect("one that is free leaves its room to the next", () =>
      Effect.gen(function* () {
        const one = yield* hold({})
        const [caller, layer] = world(one, Script.status(503))
        yield* Effect.gen(function* () {
          const { result } = yield* timed(ask(input(both, { caller })))
          assert.strictEqual(result._tag, "Success")
          assert.strictEqual((yield* books).reserved, 0)
        }).pipe(Effect.provide(layer))
      })
    )
  })
})

describe("callers that leave before the answer", () => {
  const circuit = Effect.flatMap(ProviderPool, (pool) => Effect.map(pool.status, ([first]) => first!.health))

  const asking = (key: string, fields: Partial<CallInput> = {}) =>
    input({ ...both, max_tokens: undefined }, { caller: callerWith({ id: key }), ...fields })

  /** Each waits so long, one after another; after answers in a second that nobody left. */
  const leaving = Effect.fnUntraced(function* (seconds: number, keys: ReadonlyArray<string>, history = 3) {
    const script = yield* Script
    for (let i = 0; i < history; i++) yield* timed(ask(asking("key_a")))
    yield* script.rewrite("openai", [Script.hang])
    for (const key of keys) {
      const fiber = yield* Effect.forkChild(ask(asking(key)))
      yield* TestClock.adjust(`${seconds} seconds`)
      yield* Fiber.interrupt(fiber)
    }
    return yield* circuit
  })

  const world = gatewayLayer({ openai: [quick], backup: [Script.answer("fine")] }, { aliases })

  it.effect("long after it was due, from two keys: after five the next deployment is asked", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { circuit, lastError } = yield* leaving(30, ["key_a", "key_b", "key_a", "key_b", "key_a", "key_b", "key_a"])
      assert.deepInclude(lastError, { class: "first_token_timeout" })
      assert.notStrictEqual(circuit, "closed")
      assert.isAtLeast((yield* script.requestsTo("backup")).length, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("from one key, however often: nothing is held against it", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const health = yield* leaving(
        30,
        Array.from({ length: 30 }, () => "key_a")
      )
      assert.deepInclude(health, { circuit: "closed", consecutiveFailures: 0, lastError: null })
      assert.lengthOf(yield* script.requestsTo("backup"), 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("before it was due: nothing is held against it", () =>
    Effect.gen(function* () {
      const health = yield* leaving(2, ["key_a", "key_b", "key_c", "key_d", "key_e", "key_f", "key_g"])
      assert.deepInclude(health, { circuit: "closed", consecutiveFailures: 0, lastError: null })
    }).pipe(Effect.provide(world))
  )

  it.effect("of one that never answered, so that nobody knows when it was due: nothing is held against it", () =>
    Effect.gen(function* () {
      const health = yield* leaving(100, ["key_a", "key_b", "key_c", "key_d", "key_e", "key_f", "key_g"], 0)
      assert.deepInclude(health, { circuit: "closed", consecutiveFailures: 0, lastError: null })
    }).pipe(Effect.provide(world))
  )
})
