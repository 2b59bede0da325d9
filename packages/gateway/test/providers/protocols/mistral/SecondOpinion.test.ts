/**
 * What Mistral's own SDK and the AI SDK make of the same conversations and the same answers. Exceptions: the AI SDK leaves a named
 * function to `tool_choice`, and sends contents as parts where a text is meant.
 */
import { createMistral } from "@ai-sdk/mistral"
import { HTTPClient, Mistral } from "@mistralai/mistralai"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate, Result } from "effect"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import { MistralChat } from "../../../../src/providers/protocols/mistral/MistralProtocol.ts"
import { hasData, loadFamily, sayWhenMissing } from "../../../support/Transcripts.ts"
import { callOf } from "../openai/Support.ts"

sayWhenMissing("second opinions on recorded answers of Mistral")

const model = "mistral-small-2603"
const mistral = { vendor: "mistral", protocol: "mistral-chat", model }
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const
const schema = { type: "object", properties: { answer: { type: "number" } }, required: ["answer"] } as const

const answer = {
  id: "1",
  object: "chat.completion",
  created: 1,
  model,
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
}

const json = (body: unknown): Response =>
  new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } })

/** The body that the AI SDK sends. */
const bySdk = (options: object): Effect.Effect<JsonObject> =>
  Effect.promise(async () => {
    let body: JsonObject = {}
    const fetch = async (_: unknown, init?: { readonly body?: unknown }) => {
      body = JSON.parse(String(init?.body)) as JsonObject
      return json(answer)
    }
    await createMistral({ apiKey: "k", fetch: fetch as never })(model).doGenerate(options as never)
    return body
  })

/** A list of nothing but text is the text. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const all = value.map(plain)
    return all.length > 0 && all.every((one) => Predicate.isObject(one) && (one as JsonObject)["type"] === "text")
      ? all.map((one) => (one as JsonObject)["text"]).join("")
      : all
  }
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, one]) => one !== undefined && !(name === "name" && "tool_call_id" in value))
      .map(([name, one]) => [name, plain(one)])
  )
}

const ours = (body: JsonObject): JsonObject =>
  JSON.parse(Result.getOrThrow(MistralChat.lower(callOf(body, mistral))).body) as JsonObject

const text = (words: string) => [{ type: "text", text: words }]
const tool = { type: "function", name: "weather", description: "W", inputSchema: parameters }
const openAiTool = { type: "function", function: { name: "weather", description: "W", parameters } }

const conversations: ReadonlyArray<readonly [name: string, body: JsonObject, options: object]> = [
  [
    "text, instructions, sampling, stop and a seed",
    {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" }
      ],
      temperature: 0.3,
      top_p: 0.9,
      max_tokens: 50,
      seed: 7,
      stop: ["END"],
      frequency_penalty: 0.1,
      presence_penalty: 0.2
    },
    {
      prompt: [
        { role: "system", content: "Be brief." },
        { role: "user", content: text("Hi") }
      ],
      temperature: 0.3,
      topP: 0.9,
      maxOutputTokens: 50,
      seed: 7,
      stopSequences: ["END"],
      frequencyPenalty: 0.1,
      presencePenalty: 0.2
    }
  ],
  [
    "parallel calls, their results, and a tool that must be called",
    {
      messages: [
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: null,
          tool_calls: ["aaaaaaaa1", "aaaaaaaa2"].map((id) => ({
            id,
            type: "function",
            function: { name: "weather", arguments: '{"city":"Paris"}' }
          }))
        },
        ...["aaaaaaaa1", "aaaaaaaa2"].map((id) => ({ role: "tool", tool_call_id: id, content: "sunny" }))
      ],
      tools: [openAiTool],
      tool_choice: "required"
    },
    {
      prompt: [
        { role: "user", content: text("Weather?") },
        {
          role: "assistant",
          content: ["aaaaaaaa1", "aaaaaaaa2"].map((toolCallId) => ({
            type: "tool-call",
            toolCallId,
            toolName: "weather",
            input: { city: "Paris" }
          }))
        },
        {
          role: "tool",
          content: ["aaaaaaaa1", "aaaaaaaa2"].map((toolCallId) => ({
            type: "tool-result",
            toolCallId,
            toolName: "weather",
            output: { type: "text", value: "sunny" }
          }))
        }
      ],
      tools: [tool],
      toolChoice: { type: "required" }
    }
  ],
  [
    "a schema for the answer, and a prefilled answer",
    {
      messages: [
        { role: "user", content: "2+2" },
        { role: "assistant", content: "{" }
      ],
      response_format: { type: "json_schema", json_schema: { name: "sum", schema, strict: false } }
    },
    {
      prompt: [
        { role: "user", content: text("2+2") },
        { role: "assistant", content: text("{") }
      ],
      responseFormat: { type: "json", name: "sum", schema }
    }
  ],
  [
    "thoughts of an earlier turn",
    {
      messages: [
        { role: "user", content: "2+2" },
        { role: "assistant", content: "4", reasoning_content: "Two and two." },
        { role: "user", content: "3+3" }
      ]
    },
    {
      prompt: [
        { role: "user", content: text("2+2") },
        { role: "assistant", content: [{ type: "reasoning", text: "Two and two." }, ...text("4")] },
        { role: "user", content: text("3+3") }
      ]
    }
  ]
]

describe("a request to Mistral", () => {
  it.live.each(conversations)("is what the AI SDK sends: %s", ([, body, options]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(plain(ours(body)), plain(yield* bySdk(options)))
    })
  )
})

describe.skipIf(!hasData)("recorded answers of Mistral", () => {
  const recorded = loadFamily("mistral.chat_completions").filter(({ response }) => response.status === 200)

  it.live("are read as the AI SDK reads them: text, thoughts, calls, finish and usage", () =>
    Effect.gen(function* () {
      let read = 0
      for (const { name, request, response, streamed } of recorded) {
        if (streamed) continue
        const bytes = Buffer.from(response.bytes)
        const lifted = Result.getOrThrow(MistralChat.lift(bytes.toString(), callOf(request.body ?? {}, mistral)))
        const [choice] = lifted.body["choices"] as ReadonlyArray<JsonObject>
        const message = choice!["message"] as JsonObject
        const provider = createMistral({
          apiKey: "k",
          fetch: (async () => json(JSON.parse(bytes.toString()))) as never
        })
        const prompt = [{ role: "user", content: text("Hi") }]
        const theirs = yield* Effect.promise(() => Promise.resolve(provider(model).doGenerate({ prompt } as never)))
        const said = (kind: string) =>
          theirs.content.flatMap((part) => (part.type === kind && "text" in part ? [part.text] : [])).join("")
        assert.strictEqual(message["content"] ?? "", said("text"), name)
        assert.strictEqual(message["reasoning_content"] ?? "", said("reasoning"), name)
        const made = (message["tool_calls"] ?? []) as ReadonlyArray<{
          readonly id: string
          readonly function: JsonObject
        }>
        assert.deepStrictEqual(
          made.map((one) => [one.id, one.function["name"], one.function["arguments"]]),
          theirs.content.flatMap((part) =>
            part.type === "tool-call" ? [[part.toolCallId, part.toolName, part.input]] : []
          ),
          name
        )
        const finish = theirs.finishReason.unified
        assert.strictEqual(choice!["finish_reason"], finish === "tool-calls" ? "tool_calls" : finish, name)
        const usage = lifted.usage!
        assert.strictEqual(usage.input + usage.cachedInput, theirs.usage.inputTokens.total, name)
        assert.strictEqual(usage.output + usage.reasoning, theirs.usage.outputTokens.total, name)
        read++
      }
      assert.isAtLeast(read, 30)
    })
  )
})

describe("Mistral's own SDK", () => {
  it.live("accepts what is sent: written by it, the request is the same", () =>
    Effect.gen(function* () {
      const [, body] = conversations[1]!
      const written = yield* Effect.promise(async () => {
        let text = ""
        const fetcher = async (input: unknown) => {
          text = await (input as Request).text()
          return json(answer)
        }
        const client = new Mistral({ apiKey: "k", httpClient: new HTTPClient({ fetcher }) })
        await client.chat.complete({
          model,
          messages: [
            { role: "user", content: "Weather?" },
            {
              role: "assistant",
              content: "",
              toolCalls: ["aaaaaaaa1", "aaaaaaaa2"].map((id) => ({
                id,
                type: "function",
                function: { name: "weather", arguments: '{"city":"Paris"}' }
              }))
            },
            ...["aaaaaaaa1", "aaaaaaaa2"].map((id) => ({ role: "tool" as const, toolCallId: id, content: "sunny" }))
          ],
          tools: [{ type: "function", function: { name: "weather", description: "W", parameters } }],
          toolChoice: "any"
        })
        return JSON.parse(text) as JsonObject
      })
      // Its defaults: `stream: false`, `prefix: false`, `strict: false`, `index: 0`.
      const own = ours(body)
      assert.deepStrictEqual(withoutDefaults(written), withoutDefaults(own))
    })
  )
})

const DEFAULTS: JsonObject = { stream: false, prefix: false, strict: false, index: 0, safe_prompt: false }

const withoutDefaults = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDefaults)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, one]) => one !== DEFAULTS[name])
      .map(([name, one]) => [name, withoutDefaults(one)])
  )
}
