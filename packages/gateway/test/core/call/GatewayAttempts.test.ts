import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { countTokens } from "../../../src/core/operations/Tokens.ts"
import { Script } from "../../../src/testing/Script.ts"
import { aliases, ask, books, input } from "./Talk.ts"
import { budget, callerWith, deployment, gatewayLayer, priceSheet, rates } from "./Support.ts"

const both = { model: "both" }

/** More than any budget of these tests has room for. */
const dear = priceSheet(rates(100, 200))

/** Providers that say nothing are given up. */
const pastTimeouts = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    // Loaded before, since that takes real time.
    yield* countTokens("read the ranks", "openai-chat")
    const fiber = yield* Effect.forkChild(effect)
    for (let i = 0; i < 150; i++) yield* TestClock.adjust("5 seconds")
    return yield* Fiber.join(fiber)
  })

describe("Gateway, the books of several attempts", () => {
  it.effect("a request that failed over and then found no room is one failed request", () =>
    Effect.gen(function* () {
      const caller = callerWith({ budgets: [budget(2_500)] })
      const error = yield* Effect.flip(ask(input({ ...both, max_tokens: 1_000 }, { caller })))
      assert.strictEqual(error._tag, "BudgetExceeded")
      const { reserved, rows } = yield* books
      assert.strictEqual(reserved, 0)
      assert.deepStrictEqual(rows, { a: { cost: 0, estimated: 0, requests: 1, failed: 1 } })
    }).pipe(
      Effect.provide(
        gatewayLayer(
          { openai: [Script.status(503)], backup: [Script.answer("never asked")] },
          { aliases, deployments: [deployment("openai/a"), deployment("backup/b", { price: dear })] }
        )
      )
    )
  )

  it.effect("the next attempt may use what the one before it held", () =>
    Effect.gen(function* () {
      const caller = callerWith({ budgets: [budget(2_500)] })
      const { report } = yield* ask(input({ ...both, max_tokens: 1_000 }, { caller }))
      assert.strictEqual(report.deployment.id, "backup/b")
      assert.strictEqual((yield* books).reserved, 0)
    }).pipe(
      Effect.provide(gatewayLayer({ openai: [Script.status(503)], backup: [Script.answer("hello")] }, { aliases }))
    )
  )

  it.effect("says what earlier attempts cost when the last one has no price, and that this is not all", () =>
    Effect.gen(function* () {
      const { body, report } = yield* pastTimeouts(ask(input(both)))
      assert.strictEqual(report.deployment.id, "backup/b")
      assert.isFalse(report.isPriced)
      const { spent } = yield* books
      assert.isAbove(spent!, 0)
      assert.strictEqual(report.cost, spent)
      assert.deepInclude(body["gateway"], { cost_usd: spent! / 1e9 })
    }).pipe(
      Effect.provide(
        gatewayLayer(
          { openai: [Script.hang], backup: [Script.answer("hello")] },
          { aliases, deployments: [deployment("openai/a"), deployment("backup/b", { price: undefined })] }
        )
      )
    )
  )

  it.effect("does not take a cost for all of it when an attempt before had no price", () =>
    Effect.gen(function* () {
      const { report } = yield* pastTimeouts(ask(input(both)))
      assert.deepInclude(report, { isPriced: false, cost: 20 })
    }).pipe(
      Effect.provide(
        gatewayLayer(
          { openai: [Script.hang], backup: [Script.answer("hello")] },
          { aliases, deployments: [deployment("openai/a", { price: undefined }), deployment("backup/b")] }
        )
      )
    )
  )

  it.effect("a failed attempt without a price that nobody bills leaves the cost whole", () =>
    Effect.gen(function* () {
      const { report } = yield* ask(input(both))
      assert.deepInclude(report, { isPriced: true, cost: 20 })
    }).pipe(
      Effect.provide(
        gatewayLayer(
          { openai: [Script.status(503)], backup: [Script.answer("hello")] },
          { aliases, deployments: [deployment("openai/a", { price: undefined }), deployment("backup/b")] }
        )
      )
    )
  )
})
