/** The vendor's own client, unchanged, against the port: everything it can do with chat completions and models. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeParseableResponseFormat } from "openai/lib/parser"
import { startGateway } from "../support/RunningGateway.ts"
import { resolved } from "./Promised.ts"

const connected = Effect.gen(function* () {
  const gateway = yield* startGateway()
  const { secret } = yield* gateway.createKey()
  return gateway.client(secret)
})

const messages = [{ role: "user" as const, content: "Say hello" }]

const weather = (asked: Array<string>) => ({
  type: "function" as const,
  function: {
    name: "get_weather",
    description: "The weather in a city",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, unit: { type: "string", enum: ["celsius", "fahrenheit"] } },
      required: ["city", "unit"],
      additionalProperties: false
    },
    parse: (text: string) => JSON.parse(text) as { readonly city: string; readonly unit: string },
    function: ({ city, unit }: { readonly city: string; readonly unit: string }) => {
      asked.push(`${typeof city} ${unit}`)
      return "19 degrees and sunny"
    }
  }
})

describe("openai-node, unchanged", () => {
  it.live("chat", () =>
    Effect.gen(function* () {
      const client = yield* connected
      const answer = yield* resolved(() => client.chat.completions.create({ model: "auto", messages }))
      assert.strictEqual(answer.object, "chat.completion")
      assert.include(answer.choices[0]?.message.content, "Say hello")
      assert.strictEqual(answer.choices[0]?.finish_reason, "stop")
      assert.isAbove(answer.usage?.completion_tokens ?? 0, 0)
    })
  )

  it.live("the five headers, and the request's id, of a plain answer", () =>
    Effect.gen(function* () {
      const client = yield* connected
      const { data, request_id, response } = yield* resolved(() =>
        client.chat.completions.create({ model: "auto", messages }).withResponse()
      )
      assert.strictEqual(response.headers.get("X-Gateway-Decision"), "demo/mini")
      assert.strictEqual(response.headers.get("X-Gateway-Route-Bucket"), "simple")
      assert.match(response.headers.get("X-Gateway-Route-Score") ?? "", /^(?:0(?:\.\d+)?|1)$/)
      assert.match(response.headers.get("X-Gateway-Cost-Usd") ?? "", /^0\.0*[1-9]\d*$/)
      assert.strictEqual(response.headers.get("X-Gateway-Retries"), "0")
      assert.strictEqual(request_id, response.headers.get("x-request-id"))
      assert.match(request_id ?? "", /^req_/)
      assert.strictEqual(Reflect.get(data, "_request_id"), request_id)
    })
  )

  it.live("the five headers of a stream, and its words", () =>
    Effect.gen(function* () {
      const client = yield* connected
      const { data, response } = yield* resolved(() =>
        client.chat.completions.create({ model: "auto", messages, stream: true }).withResponse()
      )
      for (const name of ["Decision", "Route-Bucket", "Route-Score", "Cost-Usd", "Retries"]) {
        assert.isNotNull(response.headers.get(`X-Gateway-${name}`), name)
      }
      const words = yield* resolved(async () => {
        let text = ""
        for await (const chunk of data) text += chunk.choices[0]?.delta.content ?? ""
        return text
      })
      assert.include(words, "Say hello")
    })
  )

  it.live("the stream helper puts together what a plain call answers", () =>
    Effect.gen(function* () {
      const client = yield* connected
      const asked = { model: "demo/standard", messages, stream_options: { include_usage: true } }
      const streamed = yield* resolved(() => client.chat.completions.stream(asked).finalChatCompletion())
      const plain = yield* resolved(() => client.chat.completions.create({ model: asked.model, messages }))
      assert.strictEqual(streamed.choices[0]?.message.content, plain.choices[0]?.message.content)
      assert.strictEqual(streamed.choices[0]?.finish_reason, "stop")
      assert.deepStrictEqual(streamed.usage, plain.usage)
    })
  )

  it.live("several choices", () =>
    Effect.gen(function* () {
      const client = yield* connected
      const asked = { model: "demo/mini", messages, n: 3 }
      const plain = yield* resolved(() => client.chat.completions.create(asked))
      const streamed = yield* resolved(() => client.chat.completions.stream(asked).finalChatCompletion())
      assert.lengthOf(plain.choices, 3)
      assert.deepStrictEqual(
        streamed.choices.map((choice) => choice.message.content),
        plain.choices.map((choice) => choice.message.content)
      )
    })
  )

  it.live("a tool loop runs to its end", () =>
    Effect.gen(function* () {
      const client = yield* connected
      const asked: Array<string> = []
      const runner = client.chat.completions.runTools({
        model: "demo/standard",
        messages: [{ role: "user", content: "What is the weather in Paris?" }],
        tools: [weather(asked)]
      })
      const said = yield* resolved(() => runner.finalContent())
      assert.deepStrictEqual(asked, ["string celsius"])
      assert.include(said, "19 degrees and sunny")
    })
  )

  it.live("a streamed tool loop runs to its end", () =>
    Effect.gen(function* () {
      const client = yield* connected
      const asked: Array<string> = []
      const runner = client.chat.completions.runTools({
        model: "demo/standard",
        stream: true,
        messages: [{ role: "user", content: "What is the weather in Paris?" }],
        tools: [weather(asked)]
      })
      const said = yield* resolved(() => runner.finalContent())
      assert.deepStrictEqual(asked, ["string celsius"])
      assert.include(said, "19 degrees and sunny")
    })
  )

  it.live("an answer in a JSON schema is parsed", () =>
    Effect.gen(function* () {
      const client = yield* connected
      const format = makeParseableResponseFormat(
        {
          type: "json_schema",
          json_schema: {
            name: "verdict",
            strict: true,
            schema: {
              type: "object",
              properties: { mood: { type: "string", enum: ["good", "bad"] }, marks: { type: "integer" } },
              required: ["mood", "marks"],
              additionalProperties: false
            }
          }
        },
        (text) => JSON.parse(text) as { readonly mood: string; readonly marks: number }
      )
      const asked = { model: "demo/standard", messages, response_format: format }
      const answer = yield* resolved(() => client.chat.completions.parse(asked))
      const verdict = answer.choices[0]?.message.parsed
      assert.include(["good", "bad"], verdict?.mood)
      assert.isTrue(Number.isInteger(verdict?.marks))
      const streamed = yield* resolved(() => client.chat.completions.stream(asked).finalChatCompletion())
      assert.deepStrictEqual(streamed.choices[0]?.message.parsed, verdict)
    })
  )

  it.live("lists and retrieves models, ids with a slash included", () =>
    Effect.gen(function* () {
      const client = yield* connected
      const ids = yield* resolved(async () => {
        const found: Array<string> = []
        for await (const model of client.models.list()) found.push(model.id)
        return found
      })
      assert.includeMembers(ids, ["auto", "fast", "failover", "demo/mini", "demo/reasoner"])
      const model = yield* resolved(() => client.models.retrieve("demo/mini"))
      assert.deepInclude({ ...model }, { id: "demo/mini", object: "model", owned_by: "demo" })
    })
  )

  it.live("no two answers have the same id, not even to the same request", () =>
    Effect.gen(function* () {
      const client = yield* connected
      const asked = { model: "demo/mini", messages }
      const first = yield* resolved(() => client.chat.completions.create(asked))
      const second = yield* resolved(() => client.chat.completions.create(asked))
      const streamed = yield* resolved(() => client.chat.completions.stream(asked).finalChatCompletion())
      assert.strictEqual(new Set([first.id, second.id, streamed.id]).size, 3)
    })
  )
})
