/** The most that an answer can cost, and what is said of it before it is whole. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { vendorError } from "../../support/Upstream.ts"
import { answer, counted, priced, say, video, world } from "./BudgetedGateway.ts"

describe("output under a budget", () => {
  it.live("a server of which nobody knows whether it counts reasoning is held by its window, or refused", () =>
    Effect.gen(function* () {
      const { held, key } = yield* world({
        deployments: [
          `{ id: up/unknown, provider: up, model: m, ${priced} }`,
          `{ id: up/window, provider: up, model: m, ${priced}, context_window: 30000 }`,
          `{ id: up/top, provider: up, model: m, ${priced}, bounds: { reasoning_tokens: 2000 } }`,
          `{ id: up/none, provider: up, model: m, ${priced}, supports: [chat, stream] }`
        ]
      })
      const chat = yield* key(1)
      const { json, status } = yield* chat({ model: "up/unknown", max_tokens: 10 })
      assert.strictEqual(status, 400)
      assert.deepInclude(json.error, { code: "cost_unbounded", param: "model" })
      assert.include(json.error.message, "bounds.reasoning_tokens")
      for (const [model, cost] of [
        // What is read takes room from what is written.
        ["up/window", 2 * 30_000],
        ["up/top", 2 * 2_010 + 230],
        ["up/none", 2 * 10 + 230]
      ] as const) {
        assert.strictEqual((yield* chat({ model, max_tokens: 10 })).status, 200)
        assert.closeTo((yield* held) * 1e6, cost, 60, model)
      }
      // What is held for the window surprises: the refusal says why, and what helps.
      const small = yield* key(0.01)
      const refused = yield* small({ model: "up/window", max_tokens: 10 })
      assert.deepStrictEqual([refused.status, refused.json.error.code], [429, "insufficient_quota"])
      assert.include(
        refused.json.error.message,
        "its whole context window is reserved. Set `bounds: { reasoning_tokens: 0 }`"
      )
    })
  )

  it.live("a refusal that names the limit teaches it, once", () =>
    Effect.gen(function* () {
      const { asked, held, key, ledger } = yield* world({
        deployments: [`{ provider: up, model: m, ${priced}, ${counted} }`],
        script: (asked) =>
          asked.body.max_tokens > 8192
            ? { status: 400, body: vendorError("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]") }
            : answer(asked)
      })
      const chat = yield* key(1)
      const first = yield* chat({ model: "up/m" })
      assert.strictEqual(first.status, 200, first.text)
      assert.strictEqual(first.headers["x-gateway-retries"], "0")
      assert.strictEqual((yield* chat({ model: "up/m" })).status, 200)
      assert.deepStrictEqual(
        asked.map(({ body }) => body.max_tokens),
        [16_384, 8_192, 8_192]
      )
      assert.closeTo((yield* held) * 1e6, 2 * 8_192 + 230, 60)
      // The call that was refused and the one that was not are one attempt.
      assert.lengthOf(yield* ledger, 2)
      assert.strictEqual((yield* chat({ model: "up/m", stream: true })).status, 200)
      assert.strictEqual(asked.at(-1)!.body.max_tokens, 8_192)
      // What the caller asks for is the caller's business.
      assert.strictEqual((yield* chat({ model: "up/m", max_tokens: 9_000 })).status, 400)
    })
  )

  it.live("known families are given a limit that they take", () =>
    Effect.gen(function* () {
      const { asked, key } = yield* world({ deployments: [`{ provider: up, model: deepseek-chat, ${priced} }`] })
      assert.strictEqual((yield* (yield* key(1))({ model: "deepseek-chat" })).status, 200)
      assert.strictEqual(asked[0]!.body.max_tokens, 8_192)
    })
  )

  it.live("what is predicted and does not come is held as output", () =>
    Effect.gen(function* () {
      const { held, key } = yield* world({ deployments: [`{ provider: up, model: m, ${priced}, ${counted} }`] })
      const prediction = { type: "content", content: "x".repeat(10_000) }
      yield* (yield* key(1))({ model: "up/m", max_tokens: 10, prediction })
      assert.isAbove((yield* held) * 1e6, 10_000 + 2 * 10_000)
    })
  )
})

describe("a stream without a budget", () => {
  const bounded = (headers: Readonly<Record<string, unknown>>) => headers["x-gateway-cost-known"] === undefined

  it.live("has an upper bound in its header, or says that nobody knows one", () =>
    Effect.gen(function* () {
      const { key } = yield* world({
        deployments: [
          `{ id: up/plain, provider: up, model: m, ${priced}, ${counted} }`,
          `{ id: up/window, provider: up, model: m, ${priced}, context_window: 30000 }`,
          `{ id: up/unknown, provider: up, model: m, ${priced} }`
        ]
      })
      const free = yield* key(undefined)
      const ask = (model: string, fields: object) => free({ model, stream: true, ...fields })
      assert.isTrue(bounded((yield* ask("up/plain", { max_tokens: 10 })).headers))
      assert.isFalse(bounded((yield* ask("up/plain", {})).headers))
      assert.isFalse(bounded((yield* ask("up/plain", { max_tokens: 10, messages: say([video]) })).headers))
      assert.isFalse(bounded((yield* ask("up/unknown", { max_tokens: 10 })).headers))
      const { headers } = yield* ask("up/window", { messages: say([video]) })
      assert.isTrue(bounded(headers))
      assert.isAtLeast(Number(headers["x-gateway-cost-usd"]), 0.03 + 0.06)
    })
  )
})
