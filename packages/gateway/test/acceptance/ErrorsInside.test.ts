/** A provider that answers 200 with an error in words that say nothing: asked once more, and not paid, in every API. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { upstream } from "../support/Upstream.ts"

const protocols = ["openai-chat", "anthropic-messages", "mistral-chat", "cohere-v2", "gemini", "ollama-chat"]

const errors: { readonly [protocol: string]: object } = {
  "anthropic-messages": { type: "error", error: { type: "odd", message: "the moon is wrong" } },
  "cohere-v2": { message: "the moon is wrong" },
  "ollama-chat": { error: "the moon is wrong" }
}

describe("an error inside a 200 that says nothing", () => {
  for (const protocol of protocols) {
    it.live(`is an outage: ${protocol}`, () =>
      Effect.gen(function* () {
        const body = errors[protocol] ?? { error: { message: "the moon is wrong" } }
        const { asked, baseUrl } = yield* upstream(() => ({
          headers: { "content-type": "application/json" },
          body: `${JSON.stringify(body)}\n`
        }))
        const gateway = yield* startGateway({
          yaml: `
providers:
  up: { protocol: ${protocol}, base_url: "${baseUrl}", api_key: none }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 }, context_window: 1000, bounds: { reasoning_tokens: 0 } }]
failover: { attempts: 2, base_delay: 1ms }
`
        })
        const budgets = [{ limit: 1_000_000_000, window: "day" as const, timeZone: "UTC" }]
        const { secret } = yield* gateway.createKey({ budgets })
        for (const stream of [false, true]) {
          const before = asked.length
          const { json, status, text } = yield* call(gateway.url, {
            path: "/v1/chat/completions",
            key: secret,
            body: { model: "up/m", max_tokens: 9, stream, messages: [{ role: "user", content: "Hi" }] }
          })
          assert.strictEqual(status, 502, text)
          assert.strictEqual(json.error.code, "upstream_unavailable")
          assert.strictEqual(asked.length - before, 2)
        }
        for (const row of yield* gateway.ledger) assert.strictEqual(row.cost ?? 0, 0)
      })
    )
  }
})
