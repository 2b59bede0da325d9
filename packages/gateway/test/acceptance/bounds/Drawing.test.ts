/** A model that draws bills a picture as many tokens, whatever the output limit is: they are held. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { upstream } from "../../support/Upstream.ts"

const usageMetadata = {
  promptTokenCount: 5,
  candidatesTokenCount: 1_290,
  totalTokenCount: 1_295,
  candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }]
}
const drawn = {
  candidates: [
    {
      content: { role: "model", parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }] },
      finishReason: "STOP"
    }
  ],
  usageMetadata
}

const world = Effect.gen(function* () {
  const { asked, baseUrl } = yield* upstream(() => ({ body: drawn }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  google-ai-studio: { base_url: "${baseUrl}", api_key: k }
  openrouter: { base_url: "${baseUrl}", api_key: k }
deployments:
  - { provider: google-ai-studio, model: gemini-2.5-flash-image }
  - { provider: openrouter, model: google/gemini-2.5-flash-image }
failover: { attempts: 1 }
`
  })
  const { secret } = yield* gateway.createKey({ budgets: [{ limit: 1e9, window: "day", timeZone: "UTC" }] })
  const ask = (model: string, fields: object) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      body: { model, max_tokens: 10, messages: [{ role: "user", content: "A cat" }], ...fields }
    })
  return { ask, asked, gateway }
})

describe("a model that draws, under a budget", () => {
  it.live("is held for a picture beside what the output limit allows, unless it may answer in text only", () =>
    Effect.gen(function* () {
      const { ask, gateway } = yield* world
      const model = "google-ai-studio/gemini-2.5-flash-image"
      for (const modalities of [undefined, "image", ["image"], ["text", "image"]]) {
        const { status, text } = yield* ask(model, { modalities })
        assert.strictEqual(status, 200, text)
        const row = (yield* gateway.ledger).at(-1)!
        assert.isAtLeast(row.reserved, row.cost)
        assert.isAbove(row.cost, 30_000_000)
      }
      yield* ask(model, { modalities: ["text"] })
      assert.isBelow((yield* gateway.ledger).at(-1)!.reserved, 10_000_000)
    })
  )

  it.live("is refused where nobody knows the price of its pictures, asked for or not", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* world
      for (const modalities of [undefined, "image", ["image", "text"]]) {
        const { json, status } = yield* ask("openrouter/google/gemini-2.5-flash-image", { modalities })
        assert.strictEqual(status, 400)
        assert.include(json.error.message, "image_output")
      }
      assert.isEmpty(asked)
    })
  )
})
