/** Google AI Studio behind the gateway, used by OpenAI's own client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, eventsOf } from "../../support/RawHttp.ts"
import { resolved } from "../Promised.ts"
import { beforeStudio, events, generated, refusal, STUDIO_KEY } from "./Google.ts"

const weather = {
  type: "function" as const,
  function: {
    name: "weather",
    description: "The weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    parse: (text: string) => JSON.parse(text) as { readonly city: string },
    function: ({ city }: { readonly city: string }) => `Sun in ${city}`
  }
}
interface Answered {
  readonly functionResponse: { readonly name: string; readonly response: unknown }
}
const calling = (city: string, more: object = {}) => ({ functionCall: { name: "weather", args: { city } }, ...more })
const messages = [{ role: "user" as const, content: "How is the weather in Rome and in Oslo?" }]

describe("AI Studio", () => {
  it.live("runs a tool loop with two calls at once, whole, with the key in a header and the exact cost", () =>
    Effect.gen(function* () {
      const signed = { thoughtSignature: "c2lnbmF0dXJl" }
      const { asked, client, ledger } = yield* beforeStudio(["gemini-3-flash-preview"], (_, number) => ({
        body:
          number === 0
            ? generated([calling("Rome", signed), calling("Oslo")], "STOP")
            : generated([{ text: "Sun in both." }], "STOP")
      }))
      const runner = client.chat.completions.runTools({
        model: "gemini/gemini-3-flash-preview",
        messages,
        tools: [weather]
      })
      assert.strictEqual(yield* resolved(() => runner.finalContent()), "Sun in both.")
      const [first, second] = asked
      assert.strictEqual(first?.path, "/v1/models/gemini-3-flash-preview:generateContent")
      assert.strictEqual(first?.headers["x-goog-api-key"], STUDIO_KEY)
      assert.isUndefined(first?.headers["authorization"])
      const [, model, results] = second!.body.contents
      // This client sends back what it knows of a call, and drops its signature.
      assert.deepStrictEqual(model.parts[0].thoughtSignature, "skip_thought_signature_validator")
      assert.deepStrictEqual(model.parts[1].thoughtSignature, "skip_thought_signature_validator")
      assert.deepStrictEqual(
        results.parts.map(({ functionResponse: { name, response } }: Answered) => [name, response] as const),
        [
          ["weather", { result: "Sun in Rome" }],
          ["weather", { result: "Sun in Oslo" }]
        ]
      )
      // USD per million: 0.50 in, 3 out, thoughts as output.
      assert.deepStrictEqual(
        (yield* ledger).map(({ cost }) => cost),
        [100 * 500 + 50 * 3_000, 100 * 500 + 50 * 3_000]
      )
    })
  )

  it.live("gets its signature back from a client that sends the message as it came", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* beforeStudio(["gemini-3-flash-preview"], () => ({
        body: generated([calling("Rome", { thoughtSignature: "c2lnbmF0dXJl" })], "STOP")
      }))
      const model = "gemini/gemini-3-flash-preview"
      const { choices } = yield* resolved(() => client.chat.completions.create({ model, messages }))
      const { message } = choices[0]!
      const tool = { role: "tool" as const, tool_call_id: message.tool_calls![0]!.id, content: "Sun" }
      yield* resolved(() => client.chat.completions.create({ model, messages: [...messages, message, tool] }))
      assert.strictEqual(asked[1]?.body.contents[1].parts[0].thoughtSignature, "c2lnbmF0dXJl")
    })
  )

  it.live("runs the same loop streamed", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* beforeStudio(["gemini-3-flash-preview"], (_, number) =>
        number === 0
          ? events(
              generated([calling("Rome", { thoughtSignature: "c2ln" })]),
              generated([calling("Oslo")]),
              generated([], "STOP")
            )
          : events(generated([{ text: "Sun in " }]), generated([{ text: "both." }], "STOP"))
      )
      const runner = client.chat.completions.runTools({
        model: "gemini/gemini-3-flash-preview",
        messages,
        tools: [weather],
        stream: true
      })
      assert.strictEqual(yield* resolved(() => runner.finalContent()), "Sun in both.")
      assert.strictEqual(asked[0]?.path, "/v1/models/gemini-3-flash-preview:streamGenerateContent?alt=sse")
      const [, model, results] = asked[1]!.body.contents
      assert.lengthOf(model.parts, 2)
      assert.lengthOf(results.parts, 2)
    })
  )

  it.live("answers n choices, by as many calls where the model makes one each", () =>
    Effect.gen(function* () {
      const { asked, client, ledger } = yield* beforeStudio(["gemini-3-flash-preview"], () => ({
        body: generated([{ text: "Hi" }], "STOP")
      }))
      const model = "gemini/gemini-3-flash-preview"
      const answer = yield* resolved(() => client.chat.completions.create({ model, messages, n: 2 }))
      assert.deepStrictEqual(
        answer.choices.map(({ index }) => index),
        [0, 1]
      )
      assert.lengthOf(asked, 2)
      assert.deepStrictEqual(
        (yield* ledger).map(({ cost }) => cost),
        [2 * (100 * 500 + 50 * 3_000)]
      )
    })
  )

  it.live("makes a schema for the answer of one that goes with no tools, whole and streamed", () =>
    Effect.gen(function* () {
      const own = { functionCall: { name: "json", args: { city: "Rome" } } }
      const { client, asked } = yield* beforeStudio(["gemini-2.5-flash"], ({ path }) =>
        path.includes("stream") ? events(generated([own], "STOP")) : { body: generated([own], "STOP") }
      )
      const schema = { type: "object", properties: { city: { type: "string" } } }
      const {
        function: { description, name, parameters },
        type
      } = weather
      const asking = {
        model: "gemini/gemini-2.5-flash",
        messages,
        tools: [{ type, function: { description, name, parameters } }],
        response_format: { type: "json_schema" as const, json_schema: { name: "answer", schema } }
      }
      const whole = yield* resolved(() => client.chat.completions.create(asking))
      assert.strictEqual(whole.choices[0]?.message.content, '{"city":"Rome"}')
      assert.strictEqual(whole.choices[0]?.finish_reason, "stop")
      const stream = yield* resolved(() => client.chat.completions.stream(asking).finalChatCompletion())
      assert.strictEqual(stream.choices[0]?.message.content, '{"city":"Rome"}')
      assert.deepStrictEqual(asked[0]?.body.toolConfig, { functionCallingConfig: { mode: "ANY" } })
    })
  )

  it.live("serves responses and messages over chat", () =>
    Effect.gen(function* () {
      const { client, secret, url } = yield* beforeStudio(["gemini-3-flash-preview"], () => ({
        body: generated([{ text: "Hm.", thought: true }, { text: "Hi" }], "STOP")
      }))
      const model = "gemini/gemini-3-flash-preview"
      const response = yield* resolved(() => client.responses.create({ model, input: "Hello" }))
      assert.strictEqual(response.output_text, "Hi")
      const body = { model, max_tokens: 100, messages }
      const { json } = yield* call(url, { path: "/v1/messages", key: secret, body })
      assert.strictEqual(json.content.at(-1).text, "Hi")
    })
  )

  it.live("gives vectors, packed as OpenAI's client wants them, and images with their price", () =>
    Effect.gen(function* () {
      const usageMetadata = {
        promptTokenCount: 10,
        candidatesTokenCount: 1_120,
        totalTokenCount: 1_130,
        candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_120 }]
      }
      const png = { inlineData: { mimeType: "image/png", data: "iVBOR" } }
      const { client, ledger } = yield* beforeStudio(["gemini-embedding-2", "gemini-3.1-flash-image"], ({ path }) => ({
        body: path.includes("Embed")
          ? { embeddings: [{ values: [0.5, -1] }, { values: [1, 0] }], usageMetadata: { promptTokenCount: 8 } }
          : generated([png], "STOP", { usageMetadata })
      }))
      const vectors = yield* resolved(() =>
        client.embeddings.create({ model: "gemini/gemini-embedding-2", input: ["a", "b"] })
      )
      assert.deepStrictEqual(
        vectors.data.map(({ embedding }) => embedding),
        [
          [0.5, -1],
          [1, 0]
        ]
      )
      const images = yield* resolved(() =>
        client.images.generate({ model: "gemini/gemini-3.1-flash-image", prompt: "a cat", size: "1024x1024" })
      )
      assert.strictEqual(images.data?.[0]?.b64_json, "iVBOR")
      // USD per million: 0.20 for vectors; 0.50 in and 60 for an image's tokens.
      assert.deepStrictEqual(
        (yield* ledger).map(({ cost }) => cost),
        [8 * 200, 10 * 500 + 1_120 * 60_000]
      )
    })
  )

  it.live("holds no budget to less than an image can cost", () =>
    Effect.gen(function* () {
      const {
        createKey,
        client: _,
        asked,
        url
      } = yield* beforeStudio(["gemini-3.1-flash-image"], () => ({ status: 500 }))
      const { secret } = yield* createKey({ budgets: [{ limit: 50_000_000, window: "day", timeZone: "UTC" }] })
      const body = { model: "gemini/gemini-3.1-flash-image", prompt: "a cat" }
      const { status } = yield* call(url, { path: "/v1/images/generations", key: secret, body })
      assert.strictEqual(status, 429)
      assert.lengthOf(asked, 0)
    })
  )
})

describe("AI Studio in trouble", () => {
  it.live("blocks a prompt: 400, with the reason, and no other deployment is asked", () =>
    Effect.gen(function* () {
      const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 5 } }
      const { secret, url } = yield* beforeStudio(["gemini-2.5-flash"], ({ path }) =>
        path.includes("stream") ? events(blocked) : { body: blocked }
      )
      for (const stream of [false, true]) {
        const body = { model: "spared", messages, stream }
        const { json, status } = yield* call(url, { path: "/v1/chat/completions", key: secret, body })
        assert.deepStrictEqual([status, json.error.code], [400, "content_filter"])
        assert.include(json.error.message, "PROHIBITED_CONTENT")
      }
    })
  )

  it.live("is left for another deployment: overloaded, spent, malformed, or with a key that it refuses in a 400", () =>
    Effect.gen(function* () {
      const reason = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }
      const wait = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }
      for (const reply of [
        refusal(503, "UNAVAILABLE", "The model is overloaded."),
        refusal(429, "RESOURCE_EXHAUSTED", "Slow down", [wait]),
        refusal(400, "INVALID_ARGUMENT", "API key not valid.", [reason]),
        { body: generated([], "MALFORMED_FUNCTION_CALL") }
      ]) {
        const { secret, url } = yield* beforeStudio(["gemini-2.5-flash"], () => reply)
        const body = { model: "spared", messages }
        const { json, status } = yield* call(url, { path: "/v1/chat/completions", key: secret, body })
        assert.deepStrictEqual([status, json.choices?.[0].message.content], [200, "spare"])
      }
    })
  )

  it.live("tells the caller how long to wait, and nothing of the key", () =>
    Effect.gen(function* () {
      const wait = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }
      const { secret, url } = yield* beforeStudio(["gemini-2.5-flash"], () =>
        refusal(429, "RESOURCE_EXHAUSTED", `Slow down, ${STUDIO_KEY}`, [wait])
      )
      const body = { model: "gemini/gemini-2.5-flash", messages }
      const { headers, status, text } = yield* call(url, { path: "/v1/chat/completions", key: secret, body })
      assert.strictEqual(status, 429)
      assert.strictEqual(headers["retry-after"], "34")
      assert.notInclude(text, STUDIO_KEY)
    })
  )

  it.live("reports an error in the middle of its stream, and so does the gateway", () =>
    Effect.gen(function* () {
      const error = { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } }
      const { secret, url } = yield* beforeStudio(["gemini-2.5-flash"], () =>
        events(generated([{ text: "So" }]), error)
      )
      const body = { model: "spared", messages, stream: true }
      const { text } = yield* call(url, { path: "/v1/chat/completions", key: secret, body })
      const all = eventsOf(text)
      assert.strictEqual(all.at(-1)?.error?.code, "upstream_unavailable")
      assert.notInclude(text, "[DONE]")
    })
  )
})
