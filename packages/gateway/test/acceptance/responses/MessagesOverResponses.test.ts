/** Messages and legacy completions at a model that has Responses alone, through the port, with the vendor's own client. */
import { Anthropic } from "@anthropic-ai/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { upstream } from "../../support/Upstream.ts"
import { resolved } from "../Promised.ts"
import { response, responseEvents } from "./Wire.ts"

const MODEL = "openai/gpt-5-codex"
const ask = { model: MODEL, max_tokens: 100, messages: [{ role: "user" as const, content: "Say hello" }] }

const connected = Effect.gen(function* () {
  const { asked, baseUrl } = yield* upstream(({ body }) => ({
    body: body.stream === true ? responseEvents("Hel", "lo") : response("Hello")
  }))
  const gateway = yield* startGateway({
    yaml: `
providers: { openai: { base_url: "${baseUrl}", api_key: k } }
deployments: [${MODEL}]
`
  })
  const { secret } = yield* gateway.createKey()
  return { asked, secret, url: gateway.url, client: new Anthropic({ baseURL: gateway.url, apiKey: secret }) }
})

describe("messages over Responses", () => {
  it.live("say the same plainly and as a stream, and tell the cost", () =>
    Effect.gen(function* () {
      const { asked, client, secret, url } = yield* connected
      const plain = yield* resolved(() => client.messages.create(ask))
      const streamed = yield* resolved(() => client.messages.stream(ask).finalMessage())
      for (const message of [plain, streamed]) {
        const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("")
        assert.strictEqual(text, "Hello")
        assert.strictEqual(message.stop_reason, "end_turn")
        assert.strictEqual(message.usage.output_tokens, 6)
      }
      assert.nestedPropertyVal(plain, "gateway.decision", MODEL)
      const { text } = yield* call(url, { path: "/v1/messages", key: secret, body: { ...ask, stream: true } })
      const delta = text.split("\n").find((line) => line.startsWith('data: {"type":"message_delta"'))
      assert.match(delta ?? "", /"cost":0\.\d+/)
      for (const { body, path } of asked) {
        assert.strictEqual(path, "/v1/responses")
        assert.deepInclude(body, { model: "gpt-5-codex", max_output_tokens: 100, store: false })
      }
    })
  )

  it.live("are counted, and what is lost on either way is named once", () =>
    Effect.gen(function* () {
      const { client, secret, url } = yield* connected
      const { max_tokens: _, ...counted } = ask
      assert.isAbove((yield* resolved(() => client.messages.countTokens(counted))).input_tokens, 0)
      const body = { ...ask, top_k: 3, stop_sequences: ["x"] }
      const answer = yield* call(url, { path: "/v1/messages", key: secret, body })
      assert.strictEqual(answer.headers["x-gateway-dropped-params"], "top_k,stop_sequences")
      const strict = { "x-gateway-strict": "1" }
      const refused = yield* call(url, { path: "/v1/messages", key: secret, body, headers: strict })
      assert.deepInclude(refused.json.error, { type: "invalid_request_error", code: "unsupported_parameter" })
    })
  )

  it.live("so do completions", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* connected
      const body = { model: MODEL, prompt: "Say hello" }
      const { json } = yield* call(url, { path: "/v1/completions", key: secret, body })
      assert.strictEqual(json.choices[0].text, "Hello")
      assert.isNumber(json.gateway.cost_usd)
    })
  )
})

describe("an input that a chat has no words for", () => {
  it.live("is refused by the field that the caller sent", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        yaml: "providers: { demo: { vendor: demo } }\ndeployments: [demo/mini]\n"
      })
      const { secret } = yield* gateway.createKey()
      const body = { model: "demo/mini", input: [{ type: "nothing_known" }] }
      const { json, status } = yield* call(gateway.url, { path: "/v1/responses", key: secret, body })
      assert.strictEqual(status, 400)
      assert.strictEqual(json.error.param, "input")
      assert.include(json.error.message, "nothing that can be said in a chat (input.nothing_known)")
    })
  )
})
