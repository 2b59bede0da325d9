import { assert, describe, it } from "@effect/vitest"
import { knownVendors, ProviderRegistry, registryOf, type Vendor } from "@model-gateway/gateway"
import { Script, TestGateway } from "@model-gateway/gateway/testing"
import { Effect, Layer } from "effect"
import OpenAI, { NotFoundError } from "openai"
import { TestClock } from "effect/testing"

const openai = knownVendors.find(({ name }) => name === "openai")
const acme: Vendor = { ...openai!, name: "acme", baseUrl: "https://acme.test/v1", apiKeyVariable: "ACME_API_KEY" }

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

  it.effect("takes budgets as the admin API does, and gives clients of vendors a fetch", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const apiKey = yield* gateway.createKey({ budgets: [{ usd: 0.5, window: "day" }] })
      const client = new OpenAI({ apiKey, baseURL: "http://gateway/v1", maxRetries: 0, fetch: gateway.fetch })
      const messages = [{ role: "user" as const, content: "Hello" }]
      const ask = (model: string) => Effect.promise(() => client.chat.completions.create({ model, messages }))
      assert.strictEqual((yield* ask("openai/gpt-5-mini")).choices[0]?.message.content, "Hi there")
      const stream = yield* Effect.promise(() =>
        client.chat.completions.create({ model: "openai/gpt-5-mini", messages, stream: true })
      )
      const text = yield* Effect.promise(async () => {
        let said = ""
        for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? ""
        return said
      })
      assert.strictEqual(text, "Hi there")
      const listed = yield* Effect.promise(() =>
        gateway.fetch("http://gateway/v1/key", { headers: { "x-api-key": apiKey } })
      )
      const { budgets } = (yield* Effect.promise(() => listed.json())) as { budgets: ReadonlyArray<{ usd: number }> }
      assert.deepStrictEqual([listed.status, budgets[0]?.usd], [200, 0.5])
      const missing = yield* Effect.flip(
        Effect.tryPromise(() => client.chat.completions.create({ model: "openai/nope", messages }))
      )
      assert.instanceOf(missing.cause, NotFoundError)
    }).pipe(
      Effect.provide(
        TestGateway.layer({ deployments: ["openai/gpt-5-mini"], scripts: { openai: [Script.answer("Hi there")] } })
      )
    )
  )

  it.effect("has the vendors of ProviderRegistry, and a script for those added there", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const answer = yield* gateway.chat(yield* gateway.createKey(), "acme/gpt-5-mini", "Hello")
      assert.deepStrictEqual([answer.status, answer.text], [200, "Hi from Acme"])
      const [asked] = yield* (yield* Script).requestsTo("acme")
      assert.strictEqual(asked?.url, "https://acme.test/v1/chat/completions")
    }).pipe(
      Effect.provide(
        TestGateway.layer({
          deployments: ["acme/gpt-5-mini"],
          scripts: { acme: [Script.answer("Hi from Acme")] }
        }).pipe(Layer.provide(Layer.succeed(ProviderRegistry, registryOf({ vendors: [acme] }))))
      )
    )
  )

  it.effect("prints the cause of a 500", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const print = console.error
      console.error = (...parts: ReadonlyArray<unknown>) => void lines.push(parts.join(" "))
      yield* Effect.addFinalizer(() => Effect.sync(() => (console.error = print)))
      const gateway = yield* TestGateway
      const answer = yield* gateway.send({
        method: "GET",
        path: "/v1/fault",
        headers: { authorization: `Bearer ${yield* gateway.createKey()}` }
      })
      assert.strictEqual(answer.status, 500)
      assert.include(lines.join("\n"), "the roof is on fire")
    }).pipe(
      Effect.provide(
        TestGateway.layer({
          deployments: ["openai/gpt-5-mini"],
          endpoints: [{ method: "GET", path: "/v1/fault", handle: () => Effect.die(new Error("the roof is on fire")) }],
          scripts: {}
        })
      )
    )
  )
})
