/** What Ollama's own SDK makes of the same conversation and the same answers. */
import { Ollama } from "ollama"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import { completionOf } from "../openai/Completion.ts"
import { jsonLines } from "../../../../src/providers/framing/Lines.ts"
import { OllamaChat } from "../../../../src/providers/protocols/ollama/OllamaProtocol.ts"
import { hasData, loadFamily, sayWhenMissing } from "../../../support/Transcripts.ts"
import { callOf } from "../openai/Support.ts"

sayWhenMissing("second opinions on recorded answers of Ollama")

const ollama = { vendor: "ollama", protocol: "ollama-chat", model: "qwen3" }

/** The SDK over a provider that gives this answer; `asked` holds what it sent. */
const sdkOver = (bytes: Uint8Array, asked: Array<JsonObject> = []): Ollama =>
  new Ollama({
    fetch: (async (_: unknown, init?: { readonly body?: unknown }) => {
      asked.push(JSON.parse(String(init?.body)) as JsonObject)
      return new Response(Buffer.from(bytes))
    }) as never
  })

describe("a request to Ollama", () => {
  it.live("is what its own SDK sends for the same conversation", () =>
    Effect.gen(function* () {
      const parameters = { type: "object", properties: { city: { type: "string" } } }
      const schema = { type: "object", properties: { sunny: { type: "boolean" } } }
      const asked: Array<JsonObject> = []
      const answer = Buffer.from(JSON.stringify({ message: { role: "assistant", content: "ok" }, done: true }))
      yield* Effect.promise(() =>
        sdkOver(answer, asked).chat({
          model: "qwen3",
          messages: [
            { role: "system", content: "Be brief." },
            { role: "user", content: "What is it?", images: ["aGk="] },
            {
              role: "assistant",
              content: "",
              thinking: "Hm.",
              tool_calls: [{ function: { name: "weather", arguments: { city: "Paris" } } }]
            },
            { role: "tool", content: "sunny", tool_name: "weather" }
          ],
          tools: [{ type: "function", function: { name: "weather", description: "W", parameters } }],
          format: schema,
          think: true,
          stream: false,
          options: { num_ctx: 8_192, num_predict: 50, temperature: 0.2, top_p: 0.9, seed: 7, stop: ["END"] }
        })
      )
      const call = callOf(
        {
          messages: [
            { role: "developer", content: "Be brief." },
            {
              role: "user",
              content: [
                { type: "text", text: "What is it?" },
                { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }
              ]
            },
            {
              role: "assistant",
              content: null,
              reasoning_content: "Hm.",
              tool_calls: [{ id: "c", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } }]
            },
            { role: "tool", tool_call_id: "c", content: "sunny" }
          ],
          tools: [{ type: "function", function: { name: "weather", description: "W", parameters } }],
          response_format: { type: "json_schema", json_schema: { name: "s", schema } },
          reasoning_effort: "high",
          max_tokens: 50,
          temperature: 0.2,
          top_p: 0.9,
          seed: 7,
          stop: ["END"]
        },
        { ...ollama, contextWindow: 8_192 }
      )
      assert.deepStrictEqual(JSON.parse(Result.getOrThrow(OllamaChat.lower(call)).body), asked[0])
    })
  )
})

describe.skipIf(!hasData)("recorded answers of Ollama", () => {
  it.live("are read as its own SDK reads them, whole and streamed", () =>
    Effect.gen(function* () {
      for (const { name, request, response, streamed } of loadFamily("ollama.api_chat")) {
        const call = callOf({ ...request.body, stream: streamed }, ollama)
        const decoder = jsonLines.decoder()
        const lifter = OllamaChat.stream(call)
        const lifted = streamed
          ? completionOf([...decoder.push(response.bytes), ...decoder.end()].flatMap((event) => lifter.push(event)))
          : Result.getOrThrow(OllamaChat.lift(Buffer.from(response.bytes).toString(), call))
        const theirs = yield* Effect.promise(async () => {
          const body = { model: "m", messages: [] }
          if (!streamed) return sdkOver(response.bytes).chat({ ...body, stream: false })
          let content = ""
          let last
          for await (const part of await sdkOver(response.bytes).chat({ ...body, stream: true })) {
            content += part.message.content
            last = part
          }
          return { ...last!, message: { ...last!.message, content } }
        })
        const [choice] = lifted.body["choices"] as ReadonlyArray<JsonObject>
        assert.strictEqual((choice!["message"] as JsonObject)["content"], theirs.message.content, name)
        assert.strictEqual(choice!["finish_reason"], theirs.done_reason, name)
        assert.strictEqual(lifted.usage?.input, theirs.prompt_eval_count, name)
        assert.strictEqual(lifted.usage?.output, theirs.eval_count, name)
      }
    })
  )
})
