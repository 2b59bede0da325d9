import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { RateLimiter } from "../../../src/core/limits/RateLimiter.ts"
import { countTokens } from "../../../src/core/operations/Tokens.ts"
import { Script } from "../../../src/testing/Script.ts"
import { aliases, ask, books, input } from "./Talk.ts"
import { budget, callerWith, deployment, gatewayLayer, noLimits, settleDown } from "./Support.ts"

const both = { model: "both" }

/** Time goes on by itself while `effect` runs. */
const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* countTokens("read the ranks", "openai-chat")
    const fiber = yield* Effect.forkChild(effect)
    for (let i = 0; i < 150; i++) yield* TestClock.adjust("5 seconds")
    return yield* Fiber.join(fiber)
  })

describe("Gateway, whole answers", () => {
  it.effect("answers in the provider's words, with cost, decision and receipt", () =>
    Effect.gen(function* () {
      const { body, report } = yield* ask(input({}, { requestId: "req_7" }))
      assert.deepInclude(body["usage"], { prompt_tokens: 10, completion_tokens: 5, cost: 20e-9 })
      assert.deepStrictEqual(body["gateway"], {
        decision: "openai/a",
        deployment: "openai/a",
        bucket: "none",
        score: 0,
        cost_usd: 20e-9,
        retries: 0,
        receipt_id: "rcpt_7"
      })
      assert.strictEqual(report.cost, 20)
      assert.deepStrictEqual(yield* books, {
        spent: 20,
        reserved: 0,
        rows: { a: { cost: 20, estimated: 0, requests: 1, failed: 0 } }
      })
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.answer("hello")] })))
  )

  it.effect("fails over, counts the attempts after the first, and charges nothing for errors", () =>
    Effect.gen(function* () {
      const { report } = yield* ask(input(both))
      assert.strictEqual(report.retries, 1)
      assert.strictEqual(report.deployment.id, "backup/b")
      assert.deepStrictEqual(yield* books, {
        spent: 20,
        reserved: 0,
        rows: {
          a: { cost: 0, estimated: 0, requests: 0, failed: 0 },
          b: { cost: 20, estimated: 0, requests: 1, failed: 0 }
        }
      })
    }).pipe(
      Effect.provide(gatewayLayer({ openai: [Script.status(503)], backup: [Script.answer("hello")] }, { aliases }))
    )
  )

  it.effect("books the input of a provider that kept silent as an estimate, in the cost of the answer too", () =>
    Effect.gen(function* () {
      const { body, report } = yield* inTime(ask(input(both)))
      const { reserved, rows, spent } = yield* books
      assert.strictEqual(reserved, 0)
      assert.isAbove(rows["a"]!.cost, 0)
      assert.strictEqual(rows["a"]!.estimated, rows["a"]!.cost)
      assert.deepInclude(rows["a"]!, { requests: 0, failed: 0 })
      assert.strictEqual(report.cost, rows["a"]!.cost + 20)
      assert.strictEqual(spent, report.cost)
      assert.strictEqual((body["gateway"] as { cost_usd: number }).cost_usd, report.cost! / 1e9)
    }).pipe(Effect.provide(gatewayLayer({ openai: [Script.hang], backup: [Script.answer("hello")] }, { aliases })))
  )

  it.effect("says what every provider's failure comes to, and counts one failed request", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const cases: ReadonlyArray<readonly [number, string]> = [
        [500, "unavailable"],
        [529, "unavailable"],
        [401, "auth"],
        [403, "auth"],
        [402, "quota_exhausted"]
      ]
      let failed = 0
      for (const [status, name] of cases) {
        yield* script.rewrite("openai", [Script.status(status)])
        yield* script.rewrite("backup", [Script.status(status)])
        const error = yield* inTime(Effect.flip(ask(input(both))))
        if (error._tag !== "Exhausted") return assert.fail(`${status} ${error._tag}`)
        // An outage may be over in a moment: one of them is asked once more.
        assert.deepEqual([error.class, error.status, error.attempts], [name, status, name === "unavailable" ? 3 : 2])
        const { rows, spent } = yield* books
        assert.strictEqual(spent, 0)
        assert.strictEqual(rows["a"]!.failed + rows["b"]!.failed, ++failed)
        assert.strictEqual(rows["a"]!.requests + rows["b"]!.requests, failed)
      }
    }).pipe(Effect.provide(gatewayLayer({ openai: [Script.status(500)], backup: [Script.status(500)] }, { aliases })))
  )

  it.effect("asks one provider, once, when told not to fall back", () =>
    Effect.gen(function* () {
      const error = yield* inTime(Effect.flip(ask(input(both, { noFallback: true }))))
      assert.isTrue(error._tag === "Exhausted" && error.attempts === 1)
      const script = yield* Script
      assert.lengthOf(yield* script.requests, 1)
    }).pipe(
      Effect.provide(gatewayLayer({ openai: [Script.status(503)], backup: [Script.answer("hello")] }, { aliases }))
    )
  )

  it.effect("hands a mistake of the request back as the provider said it", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ask(input(both)))
      if (error._tag !== "ProviderFailure") return assert.fail(error._tag)
      assert.deepInclude(error, { class: "bad_request", status: 400, message: "bad temperature", param: "temperature" })
      const script = yield* Script
      assert.lengthOf(yield* script.requests, 1)
      assert.deepInclude(yield* books, { spent: 0, reserved: 0 })
    }).pipe(
      Effect.provide(
        gatewayLayer(
          {
            openai: [Script.status(400, { message: "bad temperature", param: "temperature" })],
            backup: [Script.answer("hello")]
          },
          { aliases }
        )
      )
    )
  )

  it.effect("counts here what the provider did not", () =>
    Effect.gen(function* () {
      const { body } = yield* ask(input())
      const usage = body["usage"] as Record<string, number>
      assert.isAbove(usage["prompt_tokens"]!, 5)
      assert.strictEqual(usage["completion_tokens"], 4)
      const { rows, spent } = yield* books
      assert.strictEqual(rows["a"]!.estimated, spent)
      assert.strictEqual(spent, usage["prompt_tokens"]! + 8)
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.answer("Hello, world!", { usage: null })] })))
  )

  it.effect("tells no price where nobody knows it", () =>
    Effect.gen(function* () {
      const { body, report } = yield* ask(input({}, { caller: callerWith() }))
      assert.isNull(report.cost)
      assert.isNull((body["usage"] as { cost: unknown }).cost)
      assert.isNull((body["gateway"] as { cost_usd: unknown }).cost_usd)
    }).pipe(
      Effect.provide(
        gatewayLayer({ "*": [Script.answer("hello")] }, { deployments: [deployment("openai/a", { price: undefined })] })
      )
    )
  )

  it.effect("asks for no more output than the budget has room for", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const caller = callerWith({ id: "key_low", budgets: [budget(1_000)] })
      yield* ask(input({ max_tokens: undefined }, { caller }))
      const [request] = yield* script.requests
      const told = Number(request?.body["max_completion_tokens"] ?? request?.body["max_tokens"])
      assert.isAtLeast(told, 256)
      assert.isBelow(told, 500)
      yield* ask(input({ max_tokens: undefined }, { caller: callerWith() }))
      const [, free] = yield* script.requests
      assert.notProperty(free?.body, "max_completion_tokens")
      assert.notProperty(free?.body, "max_tokens")
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.answer("hello")] })))
  )

  it.effect("calls nobody when the budget has no room", () =>
    Effect.gen(function* () {
      const caller = callerWith({ id: "key_low", budgets: [budget(100)] })
      assert.strictEqual((yield* Effect.flip(ask(input({}, { caller }))))._tag, "BudgetExceeded")
      const script = yield* Script
      assert.lengthOf(yield* script.requests, 0)
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.answer("hello")] })))
  )

  it.effect("closes the upstream when the caller goes, and books what it read", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const asking = yield* Effect.forkChild(ask(input()))
      yield* settleDown
      assert.strictEqual((yield* script.requests)[0]?.outcome, "open")
      yield* Fiber.interrupt(asking)
      assert.strictEqual((yield* script.requests)[0]?.outcome, "abandoned")
      const { reserved, rows, spent } = yield* books
      assert.strictEqual(reserved, 0)
      assert.isAbove(spent!, 0)
      assert.strictEqual(rows["a"]!.estimated, spent)
      assert.strictEqual(rows["a"]!.requests, 1)
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.hang] })))
  )
})

describe("Gateway, limits", () => {
  const limited = callerWith({ limits: { ...noLimits, rpm: 100, tpm: 5_000, maxParallel: 1 } })

  const left = Effect.flatMap(RateLimiter, (limiter) => limiter.allowances(limited))

  it.effect("counts the tokens that were used, not those that were expected", () =>
    Effect.gen(function* () {
      yield* ask(input({}, { caller: limited }))
      assert.strictEqual((yield* left).tokens?.remaining, 5_000 - 15)
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.answer("hello")] })))
  )

  it.effect("holds no tokens against a key for what failed or was refused", () =>
    Effect.gen(function* () {
      yield* inTime(Effect.flip(ask(input({}, { caller: limited }))))
      yield* Effect.flip(ask(input({ model: "nobody/knows" }, { caller: limited })))
      const poor = { ...limited, key: { ...limited.key, budgets: [budget(1)] } }
      yield* Effect.flip(ask(input({}, { caller: poor })))
      assert.strictEqual((yield* left).tokens?.remaining, 5_000)
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.status(500)] })))
  )

  it.effect("holds a slot for as long as a request runs, and frees it however it ends", () =>
    Effect.gen(function* () {
      const asking = yield* Effect.forkChild(ask(input({}, { caller: limited })))
      yield* settleDown
      const refused = yield* Effect.flip(ask(input({}, { caller: limited })))
      assert.isTrue(refused._tag === "RateLimited" && refused.kind === "parallel")
      yield* Fiber.interrupt(asking)
      const script = yield* Script
      yield* script.rewrite("*", [Script.status(400)])
      assert.strictEqual((yield* Effect.flip(ask(input({}, { caller: limited }))))._tag, "ProviderFailure")
      yield* script.rewrite("*", [Script.answer("hello")])
      yield* ask(input({}, { caller: limited }))
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.hang] })))
  )

  it.effect("never spends more than the budget, however many ask at once", () =>
    Effect.gen(function* () {
      const caller = callerWith({ id: "key_low", budgets: [budget(3_000)] })
      const results = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, i) => i),
        (i) => Effect.result(ask(input({ max_tokens: 400 }, { caller, requestId: `req_${i}` }))),
        { concurrency: "unbounded" }
      )
      const answered = results.filter((result) => result._tag === "Success").length
      // Each costs 810 and holds less than 1,000 while it runs.
      assert.isAtLeast(answered, 3)
      assert.isAtMost(answered * 810, 3_000)
      const failures = results.flatMap((result) => (result._tag === "Failure" ? [result.failure._tag] : []))
      assert.deepStrictEqual([...new Set(failures)], ["BudgetExceeded"])
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.answer("hello", { usage: { input: 10, output: 400 } })] })))
  )
})
