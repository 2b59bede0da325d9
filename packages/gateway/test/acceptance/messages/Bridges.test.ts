/** What of Messages a chat or Responses server gets in its own form, and what is refused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, upstream } from "../../support/Upstream.ts"

const response = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m",
  output: [
    { type: "message", id: "m1", role: "assistant", content: [{ type: "output_text", text: "ok", annotations: [] }] }
  ],
  usage: { input_tokens: 4, output_tokens: 3, total_tokens: 7 }
}

const before = Effect.fnUntraced(function* (provider: string, deployment = "") {
  const server = yield* upstream(({ path }) => ({ body: path.endsWith("/responses") ? response : completion("ok") }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { ${provider}, base_url: "${server.baseUrl}", api_key: key }
deployments:
  - { provider: up, model: mistral-large-latest, price: { input: 1, output: 2 }, context_window: 100000 ${deployment} }
`
  })
  const { secret } = yield* gateway.createKey()
  const ask = (fields: object) =>
    call(gateway.url, {
      path: "/v1/messages",
      key: secret,
      body: {
        model: "up/mistral-large-latest",
        max_tokens: 99,
        messages: [{ role: "user", content: "Hi" }],
        ...fields
      }
    })
  return { ask, asked: server.asked }
})

const servers = [
  ["protocol: openai-chat", ""],
  ["protocol: openai-chat", ", operations: [responses]"],
  ["vendor: mistral", ""]
] as const

const search = { type: "web_search_20250305", name: "web_search" }
const now = { name: "now", input_schema: { type: "object", properties: {} } }

describe("a request of Messages at another vendor's server", () => {
  it.live("sends the URL of a document on", () =>
    Effect.gen(function* () {
      const url = "https://example.com/a.pdf"
      for (const [provider, deployment] of servers) {
        const { ask, asked } = yield* before(provider, deployment)
        const document = { type: "document", source: { type: "url", url } }
        const { status, text } = yield* ask({ messages: [{ role: "user", content: [document] }] })
        assert.strictEqual(status, 200, text)
        assert.include(JSON.stringify(asked[0]?.body), url, `${provider}${deployment}`)
      }
    })
  )

  it.live("is refused where `tool_choice` forces a tool that runs at Anthropic alone", () =>
    Effect.gen(function* () {
      for (const [provider, deployment] of servers) {
        const { ask, asked } = yield* before(provider, deployment)
        for (const [tools, choice, expected] of [
          [[search], { type: "tool", name: "web_search" }, 400],
          [[search, now], { type: "tool", name: "web_search" }, 400],
          [[search], { type: "any" }, 400],
          [[search, now], { type: "any" }, 200],
          [[search, now], { type: "tool", name: "now" }, 200],
          [[search], { type: "auto" }, 200]
        ] as const) {
          const { json, status } = yield* ask({ tools, tool_choice: choice })
          assert.strictEqual(status, expected, JSON.stringify(json))
          if (expected === 400) assert.strictEqual(json.error.param, "tool_choice")
        }
        assert.lengthOf(asked, 3)
      }
    })
  )
})
