import { assert, describe, it } from "@effect/vitest"
import { Script, TestGateway } from "@model-gateway/gateway/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const fast = ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5"]

describe("TestGateway", () => {
  it.effect("fails over, and the limit is free again after a minute", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const key = yield* gateway.createKey({ limits: { rpm: 1 } })
      const answer = yield* gateway.chat(key, "fast", "Hello")
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.text, "Hi there")
      assert.strictEqual(answer.headers["x-gateway-decision"], "anthropic/claude-haiku-4-5")
      assert.strictEqual(answer.headers["x-gateway-retries"], "1")

      const limited = yield* gateway.chat(key, "fast", "Hello")
      assert.strictEqual(limited.status, 429)
      assert.strictEqual(limited.headers["retry-after"], "60")

      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* gateway.chat(key, "fast", "Hello")).status, 200)
      assert.isAbove(yield* gateway.spent, 0)

      const asked = yield* (yield* Script).requestsTo("openai")
      assert.strictEqual(asked[0]?.body["model"], "gpt-5-mini")
      assert.strictEqual(asked[0]?.headers["authorization"], "Bearer test")
    }).pipe(
      Effect.provide(
        TestGateway.layer({
          deployments: fast,
          models: { fast },
          scripts: { openai: [Script.status(503)], anthropic: [Script.answer("Hi there")] }
        })
      )
    )
  )

  it.effect("streams, and shows a cut as one error event", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const key = yield* gateway.createKey()
      const whole = yield* gateway.chat(key, "openai/gpt-5-mini", "Hello", { stream: true })
      assert.strictEqual(whole.text, "one two")
      assert.strictEqual(whole.events.at(-1), "[DONE]")

      const cut = yield* gateway.chat(key, "openai/gpt-5-mini", "Hello", { stream: true })
      assert.strictEqual(cut.text, "one")
      assert.property(cut.events.at(-1), "error")
    }).pipe(
      Effect.provide(
        TestGateway.layer({
          deployments: ["openai/gpt-5-mini"],
          scripts: { openai: [Script.stream(["one", " two"]), Script.cutAfter(2, Script.stream(["one", " two"]))] }
        })
      )
    )
  )
})
