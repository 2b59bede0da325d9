/** The Messages API at a model that has Responses alone: over chat, by two bridges. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startGateway } from "../../support/RunningGateway.ts"
import { upstream } from "../../support/Upstream.ts"
import { resolved } from "../Promised.ts"
import { response, responseEvents } from "../responses/Wire.ts"
import { claude } from "./Claude.ts"

const MODEL = "openai/gpt-5-codex"
const request = { model: MODEL, max_tokens: 100, messages: [{ role: "user" as const, content: "Hi" }] }

const before = Effect.fnUntraced(function* (baseUrl: string, apiKey: string) {
  const gateway = yield* startGateway({
    yaml: `
providers: { openai: { base_url: "${baseUrl}", api_key: "${apiKey}" } }
deployments: [${MODEL}]
`
  })
  const budgets = [{ limit: 10_000_000_000, window: "day" as const, timeZone: "UTC" }]
  const { secret } = yield* gateway.createKey({ budgets })
  return { ...gateway, client: claude(gateway.url, secret) }
})

describe("messages over Responses", () => {
  it.live("are answered whole and as a stream, with the provider's usage", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* upstream(({ body }) => ({
        body: body.stream === true ? responseEvents("Hel", "lo") : response("Hello")
      }))
      const { client, ledger } = yield* before(baseUrl, "k")
      const whole = yield* resolved(() => client.messages.create({ ...request, system: "Be short." }))
      const streamed = yield* resolved(() => client.messages.stream(request).finalMessage())
      for (const message of [whole, streamed]) {
        assert.deepInclude(message.content.at(-1), { type: "text", text: "Hello" })
        assert.strictEqual(message.stop_reason, "end_turn")
        assert.deepInclude(message.usage, { input_tokens: 8, cache_read_input_tokens: 4, output_tokens: 6 })
      }
      assert.deepStrictEqual(
        asked.map(({ path }) => path),
        ["/v1/responses", "/v1/responses"]
      )
      assert.include(JSON.stringify(asked[0]?.body), "Be short.")
      const rows = yield* ledger
      for (const row of rows) assert.deepInclude(row, { operation: "messages", status: "settled", cached_input: 4 })
      assert.isAbove(rows[0]?.cost ?? 0, 0)
      assert.strictEqual(rows[0]?.cost, rows[1]?.cost)
    })
  )

  it.live("a tool loop runs to its end, and tokens are counted", () =>
    Effect.gen(function* () {
      const inner = yield* startGateway({
        yaml: `
providers: { demo: { vendor: demo } }
deployments: [demo/standard]
models: { gpt-5-codex: [demo/standard] }
`
      })
      const { secret } = yield* inner.createKey()
      const { client } = yield* before(`${inner.url}/v1`, secret)
      const cities: Array<unknown> = []
      const weather = {
        name: "get_weather",
        description: "The weather in a city",
        input_schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
        parse: (input: unknown) => input,
        run: (input: unknown) => {
          cities.push(input)
          return "19 degrees and sunny"
        }
      }
      const messages = [{ role: "user" as const, content: "What is the weather in Paris?" }]
      const asked = { ...request, max_tokens: 1_000, messages, tools: [weather] }
      for (const stream of [false, true]) {
        const last = yield* resolved(() => client.beta.messages.toolRunner({ ...asked, stream }).runUntilDone())
        assert.include(JSON.stringify(last.content), "19 degrees and sunny")
      }
      assert.lengthOf(cities, 2)
      const counted = yield* resolved(() => client.messages.countTokens({ model: MODEL, messages }))
      assert.isAbove(counted.input_tokens, 0)
    })
  )
})
