/** Google's own client, unchanged, before deployments that speak another API. */
import { type Content, FunctionCallingConfigMode, type GenerateContentResponse, Type } from "@google/genai"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, event } from "../../support/Upstream.ts"
import { message } from "../messages/Claude.ts"
import { resolved } from "../Promised.ts"
import { allOf, before, genai } from "./Genai.ts"

const weather = {
  name: "weather",
  description: "The weather in a city",
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING, nullable: true } }, required: ["city"] }
}
const question: Content = { role: "user", parts: [{ text: "Weather in Rome?" }] }

const head = { id: "chatcmpl-7", object: "chat.completion.chunk", created: 1, model: "m" }
const chunk = (delta: object, finish: string | null = null) =>
  event({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const STREAM = { "content-type": "text/event-stream" }
const streamed = (...body: ReadonlyArray<string>) => ({ headers: STREAM, body })
const ended = [event({ ...head, choices: [], usage }), "data: [DONE]\n\n"]

describe("generateContent before a chat deployment", () => {
  it.live("answers by `auto` with the headers, the usage and the ledger's cost", () =>
    Effect.gen(function* () {
      const { createKey, ledger, url } = yield* startGateway()
      const { secret } = yield* createKey()
      const answer = yield* resolved(() =>
        genai(url, secret).models.generateContent({ model: "auto", contents: "Say hello" })
      )
      assert.include(answer.text, "Say hello")
      assert.strictEqual(answer.candidates?.[0]?.finishReason, "STOP")
      assert.strictEqual(answer.sdkHttpResponse?.headers?.["x-gateway-route-bucket"], "simple")
      const [row] = yield* ledger
      assert.strictEqual(answer.usageMetadata?.candidatesTokenCount, row?.output)
      assert.strictEqual(answer.sdkHttpResponse?.headers?.["x-gateway-cost-usd"], String((row?.cost ?? 0) / 1e9))
    })
  )

  it.live("translates a whole request", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* before("openai-chat", () => ({ body: completion("Hello") }))
      const answer = yield* resolved(() =>
        client.models.generateContent({
          model: "up/m",
          contents: [
            {
              role: "user",
              parts: [{ text: "Weather?" }, { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }]
            },
            {
              role: "model",
              parts: [{ text: "Both.", thought: true }, { functionCall: { name: "weather", args: { city: "Rome" } } }]
            },
            { role: "user", parts: [{ functionResponse: { name: "weather", response: { output: "Sun" } } }] }
          ],
          config: {
            systemInstruction: "Be brief",
            temperature: 0.5,
            topK: 5,
            maxOutputTokens: 100,
            stopSequences: ["END"],
            thinkingConfig: { thinkingBudget: 2000 },
            responseMimeType: "application/json",
            responseSchema: { type: Type.OBJECT, properties: { a: { type: Type.INTEGER } } },
            tools: [{ functionDeclarations: [weather] }, { googleSearch: {} }],
            toolConfig: {
              functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ["weather"] }
            }
          }
        })
      )
      assert.strictEqual(answer.text, "Hello")
      assert.strictEqual(
        answer.sdkHttpResponse?.headers?.["x-gateway-dropped-params"],
        "tools.googleSearch,generationConfig.topK"
      )
      assert.deepStrictEqual(asked[0]?.body, {
        model: "m",
        messages: [
          { role: "system", content: "Be brief" },
          {
            role: "user",
            content: [
              { type: "text", text: "Weather?" },
              { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }
            ]
          },
          {
            role: "assistant",
            content: null,
            tool_calls: [
              { id: "call_0", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } }
            ]
          },
          { role: "tool", tool_call_id: "call_0", name: "weather", content: "Sun" }
        ],
        tools: [
          {
            type: "function",
            function: {
              name: "weather",
              description: "The weather in a city",
              parameters: {
                type: "object",
                properties: { city: { type: ["string", "null"] } },
                required: ["city"]
              }
            }
          }
        ],
        tool_choice: { type: "function", function: { name: "weather" } },
        temperature: 0.5,
        max_tokens: 100,
        stop: ["END"],
        reasoning_effort: "medium",
        response_format: {
          type: "json_schema",
          json_schema: { name: "response", schema: { type: "object", properties: { a: { type: "integer" } } } }
        }
      })
    })
  )

  it.live("runs a chat of streams, whose calls come whole, and gets the sealed thoughts back", () =>
    Effect.gen(function* () {
      const extra = { extra_content: { vendor: { sign: "s1" } } }
      const { asked, client } = yield* before("openai-chat", (_, number) =>
        number === 0
          ? streamed(
              chunk({ role: "assistant", content: "" }),
              chunk({ reasoning_content: "Hm." }),
              chunk({ content: "I" }),
              chunk({ content: " look." }),
              chunk({
                tool_calls: [
                  { index: 0, id: "c1", type: "function", function: { name: "weather", arguments: '{"ci' }, ...extra }
                ]
              }),
              chunk({ tool_calls: [{ index: 0, function: { arguments: 'ty":"Rome"}' } }] }),
              chunk({}, "tool_calls"),
              ...ended
            )
          : streamed(chunk({ content: "Sun" }), chunk({}, "stop"), ...ended)
      )
      const chat = client.chats.create({ model: "up/m", config: { tools: [{ functionDeclarations: [weather] }] } })
      const first = yield* resolved(() => allOf(chat.sendMessageStream({ message: "Weather?" })))
      const parts = first.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
      assert.deepInclude(parts[0], { text: "Hm.", thought: true })
      const [called] = parts.flatMap(({ functionCall }) => functionCall ?? [])
      assert.deepInclude(called, { id: "c1", name: "weather", args: { city: "Rome" } })
      assert.deepInclude(first.at(-1)?.usageMetadata, { promptTokenCount: 10, totalTokenCount: 15 })
      assert.strictEqual(first.at(-1)?.candidates?.[0]?.finishReason, "STOP")
      const result = { functionResponse: { id: "c1", name: "weather", response: { output: "Sun" } } }
      const second = yield* resolved(() => allOf(chat.sendMessageStream({ message: result })))
      assert.strictEqual(second.map(({ text }) => text ?? "").join(""), "Sun")
      const { messages } = asked[1]!.body
      assert.deepStrictEqual(messages.slice(1), [
        {
          role: "assistant",
          content: "I look.",
          tool_calls: [
            { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' }, ...extra }
          ]
        },
        { role: "tool", tool_call_id: "c1", name: "weather", content: "Sun" }
      ])
    })
  )

  it.live("is served by a Claude, also as a list where no events are asked for", () =>
    Effect.gen(function* () {
      const { client, secret, url } = yield* before("anthropic-messages", () => ({
        body: message([{ type: "text", text: "Hello" }])
      }))
      const answer = yield* resolved(() => client.models.generateContent({ model: "up/m", contents: "Hi" }))
      assert.strictEqual(answer.text, "Hello")
      const path = "/v1beta1/publishers/google/models/up/m:generateContent"
      const { headers, json } = yield* call(url, { path, key: secret, body: { contents: [question] } })
      assert.strictEqual(headers["content-type"], "application/json")
      assert.deepInclude(json.gateway, { deployment: "up/m" })
    })
  )

  it.live("streams a list where no events are asked for, which a broken stream leaves open", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* before("openai-chat", (_, number) =>
        number === 0
          ? streamed(chunk({ content: "He" }), chunk({ content: "llo" }), chunk({}, "stop"), ...ended)
          : { ...streamed(chunk({ content: "He" })), ending: "reset" }
      )
      const path = "/v1beta/models/up/m:streamGenerateContent"
      const whole = yield* call(url, { path, key: secret, body: { contents: [question] } })
      const list: ReadonlyArray<GenerateContentResponse> = whole.json
      const texts = list.map(({ candidates }) => candidates?.[0]?.content?.parts?.[0]?.text)
      assert.strictEqual(texts.join(""), "Hello")
      assert.strictEqual(whole.json.at(-1).gateway.deployment, "up/m")
      const cut = yield* Effect.exit(call(url, { path, key: secret, body: { contents: [question] } }))
      assert.include(String(cut), "aborted")
    })
  )

  it.live("a stream that breaks off ends with an error that the client throws", () =>
    Effect.gen(function* () {
      const { client, ledger } = yield* before("openai-chat", () => ({
        ...streamed(chunk({ content: "He" })),
        ending: "reset"
      }))
      const seen: Array<string> = []
      const failure = yield* Effect.promise(async () => {
        try {
          for await (const { text = "" } of await client.models.generateContentStream({
            model: "up/m",
            contents: "Hi"
          }))
            seen.push(text)
          return undefined
        } catch (error) {
          return String(error)
        }
      })
      assert.deepStrictEqual(seen, ["He"])
      assert.include(failure, "UNAVAILABLE")
      assert.strictEqual((yield* ledger).length, 1)
    })
  )

  it.live("counts tokens for free, and lists models in Google's shape", () =>
    Effect.gen(function* () {
      const { client, ledger } = yield* before("openai-chat", () => ({ body: completion("Hello") }))
      const { totalTokens } = yield* resolved(() =>
        client.models.countTokens({ model: "up/m", contents: "Hello there" })
      )
      assert.isAbove(totalTokens ?? 0, 1)
      assert.deepStrictEqual(
        (yield* ledger).map(({ cost }) => cost),
        [0]
      )
      const models = yield* resolved(() => allOf(client.models.list()))
      assert.deepInclude(
        models.find(({ name }) => name === "models/up/m"),
        { name: "models/up/m", inputTokenLimit: 100_000 }
      )
      assert.deepInclude(yield* resolved(() => client.models.get({ model: "up/m" })), { name: "models/up/m" })
    })
  )
})

describe("errors of generateContent", () => {
  it.live("have Google's shape, with what was wrong and what would be right", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* before("openai-chat", () => ({ body: completion("Hello") }))
      const path = "/v1beta/models/up/m:generateContent"
      const wrong: ReadonlyArray<readonly [object, number, string, RegExp]> = [
        [
          { body: {} },
          400,
          "INVALID_ARGUMENT",
          /^`contents` must be a list of at least one content, and it is missing$/
        ],
        [
          { body: { contents: [{ parts: "x" }] } },
          400,
          "INVALID_ARGUMENT",
          /^`contents\[0\].parts` must be a list of parts, not "x"$/
        ],
        [
          { body: { contents: [{ role: "assistant", parts: [] }] } },
          400,
          "INVALID_ARGUMENT",
          /must be "user" or "model"/
        ],
        [
          { body: { contents: [question], generation_config: { max_output_tokens: "many" } } },
          400,
          "INVALID_ARGUMENT",
          /^`generationConfig.maxOutputTokens` must be a whole number from 1 to 10000000, not "many"$/
        ],
        [
          { body: { contents: [question], cachedContent: "cachedContents/1" } },
          400,
          "INVALID_ARGUMENT",
          /`cachedContent` is kept at Google/
        ],
        [
          { body: { contents: [{ parts: [{ executableCode: { code: "1" } }] }] } },
          400,
          "INVALID_ARGUMENT",
          /can't read a part with `executableCode`/
        ],
        [{ path: "/v1beta/models/none:generateContent" }, 404, "NOT_FOUND", /no model `none`/],
        [{ path: "/v1beta/models/up/m:embedContent" }, 404, "NOT_FOUND", /does not serve embedContent/],
        [{ path: "/v1beta/cachedContents" }, 404, "NOT_FOUND", /does not serve cached contents/],
        [{ key: "", path: `${path}?key=${secret}` }, 401, "UNAUTHENTICATED", /A `key` in the address is not read/]
      ]
      for (const [more, status, name, words] of wrong) {
        const answer = yield* call(url, { path, key: secret, body: { contents: [question] }, ...more })
        const { error } = answer.json
        assert.deepStrictEqual([answer.status, error.code, error.status], [status, status, name], answer.text)
        assert.match(error.message, words)
        assert.notInclude(answer.text, secret)
      }
    })
  )
})
