/** Chat at a model that has Responses alone, through the port, with the vendor's own client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { upstream } from "../../support/Upstream.ts"
import { resolved } from "../Promised.ts"
import { response, responseEvents } from "./Wire.ts"

const MODEL = "openai/gpt-5-codex"
const messages = [{ role: "user" as const, content: "Say hello" }]

/** A gateway with a demo model, taken for OpenAI. */
const connected = Effect.gen(function* () {
  const inner = yield* startGateway({
    yaml: `
providers: { demo: { vendor: demo } }
deployments: [demo/standard]
models: { gpt-5-codex: [demo/standard] }
`
  })
  const key = yield* inner.createKey()
  const gateway = yield* startGateway({
    yaml: `
providers: { openai: { base_url: "${inner.url}/v1", api_key: "${key.secret}" } }
deployments: [${MODEL}]
`
  })
  const { secret } = yield* gateway.createKey()
  return gateway.client(secret)
})

const weather = (asked: Array<string>) => ({
  type: "function" as const,
  function: {
    name: "get_weather",
    description: "The weather in a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    parse: (text: string) => JSON.parse(text) as { readonly city: string },
    function: ({ city }: { readonly city: string }) => {
      asked.push(typeof city)
      return "19 degrees and sunny"
    }
  }
})

describe("chat over Responses", () => {
  it.live("says the same plainly and as a stream", () =>
    Effect.gen(function* () {
      const client = yield* connected
      const plain = yield* resolved(() => client.chat.completions.create({ model: MODEL, messages }))
      const asked = { model: MODEL, messages, stream_options: { include_usage: true } }
      const streamed = yield* resolved(() => client.chat.completions.stream(asked).finalChatCompletion())
      assert.include(plain.choices[0]?.message.content, "Say hello")
      assert.strictEqual(streamed.choices[0]?.message.content, plain.choices[0]?.message.content)
      assert.strictEqual(streamed.choices[0]?.finish_reason, "stop")
      assert.deepStrictEqual(streamed.usage, plain.usage)
      assert.notStrictEqual(streamed.id, plain.id)
    })
  )

  it.live.each([{ stream: false }, { stream: true }])("a tool loop runs to its end: %j", ({ stream }) =>
    Effect.gen(function* () {
      const client = yield* connected
      const asked: Array<string> = []
      const runner = client.chat.completions.runTools({
        model: MODEL,
        stream,
        messages: [{ role: "user", content: "What is the weather in Paris?" }],
        tools: [weather(asked)]
      } as never)
      const said = yield* resolved(() => runner.finalContent())
      assert.deepStrictEqual(asked, ["string"])
      assert.include(said, "19 degrees and sunny")
    })
  )

  it.live("an answer in a JSON schema", () =>
    Effect.gen(function* () {
      const client = yield* connected
      const schema = { type: "object", properties: { marks: { type: "integer" } }, required: ["marks"] }
      const format = { type: "json_schema" as const, json_schema: { name: "verdict", schema } }
      const answer = yield* resolved(() =>
        client.chat.completions.create({ model: MODEL, messages, response_format: format })
      )
      assert.isTrue(Number.isInteger(JSON.parse(answer.choices[0]?.message.content ?? "").marks))
    })
  )

  it.live("limits, efforts and thoughts pass, and what has no counterpart is named", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* upstream(({ body }) => ({
        body:
          body.stream === true
            ? responseEvents("Hel", "lo")
            : response("Hello", { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } })
      }))
      const gateway = yield* startGateway({
        yaml: `
providers: { openai: { base_url: "${baseUrl}", api_key: k } }
deployments: [${MODEL}]
`
      })
      const { secret } = yield* gateway.createKey()
      const ask = (fields: object) =>
        call(gateway.url, { path: "/v1/chat/completions", key: secret, body: { model: MODEL, messages, ...fields } })
      const first = yield* ask({ max_tokens: 50, reasoning_effort: "low", seed: 5, stop: ["x"] })
      assert.strictEqual(first.headers["x-gateway-dropped-params"], "seed,stop")
      assert.deepStrictEqual(asked[0]!.body, {
        model: "gpt-5-codex",
        input: messages,
        reasoning: { effort: "low" },
        max_output_tokens: 50,
        include: ["reasoning.encrypted_content"],
        store: false
      })
      const [choice] = first.json.choices
      assert.strictEqual(choice.finish_reason, "length")
      yield* ask({ messages: [...messages, choice.message, { role: "user", content: "And?" }] })
      assert.deepInclude(asked[1]!.body.input[1], {
        type: "reasoning",
        id: "rs_upstream",
        encrypted_content: "gAAAA-secret"
      })
      const many = yield* ask({ n: 2 })
      assert.deepStrictEqual(
        many.json.choices.map(({ index }: { index: number }) => index),
        [0, 1]
      )
    })
  )
})
