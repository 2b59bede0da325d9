/**
 * What Cohere's own SDK and the AI SDK make of the same conversation and the same answers. Exceptions: the AI SDK reports `tokens`, where
 * the gateway tells what is billed and passes `tokens` on beside it; it leaves out plans; and it gives calls without a text beside them.
 */
import { createCohere } from "@ai-sdk/cohere"
import { CohereClientV2 } from "cohere-ai"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import { CohereChat } from "../../../../src/providers/protocols/cohere/CohereProtocol.ts"
import { serverSentEvents } from "../../../../src/providers/framing/Sse.ts"
import { hasData, loadFamily, sayWhenMissing } from "../../../support/Transcripts.ts"
import { completionOf } from "../openai/Completion.ts"
import { callOf } from "../openai/Support.ts"

sayWhenMissing("second opinions on recorded answers of Cohere")

const model = "command-a-03-2025"
const cohere = { vendor: "cohere", protocol: "cohere-v2", model }
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const
const schema = { type: "object", properties: { sunny: { type: "boolean" } }, required: ["sunny"] } as const
const called = {
  id: "weather_1",
  type: "function" as const,
  function: { name: "weather", arguments: '{"city":"Paris"}' }
}

const answer = JSON.stringify({
  id: "1",
  finish_reason: "COMPLETE",
  message: { role: "assistant", content: [{ type: "text", text: "ok" }] },
  usage: { billed_units: { input_tokens: 1, output_tokens: 1 }, tokens: { input_tokens: 2, output_tokens: 2 } }
})

const fetching = (bytes: string | Uint8Array, type: string, asked: Array<JsonObject> = []) =>
  (async (_: unknown, init?: { readonly body?: unknown }) => {
    asked.push(JSON.parse(String(init?.body)) as JsonObject)
    return new Response(Buffer.from(bytes as never), { headers: { "content-type": type } })
  }) as never

const conversation: JsonObject = {
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Weather?" },
    { role: "assistant", content: null, tool_calls: [called] },
    { role: "tool", tool_call_id: "weather_1", content: "sunny" }
  ],
  tools: [{ type: "function", function: { name: "weather", description: "W", parameters } }],
  tool_choice: "required",
  response_format: { type: "json_schema", json_schema: { name: "s", schema } },
  temperature: 0.2,
  top_p: 0.9,
  top_k: 5,
  seed: 7,
  stop: ["END"],
  max_tokens: 50,
  frequency_penalty: 0.1,
  presence_penalty: 0.2
}

const ours = () => JSON.parse(Result.getOrThrow(CohereChat.lower(callOf(conversation, cohere))).body) as JsonObject

describe("a request to Cohere", () => {
  it.live("is what the AI SDK sends for the same conversation", () =>
    Effect.gen(function* () {
      const asked: Array<JsonObject> = []
      const provider = createCohere({ apiKey: "k", fetch: fetching(answer, "application/json", asked) })
      const options = {
        prompt: [
          { role: "system", content: "Be brief." },
          { role: "user", content: [{ type: "text", text: "Weather?" }] },
          {
            role: "assistant",
            content: [{ type: "tool-call", toolCallId: "weather_1", toolName: "weather", input: { city: "Paris" } }]
          },
          {
            role: "tool",
            content: [
              {
                type: "tool-result",
                toolCallId: "weather_1",
                toolName: "weather",
                output: { type: "text", value: "sunny" }
              }
            ]
          }
        ],
        tools: [{ type: "function", name: "weather", description: "W", inputSchema: parameters }],
        toolChoice: { type: "required" },
        responseFormat: { type: "json", schema },
        temperature: 0.2,
        topP: 0.9,
        topK: 5,
        seed: 7,
        stopSequences: ["END"],
        maxOutputTokens: 50,
        frequencyPenalty: 0.1,
        presencePenalty: 0.2
      }
      yield* Effect.promise(() => Promise.resolve(provider(model).doGenerate(options as never)))
      assert.deepStrictEqual(ours(), asked[0])
    })
  )

  it.live("is what Cohere's own SDK sends for the same conversation", () =>
    Effect.gen(function* () {
      const asked: Array<JsonObject> = []
      const client = new CohereClientV2({ token: "k", fetch: fetching(answer, "application/json", asked) })
      yield* Effect.promise(() =>
        client.chat({
          model,
          messages: [
            { role: "system", content: "Be brief." },
            { role: "user", content: "Weather?" },
            { role: "assistant", toolCalls: [called] },
            { role: "tool", toolCallId: "weather_1", content: "sunny" }
          ],
          tools: [{ type: "function", function: { name: "weather", description: "W", parameters } }],
          toolChoice: "REQUIRED",
          responseFormat: { type: "json_object", jsonSchema: schema },
          temperature: 0.2,
          p: 0.9,
          k: 5,
          seed: 7,
          stopSequences: ["END"],
          maxTokens: 50,
          frequencyPenalty: 0.1,
          presencePenalty: 0.2
        })
      )
      assert.deepStrictEqual(ours(), withoutStream(asked[0]!))
    })
  )
})

const withoutStream = ({ stream: _, ...rest }: JsonObject): JsonObject => rest

describe.skipIf(!hasData)("recorded answers of Cohere", () => {
  it.live("are read as the AI SDK and Cohere's own read them, whole and streamed", () =>
    Effect.gen(function* () {
      let read = 0
      for (const { name, request, response, streamed } of loadFamily("cohere.v2_chat")) {
        const type = streamed ? "text/event-stream" : "application/json"
        const call = callOf({ ...request.body, stream: streamed }, cohere)
        const decoder = serverSentEvents.decoder()
        const lifter = CohereChat.stream(call)
        const lifted = streamed
          ? completionOf([...decoder.push(response.bytes), ...decoder.end()].flatMap((event) => lifter.push(event)))
          : Result.getOrThrow(CohereChat.lift(Buffer.from(response.bytes).toString(), call))
        const [choice] = lifted.body["choices"] as ReadonlyArray<JsonObject>
        const message = choice!["message"] as JsonObject
        const client = new CohereClientV2({ token: "k", fetch: fetching(response.bytes, type) })
        const own = yield* Effect.promise(async () => {
          const asked = { model, messages: [{ role: "user" as const, content: "Hi" }] }
          if (!streamed) {
            const { finishReason, message: said, usage } = await client.chat(asked)
            const texts = said.content?.map((part) => (part.type === "text" ? part.text : "")) ?? []
            return { text: texts.join(""), plan: said.toolPlan, calls: said.toolCalls, finishReason, usage }
          }
          let text = ""
          let end: { finishReason?: unknown; usage?: { billedUnits?: object } } = {}
          for await (const event of await client.chatStream(asked)) {
            if (event.type === "content-delta") text += event.delta?.message?.content?.text ?? ""
            if (event.type === "message-end") end = (event.delta ?? {}) as typeof end
          }
          return { text, plan: undefined, calls: undefined, ...end }
        })
        assert.strictEqual(message["content"] ?? "", own.text, name)
        if (own.plan !== undefined) assert.strictEqual(message["reasoning_content"], own.plan, name)
        assert.deepStrictEqual(message["tool_calls"] ?? [], own.calls ?? [], name)
        const words = { COMPLETE: "stop", STOP_SEQUENCE: "stop", TOOL_CALL: "tool_calls", MAX_TOKENS: "length" }
        assert.strictEqual(choice!["finish_reason"], words[own.finishReason as keyof typeof words], name)
        assert.deepInclude(own.usage?.billedUnits, {
          inputTokens: lifted.usage?.input,
          outputTokens: lifted.usage?.output
        })
        // The AI SDK can't read citations of tools.
        if (!streamed && message["citations"] === undefined) {
          const provider = createCohere({ apiKey: "k", fetch: fetching(response.bytes, type) })
          const prompt = [{ role: "user", content: [{ type: "text", text: "Hi" }] }]
          const theirs = yield* Effect.promise(() => Promise.resolve(provider(model).doGenerate({ prompt } as never)))
          const said = (kind: string) =>
            theirs.content.flatMap((part) => (part.type === kind && "text" in part ? [part.text] : [])).join("")
          assert.strictEqual(message["content"] ?? "", said("text"), name)
          if (own.plan === undefined) assert.strictEqual(message["reasoning_content"] ?? "", said("reasoning"), name)
          const { tokens } = lifted.body["usage"] as { readonly tokens: JsonObject }
          assert.strictEqual(tokens["input_tokens"], theirs.usage.inputTokens.total, name)
          assert.strictEqual(tokens["output_tokens"], theirs.usage.outputTokens.total, name)
        }
        read++
      }
      assert.isAtLeast(read, 16)
    })
  )
})
