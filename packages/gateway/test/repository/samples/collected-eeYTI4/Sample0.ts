import { assert, it } from "@effect/vitest"
import { Script, TestGateway } from "@model-gateway/gateway/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

it.effect("fails over, and the limit is free again after a minute", () =>
  Effect.gen(function* () {
    const gateway = yield* TestGateway
    const key = yield* gateway.createKey({ limits: { rpm: 1 } })

    const answer = yield* gateway.chat(key, "fast", "Hello")
    assert.strictEqual(answer.headers["x-gateway-retries"], "1")
    assert.strictEqual((yield* gateway.chat(key, "fast", "Hello")).status, 429)

    yield* TestClock.adjust("60 seconds")
    assert.strictEqual((yield* gateway.chat(key, "fast", "Hello")).status, 200)
  }).pipe(
    Effect.provide(
      TestGateway.layer({
        deployments: ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5"],
        models: { fast: ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5"] },
        scripts: { openai: [Script.status(503)], anthropic: [Script.answer("Hi there")] }
      })
    )
  )
)
