/** Legacy completions through the vendor's own client: bridged to chat, and native. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { problemWith } from "../support/OpenAiSchema.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { hasData } from "../support/Transcripts.ts"
import { type Asked, completion, type Reply, upstream, usage } from "../support/Upstream.ts"
import { resolved } from "./Promised.ts"

const connected = Effect.gen(function* () {
  const gateway = yield* startGateway()
  const { secret } = yield* gateway.createKey()
  const post = (body: object) =>
    call(gateway.url, { path: "/v1/completions", key: secret, body: { model: "mini", prompt: "Say hello", ...body } })
  return { ...gateway, client: gateway.client(secret), post }
})

/** The events of a body of server-sent events. */
const eventsIn = (text: string): ReadonlyArray<string> =>
  text
    .split("\n\n")
    .filter((one) => one.startsWith("data: "))
    .map((one) => one.slice(6))

const validOrSkipped = (value: object) => {
  if (!hasData) return
  const { gateway: _, ...plain } = value as { readonly gateway?: unknown }
  assert.isUndefined(problemWith("CreateCompletionResponse", plain))
}

describe("completions by models that chat", () => {
  it.live("plain: the text, the usage with its cost, the decision of `auto`", () =>
    Effect.gen(function* () {
      const { client, ledger } = yield* connected
      const { data, response } = yield* resolved(() =>
        client.completions.create({ model: "auto", prompt: "Say hello", max_tokens: 200, n: 2 }).withResponse()
      )
      assert.strictEqual(data.object, "text_completion")
      assert.match(data.id, /^cmpl-/)
      assert.lengthOf(data.choices, 2)
      assert.include(data.choices[0]?.text, "Say hello")
      assert.strictEqual(data.choices[0]?.finish_reason, "stop")
      assert.strictEqual(response.headers.get("X-Gateway-Decision"), "demo/mini")
      assert.strictEqual(response.headers.get("X-Gateway-Route-Bucket"), "simple")
      assert.strictEqual(Reflect.get(data.usage!, "cost"), Number(response.headers.get("X-Gateway-Cost-Usd")))
      validOrSkipped(data)
      assert.deepInclude((yield* ledger)[0], { operation: "completions", status: "settled", estimated: 0 })
    })
  )

  it.live("streamed: the same text, the cost in the last chunk, `[DONE]` at the end", () =>
    Effect.gen(function* () {
      const { client, post } = yield* connected
      const plain = yield* resolved(() =>
        client.completions.create({ model: "mini", prompt: "Say hello", max_tokens: 200 })
      )
      const text = yield* resolved(async () => {
        let all = ""
        const chunks = await client.completions.create({
          model: "mini",
          prompt: ["Say hello"],
          max_tokens: 200,
          stream: true
        })
        for await (const chunk of chunks) all += chunk.choices[0]?.text ?? ""
        return all
      })
      assert.strictEqual(text, plain.choices[0]?.text)
      for (const include_usage of [true, false]) {
        const events = eventsIn((yield* post({ stream: true, stream_options: { include_usage } })).text)
        assert.strictEqual(events.at(-1), "[DONE]")
        const chunks = events.slice(0, -1).map((one) => JSON.parse(one))
        const last = chunks.at(-1)
        assert.isAbove(last.gateway.cost_usd, 0)
        if (include_usage) assert.strictEqual(last.usage.cost, last.gateway.cost_usd)
        assert.strictEqual(
          chunks.some((chunk) => "usage" in chunk),
          include_usage
        )
        for (const chunk of chunks) {
          assert.strictEqual(chunk.object, "text_completion")
          assert.strictEqual(chunk.id, chunks[0].id)
          validOrSkipped(chunk)
        }
        assert.strictEqual(chunks.flatMap(({ choices }) => choices).at(-1).finish_reason, "length")
      }
    })
  )

  it.live("16 tokens are written where no limit is named, as at the vendor", () =>
    Effect.gen(function* () {
      const { post } = yield* connected
      const { json } = yield* post({})
      assert.strictEqual(json.usage.completion_tokens, 16)
      assert.strictEqual(json.choices[0].finish_reason, "length")
    })
  )

  it.live("thoughts stand beside the text, and a cut stream is billed for them", () =>
    Effect.gen(function* () {
      const { post } = yield* connected
      const { json } = yield* post({ model: "reasoner", max_tokens: 400 })
      assert.isNotEmpty(json.choices[0].reasoning_content)
      assert.include(json.choices[0].text, "Say hello")
    })
  )

  it.live("what chat does not have is refused in words that help", () =>
    Effect.gen(function* () {
      const { ledger, post } = yield* connected
      const refused: ReadonlyArray<readonly [object, string, RegExp]> = [
        [{ prompt: ["a", "b"] }, "prompt", /one prompt in each request/],
        [{ prompt: [1, 2] }, "prompt", /send the text/],
        [{ prompt: [[1, 2]] }, "prompt", /send the text/],
        [{ echo: true }, "echo", /leave it out/],
        [{ suffix: "the end" }, "suffix", /leave it out/],
        [{ logprobs: 3 }, "logprobs", /leave it out/],
        [{ logprobs: 0 }, "logprobs", /leave it out/],
        [{ best_of: 3, n: 2 }, "best_of", /leave it out/],
        [{ max_tokens: 0 }, "max_tokens", /at least one/]
      ]
      for (const [fields, param, words] of refused) {
        const { json, status } = yield* post(fields)
        assert.strictEqual(status, 400, param)
        assert.deepInclude(json.error, { param, code: "unsupported_parameter" })
        assert.match(json.error.message, words)
        assert.match(json.error.message, /demo\/mini/)
      }
      const harmless = { echo: false, suffix: "", logprobs: null, best_of: 1 }
      assert.strictEqual((yield* post(harmless)).status, 200)
      assert.lengthOf(
        (yield* ledger).filter(({ cost }) => cost > 0),
        1
      )
    })
  )

  it.live("what is wrong is named", () =>
    Effect.gen(function* () {
      const { post } = yield* connected
      const wrong: ReadonlyArray<readonly [object, string]> = [
        [{ prompt: undefined }, "prompt"],
        [{ prompt: [] }, "prompt"],
        [{ prompt: [[1], "a"] }, "prompt"],
        [{ max_tokens: -1 }, "max_tokens"],
        [{ n: 0 }, "n"],
        [{ stream: "yes" }, "stream"]
      ]
      for (const [fields, param] of wrong) {
        const { json, status } = yield* post(fields)
        assert.deepInclude(json.error, { param, code: "invalid_field" })
        assert.strictEqual(status, 400)
      }
    })
  )
})

describe("completions by Anthropic's models", () => {
  it.live("are chats too: the limit goes along, the usage is its own", () =>
    Effect.gen(function* () {
      const message = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "max_tokens" }
      const content = [{ type: "text", text: "one two" }]
      const { asked, baseUrl } = yield* upstream(() => ({
        body: { ...message, content, usage: { input_tokens: 12, output_tokens: 4 } }
      }))
      const gateway = yield* startGateway({
        yaml: `
providers: { anthropic: { base_url: "${baseUrl}", api_key: sk-ant-operators-own } }
deployments: [anthropic/claude-haiku-4-5]
`
      })
      const { secret } = yield* gateway.createKey()
      const body = { model: "claude-haiku-4-5", prompt: ["Count"], max_tokens: 4, stop: ["three"] }
      const { json, status } = yield* call(gateway.url, { path: "/v1/completions", key: secret, body })
      assert.strictEqual(status, 200)
      assert.deepInclude(json.choices[0], { text: "one two", finish_reason: "length", index: 0, logprobs: null })
      assert.strictEqual(json.object, "text_completion")
      assert.deepInclude(json.usage, { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 })
      assert.strictEqual(asked[0]?.path, "/v1/messages")
      assert.deepInclude(asked[0]?.body, {
        model: "claude-haiku-4-5",
        max_tokens: 4,
        stop_sequences: ["three"],
        messages: [{ role: "user", content: [{ type: "text", text: "Count" }] }]
      })
      assert.notProperty(asked[0]?.body, "prompt")
      validOrSkipped(json)
    })
  )
})

const written = (texts: ReadonlyArray<string>, fields: object = {}) => ({
  id: "cmpl-1",
  object: "text_completion",
  created: 1_760_000_000,
  model: "m",
  choices: texts.map((text, index) => ({ text, index, logprobs: null, finish_reason: "stop" })),
  usage,
  ...fields
})

describe("completions by models that have them", () => {
  const over = Effect.fnUntraced(function* (script: (asked: Asked, number: number) => Reply, budget?: number) {
    const { asked, baseUrl } = yield* upstream(script)
    const more = "price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 }"
    const gateway = yield* startGateway({
      yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }
  openai: { base_url: "${baseUrl}", api_key: sk-operators-own }
deployments:
  - openai/gpt-3.5-turbo-instruct
  - { provider: up, model: my-davinci, ${more} }
  - { provider: up, model: m, ${more} }
models: { both: [up/m, up/my-davinci] }
failover: { base_delay: 1ms }
`
    })
    const budgets = budget === undefined ? [] : [{ limit: budget, window: "day" as const, timeZone: "UTC" }]
    const { secret } = yield* gateway.createKey({ budgets })
    const post = (body: object) =>
      call(gateway.url, { path: "/v1/completions", key: secret, body: { model: "my-davinci", ...body } })
    return { ...gateway, asked, client: gateway.client(secret), post }
  })

  it.live("the body goes as it came, to OpenAI and to others", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* over(() => ({ body: written(["one", "two"]) }))
      const fields = { prompt: ["a", "b"], best_of: 2, echo: true, logprobs: 1, suffix: "!", user: "", stop: null }
      for (const model of ["gpt-3.5-turbo-instruct", "my-davinci"]) {
        const { json } = yield* post({ ...fields, model })
        assert.deepStrictEqual(
          json.choices.map(({ text }: { readonly text: string }) => text),
          ["one", "two"]
        )
        const { stop: _, user: __, ...sent } = fields
        assert.deepStrictEqual(asked.at(-1)!.body, { ...sent, model, max_tokens: 16 })
        assert.strictEqual(asked.at(-1)!.path, "/v1/completions")
      }
    })
  )

  it.live("a request that chat can't serve goes on to a model that can", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* over(() => ({ body: written(["one", "two"]) }))
      const { headers, status } = yield* post({ model: "both", prompt: ["a", "b"] })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["x-gateway-decision"], "up/my-davinci")
      assert.lengthOf(asked, 1)
    })
  )

  it.live("a stream of several prompts: all of it, the usage once, and the cost", () =>
    Effect.gen(function* () {
      const { asked, ledger, post } = yield* over(() => {
        const { choices: _, usage: __, ...head } = written([])
        const event = (fields: object) => `data: ${JSON.stringify({ ...head, ...fields })}\n\n`
        const choice = (index: number, text: string, finish_reason: string | null = null) => ({
          text,
          index,
          logprobs: null,
          finish_reason
        })
        return {
          body: [
            event({ choices: [choice(0, "one")] }),
            event({ choices: [choice(1, "two")] }),
            event({ choices: [choice(0, "", "stop"), choice(1, "", "length")] }),
            event({ choices: [], usage }),
            "data: [DONE]\n\n"
          ]
        }
      })
      const events = eventsIn((yield* post({ prompt: ["a", "b"], stream: true })).text)
      assert.strictEqual(events.at(-1), "[DONE]")
      const chunks = events.slice(0, -1).map((one) => JSON.parse(one))
      assert.deepStrictEqual(
        chunks.flatMap(({ choices }) => choices.map(({ text }: { readonly text: string }) => text)),
        ["one", "two", "", ""]
      )
      assert.strictEqual(chunks.at(-1).gateway.cost_usd, 0.00002)
      assert.isTrue(asked[0]!.body.stream_options.include_usage)
      assert.deepInclude((yield* ledger)[0], { cost: 20_000, estimated: 0 })
    })
  )

  it.live("a stream that breaks off ends with an error, and what came of it is billed", () =>
    Effect.gen(function* () {
      const { ledger, post } = yield* over(() => ({
        body: [`data: ${JSON.stringify(written(["a few words"], { usage: null })).replace('"stop"', "null")}\n\n`],
        ending: "reset"
      }))
      const events = eventsIn((yield* post({ prompt: "a", stream: true })).text)
      assert.notStrictEqual(events.at(-1), "[DONE]")
      assert.property(JSON.parse(events.at(-1)!), "error")
      const [row] = yield* ledger
      assert.strictEqual(row?.estimated, 1)
      assert.isAbove(row?.output ?? 0, 0)
    })
  )

  it.live("a whole answer to a stream request becomes a stream", () =>
    Effect.gen(function* () {
      const { post } = yield* over(() => ({ body: written(["one"]) }))
      const events = eventsIn((yield* post({ prompt: "a", stream: true })).text)
      assert.strictEqual(events.at(-1), "[DONE]")
      assert.strictEqual(JSON.parse(events[0]!).choices[0].text, "one")
    })
  )

  it.live("the worst case is every answer that may be written", () =>
    Effect.gen(function* () {
      const { ledger, post } = yield* over(() => ({ body: written(["one"]) }), 1_000_000_000)
      const held = (body: object) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* post(body)).status, 200)
          return (yield* ledger).at(-1)!.reserved
        })
      // Two USD per million tokens written: 100 tokens are 200,000 nano-USD. Tokens are read at one USD, and are as many as they are.
      assert.strictEqual(yield* held({ prompt: [1, 2, 3], max_tokens: 100 }), 203_000)
      assert.strictEqual(yield* held({ prompt: [1, 2, 3], max_tokens: 100, n: 2 }), 403_000)
      assert.strictEqual(yield* held({ prompt: [[1], [2, 3]], max_tokens: 100, n: 2 }), 803_000)
      assert.strictEqual(yield* held({ prompt: [[1], [2, 3]], max_tokens: 100, n: 2, best_of: 4 }), 1_603_000)
      assert.strictEqual(yield* held({ prompt: [1, 2, 3], max_tokens: 0, echo: true }), 3_000)
    })
  )

  it.live("a chat answer of several choices keeps them", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* over(() => ({ body: completion("one") }))
      const { json } = yield* post({ model: "m", prompt: "Hi", temperature: 0, stop: ["x"], user: "u" })
      assert.strictEqual(json.choices[0].text, "one")
      assert.deepStrictEqual(asked[0]!.body, {
        model: "m",
        messages: [{ role: "user", content: "Hi" }],
        temperature: 0,
        stop: ["x"],
        user: "u",
        max_tokens: 16
      })
    })
  )
})
