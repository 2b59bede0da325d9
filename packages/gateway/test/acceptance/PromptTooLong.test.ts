/** A full context window, which clients of Messages know by Anthropic's words. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { upstream } from "../support/Upstream.ts"

const words: ReadonlyArray<readonly [error: object, told: string]> = [
  [
    {
      message:
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 tokens.",
      code: "context_length_exceeded"
    },
    "prompt is too long: 200000 tokens > 128000 maximum. This model's"
  ],
  [
    {
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).",
      code: "context_length_exceeded"
    },
    "prompt is too long: 5000 tokens > 4096 maximum. This model's"
  ],
  [
    { message: "Your input exceeds the context window of this model.", code: "context_length_exceeded" },
    "prompt is too long: Your input exceeds"
  ],
  [
    { message: "prompt is too long: 210000 tokens > 200000 maximum", code: "context_length_exceeded" },
    "prompt is too long: 210000 tokens > 200000 maximum"
  ]
]

const before = Effect.fnUntraced(function* (error: object) {
  const server = yield* upstream(() => ({ status: 400, body: { error: { type: "invalid_request_error", ...error } } }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${server.baseUrl}", api_key: none }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 }, context_window: 32000 }
`
  })
  const { secret } = yield* gateway.createKey()
  return (path: string, content: string, fields: object = {}) =>
    call(gateway.url, {
      path,
      key: secret,
      body: { model: "up/m", max_tokens: 9, messages: [{ role: "user", content }], ...fields }
    })
})

describe("a prompt that is too long", () => {
  it.live("is refused in Anthropic's words at /v1/messages, whatever the vendor's words are", () =>
    Effect.gen(function* () {
      for (const [error, told] of words) {
        const ask = yield* before(error)
        for (const stream of [false, true]) {
          const { json, status } = yield* ask("/v1/messages", "Hi", { stream })
          assert.strictEqual(status, 400)
          assert.deepInclude(json.error, { type: "invalid_request_error", code: "context_length_exceeded" })
          assert.isTrue(json.error.message.startsWith(told), json.error.message)
        }
        const chat = yield* ask("/v1/chat/completions", "Hi")
        assert.deepInclude(chat.json.error, error)
      }
    })
  )

  it.live("is refused in Anthropic's words at /v1/messages when the gateway finds it", () =>
    Effect.gen(function* () {
      const ask = yield* before({})
      const long = "word ".repeat(60_000)
      const { json } = yield* ask("/v1/messages", long)
      assert.match(json.error.message, /^prompt is too long: \d+ tokens > 32000 maximum\. Nothing that serves/)
      const chat = yield* ask("/v1/chat/completions", long)
      assert.notInclude(chat.json.error.message, "prompt is too long")
    })
  )
})
