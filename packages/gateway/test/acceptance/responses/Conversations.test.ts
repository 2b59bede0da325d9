/** Conversations that go on elsewhere: at another provider, at a signed thinker, and after an answer in one piece. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, completionEvents, type Reply, type Asked, upstream } from "../../support/Upstream.ts"
import { claude } from "./Claude.ts"
import { response, responseEvents } from "./Wire.ts"

interface Item {
  readonly id: string
  readonly type: string
  readonly encrypted_content?: string
}

/** One model behind two providers: `first` has Responses, the second one is Anthropic, the third has chat. */
const facing = Effect.fnUntraced(function* (first: (asked: Asked, number: number) => Reply) {
  const native = yield* upstream(first)
  const signed = yield* upstream(claude)
  const chat = yield* upstream(({ body }) => ({
    body: body.stream === true ? completionEvents("Hel", "lo") : completion("Hello")
  }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  openai: { base_url: "${native.baseUrl}", api_key: k }
  anthropic: { base_url: "${signed.baseUrl}", api_key: k }
  chat: { protocol: openai-chat, base_url: "${chat.baseUrl}", api_key: none }
deployments: [openai/gpt-5-mini, anthropic/claude-haiku-4-5, { provider: chat, model: m, price: { input: 1, output: 2 } }]
models: { both: [openai/gpt-5-mini, anthropic/claude-haiku-4-5] }
failover: { base_delay: 1ms, attempts: 2 }
router: { buckets: { simple: [chat/m], standard: [chat/m], complex: [chat/m], reasoning: [chat/m] } }
`
  })
  const { secret } = yield* gateway.createKey()
  const ask = (fields: object, headers: Record<string, string> = {}) =>
    call(gateway.url, { path: "/v1/responses", key: secret, headers, body: { model: "both", input: "Hi", ...fields } })
  return { ...gateway, native, signed, chat, ask }
})

const said = { role: "user", content: "And?" }

const framesOf = (text: string) =>
  text
    .trim()
    .split("\n\n")
    .map((frame) => JSON.parse(frame.slice(frame.indexOf("data: ") + 6)))

describe("a conversation", () => {
  it.live("fails over to a provider without Responses, which gets all of it but the other's thoughts", () =>
    Effect.gen(function* () {
      const { ask, signed } = yield* facing((_, number) =>
        number === 0 ? { body: response("Hello") } : { status: 500 }
      )
      const first = yield* ask({})
      const second = yield* ask({ input: [{ role: "user", content: "Hi" }, ...first.json.output, said] })
      assert.strictEqual(second.status, 200, second.text)
      assert.strictEqual(second.headers["x-gateway-decision"], "anthropic/claude-haiku-4-5")
      assert.strictEqual(second.headers["x-gateway-dropped-params"], "input.reasoning")
      assert.deepStrictEqual(
        signed.asked[0]!.body.messages.map(({ role }: { role: string }) => role),
        ["user", "assistant", "user"]
      )
      assert.notInclude(JSON.stringify(signed.asked[0]!.body), "gAAAA-secret")
    })
  )

  it.live.each([{ stream: false }, { stream: true }])(
    "brings signed thoughts back where they came from: %j",
    ({ stream }) =>
      Effect.gen(function* () {
        const { ask, signed } = yield* facing(() => ({ status: 500 }))
        const tools = [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }]
        const first = yield* ask({ model: "anthropic/claude-haiku-4-5", stream, tools })
        const answer = stream ? framesOf(first.text).at(-1).response : first.json
        const output: ReadonlyArray<Item> = answer.output
        assert.deepStrictEqual(
          output.map(({ type }) => type),
          ["reasoning", "message", "function_call"]
        )
        const result = { type: "function_call_output", call_id: "toolu_1", output: "a cat" }
        yield* ask({
          model: "anthropic/claude-haiku-4-5",
          tools,
          input: [{ role: "user", content: "Hi" }, ...output, result]
        })
        assert.deepStrictEqual(signed.asked[1]!.body.messages[1].content, [
          { type: "thinking", thinking: "Let me see.", signature: "c2lnbmVk" },
          { type: "text", text: "I ask." },
          { type: "tool_use", id: "toolu_1", name: "look", input: {} }
        ])
      })
  )

  it.live("shows thoughts as a summary where one is asked for", () =>
    Effect.gen(function* () {
      const { ask } = yield* facing(() => ({ status: 500 }))
      const { json } = yield* ask({ model: "anthropic/claude-haiku-4-5", reasoning: { summary: "auto" } })
      assert.deepInclude(json.output[0], { summary: [{ type: "summary_text", text: "Let me see." }] })
      const { text } = yield* ask({ model: "anthropic/claude-haiku-4-5", reasoning: { summary: "auto" }, stream: true })
      assert.include(text, "event: response.reasoning_summary_text.delta")
    })
  )

  it.live("needs no model: auto chooses", () =>
    Effect.gen(function* () {
      const { ask } = yield* facing(() => ({ status: 500 }))
      const { headers, status } = yield* ask({ model: undefined })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["x-gateway-decision"], "chat/m")
      assert.notStrictEqual(headers["x-gateway-route-bucket"], "none")
    })
  )
})

describe("a stream that was asked for", () => {
  it.live.each([
    { model: "openai/gpt-5-mini", said: "Hello" },
    { model: "chat/m", said: "Hello" }
  ])("is made of an answer that came in one piece: $model", ({ model, said }) =>
    Effect.gen(function* () {
      const whole = yield* upstream(({ path }) => ({
        body: path.endsWith("/responses") ? response("Hello") : completion("Hello")
      }))
      const gateway = yield* startGateway({
        yaml: `
providers:
  openai: { base_url: "${whole.baseUrl}", api_key: k }
  chat: { protocol: openai-chat, base_url: "${whole.baseUrl}", api_key: none }
deployments: [openai/gpt-5-mini, { provider: chat, model: m, price: { input: 1, output: 2 } }]
`
      })
      const { secret } = yield* gateway.createKey()
      const body = { model, input: "Hi", stream: true }
      const { text } = yield* call(gateway.url, { path: "/v1/responses", key: secret, body })
      const frames = framesOf(text)
      assert.strictEqual(frames.at(-1).type, "response.completed", text)
      assert.isObject(frames.at(-1).response.gateway)
      const words = frames.filter(({ type }) => type === "response.output_text.delta").map(({ delta }) => delta)
      assert.strictEqual(words.join(""), said)
    })
  )

  it.live("ends as incomplete where the limit cut it, with its cost", () =>
    Effect.gen(function* () {
      const cut = completionEvents("Hel").map((one) =>
        one.replace('"finish_reason":"stop"', '"finish_reason":"length"')
      )
      const native = responseEvents("Hel").map((one) =>
        one.includes("response.completed")
          ? one
              .replaceAll("response.completed", "response.incomplete")
              .replace(
                '"status":"completed","output"',
                '"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output"'
              )
          : one
      )
      const whole = yield* upstream(({ path }) => ({ body: path.endsWith("/responses") ? native : cut }))
      const gateway = yield* startGateway({
        yaml: `
providers:
  openai: { base_url: "${whole.baseUrl}", api_key: k }
  chat: { protocol: openai-chat, base_url: "${whole.baseUrl}", api_key: none }
deployments: [openai/gpt-5-mini, { provider: chat, model: m, price: { input: 1, output: 2 } }]
`
      })
      const { secret } = yield* gateway.createKey()
      for (const model of ["openai/gpt-5-mini", "chat/m"]) {
        const body = { model, input: "Hi", stream: true, max_output_tokens: 20 }
        const { text } = yield* call(gateway.url, { path: "/v1/responses", key: secret, body })
        const last = framesOf(text).at(-1)
        assert.strictEqual(last.type, "response.incomplete")
        assert.deepInclude(last.response, { status: "incomplete" })
        assert.strictEqual(last.response.incomplete_details.reason, "max_output_tokens")
        assert.isAbove(last.response.usage.cost, 0)
      }
      const limits = whole.asked.map(
        ({ body }) => body.max_output_tokens ?? body.max_completion_tokens ?? body.max_tokens
      )
      assert.deepStrictEqual(limits, [20, 20])
    })
  )
})

describe("a broken stream", () => {
  it.live("over a bridge ends with the vendor's error too, and is booked as an estimate", () =>
    Effect.gen(function* () {
      const broken = yield* upstream(() => ({ body: completionEvents("Hel", "lo").slice(0, 2), ending: "reset" }))
      const gateway = yield* startGateway({
        yaml: `
providers: { chat: { protocol: openai-chat, base_url: "${broken.baseUrl}", api_key: none } }
deployments: [{ provider: chat, model: m, price: { input: 1, output: 2 } }]
`
      })
      const { secret } = yield* gateway.createKey()
      const body = { model: "chat/m", input: "Hi", stream: true }
      const { text } = yield* call(gateway.url, { path: "/v1/responses", key: secret, body })
      const frames = framesOf(text)
      assert.deepStrictEqual(
        frames.slice(-2).map(({ type }) => type),
        ["error", "response.failed"]
      )
      assert.deepStrictEqual(
        frames.map((frame) => frame.sequence_number),
        frames.map((_, index) => index)
      )
      const [row] = yield* gateway.ledger
      assert.deepInclude({ ...row }, { status: "settled", estimated: 1, operation: "responses" })
      assert.isAbove(row!.output, 0)
    })
  )
})

describe("a picture for a provider that fetches none", () => {
  it.live("is looked for in items too", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* upstream(() => ({ body: completion("A cat") }))
      const gateway = yield* startGateway({
        yaml: `
providers: { local: { vendor: ollama, base_url: "${baseUrl}" } }
deployments: [{ provider: local, model: llava, price: { input: 1, output: 2 } }]
`
      })
      const { secret } = yield* gateway.createKey()
      const ask = (input: unknown) =>
        call(gateway.url, { path: "/v1/responses", key: secret, body: { model: "local/llava", input } })
      assert.strictEqual((yield* ask("Hi")).status, 200)
      const image = { type: "input_image", image_url: "http://127.0.0.1/cat.png" }
      const refused = yield* ask([{ role: "user", content: [image] }])
      assert.strictEqual(refused.status, 400)
      assert.strictEqual(refused.json.error.param, "input[0].content[0].image_url")
      assert.lengthOf(asked, 1)
    })
  )
})
