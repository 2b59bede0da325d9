/** Anthropic's own client, unchanged, before a deployment that speaks chat completions. */
import type Anthropic from "@anthropic-ai/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, completionEvents, event } from "../../support/Upstream.ts"
import { resolved } from "../Promised.ts"
import { before, claude } from "./Claude.ts"

const request = { model: "up/m", max_tokens: 100, messages: [{ role: "user" as const, content: "Hi" }] }

const older = { temperature: 0.5, top_k: 5 }

const weather = (city: object) => ({
  name: "weather",
  description: "The weather in a city",
  input_schema: { type: "object" as const, properties: { city } }
})

/** The events of a stream, by their names and data. */
const eventsIn = (text: string) =>
  text
    .split("\n\n")
    .filter((one) => one !== "")
    .map((one) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(one) ?? []
      return { name, data: JSON.parse(data ?? "null") }
    })

const head = { id: "chatcmpl-7", object: "chat.completion.chunk", created: 1, model: "m" }
const chunk = (delta: object, finish: string | null = null) =>
  event({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })

const callPiece = (index: number, more: object) => chunk({ tool_calls: [{ index, ...more }] })

describe("the Messages API before a chat deployment", () => {
  it.live("the demo provider answers, by `auto`", () =>
    Effect.gen(function* () {
      const { createKey, ledger, url } = yield* startGateway()
      const { secret } = yield* createKey()
      const { data, response } = yield* resolved(() =>
        claude(url, secret)
          .messages.create({ ...request, model: "auto", messages: [{ role: "user", content: "Say hello" }] })
          .withResponse()
      )
      assert.include(JSON.stringify(data.content), "Say hello")
      assert.deepInclude({ ...data }, { type: "message", role: "assistant", stop_reason: "end_turn", model: "mini" })
      assert.match(data.id, /^msg_[\w-]+$/)
      assert.strictEqual(response.headers.get("x-gateway-route-bucket"), "simple")
      const [row] = yield* ledger
      assert.strictEqual(Reflect.get(data.usage, "cost"), (row?.cost ?? 0) / 1e9)
      assert.strictEqual(data.usage.output_tokens, row?.output)
    })
  )

  it.live("the whole request is translated", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* before("openai-chat", () => ({ body: completion("Hello") }))
      const image = { type: "base64" as const, media_type: "image/png" as const, data: "iVBORw0KGgo=" }
      const { data: answer, response } = yield* resolved(() =>
        client.messages
          .create({
            model: "claude-sonnet-5",
            max_tokens: 100,
            system: [
              { type: "text", text: "x-anthropic-billing-header: cc_version=1;" },
              { type: "text", text: "Be brief", cache_control: { type: "ephemeral" } }
            ],
            messages: [
              {
                role: "user",
                content: [
                  { type: "text", text: "Weather?" },
                  { type: "image", source: image }
                ]
              },
              {
                role: "assistant",
                content: [
                  { type: "thinking", thinking: "Both.", signature: "model-gateway:reasoning_content" },
                  { type: "text", text: "I look." },
                  { type: "tool_use", id: "call_1", name: "weather", input: { city: "Oslo" } },
                  { type: "tool_use", id: "call_2", name: "weather", input: { city: "Rome" } }
                ]
              },
              {
                role: "user",
                content: [
                  { type: "tool_result", tool_use_id: "call_1", content: "sunny" },
                  {
                    type: "tool_result",
                    tool_use_id: "call_2",
                    is_error: true,
                    content: [
                      { type: "text", text: "no data" },
                      { type: "image", source: image }
                    ]
                  },
                  {
                    type: "document",
                    title: "Notes",
                    source: { type: "text", media_type: "text/plain", data: "It rains" }
                  },
                  { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } }
                ]
              }
            ],
            tools: [weather({ type: "string" })],
            tool_choice: { type: "any", disable_parallel_tool_use: true },
            stop_sequences: ["END"],
            // Fields of the version of 2023.
            ...older,
            thinking: { type: "enabled", budget_tokens: 20 },
            metadata: { user_id: "u1" },
            output_config: { format: { type: "json_schema", schema: { type: "object" } } }
          })
          .withResponse()
      )
      assert.strictEqual(response.headers.get("x-gateway-dropped-params"), "top_k")
      const url = "data:image/png;base64,iVBORw0KGgo="
      assert.strictEqual(asked[0]?.path, "/v1/chat/completions")
      assert.deepStrictEqual(asked[0]?.body, {
        model: "m",
        max_tokens: 100,
        temperature: 0.5,
        messages: [
          { role: "system", content: "Be brief" },
          {
            role: "user",
            content: [
              { type: "text", text: "Weather?" },
              { type: "image_url", image_url: { url } }
            ]
          },
          {
            role: "assistant",
            content: "I look.",
            reasoning_content: "Both.",
            tool_calls: ["Oslo", "Rome"].map((city, index) => ({
              id: `call_${index + 1}`,
              type: "function",
              function: { name: "weather", arguments: JSON.stringify({ city }) }
            }))
          },
          { role: "tool", tool_call_id: "call_1", content: "sunny" },
          { role: "tool", tool_call_id: "call_2", content: "Error: no data" },
          {
            role: "user",
            content: [
              { type: "image_url", image_url: { url } },
              { type: "text", text: "Notes\nIt rains" },
              { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } }
            ]
          }
        ],
        tools: [
          {
            type: "function",
            function: {
              name: "weather",
              description: "The weather in a city",
              parameters: { type: "object", properties: { city: { type: "string" } } }
            }
          }
        ],
        tool_choice: "required",
        parallel_tool_calls: false,
        stop: ["END"],
        reasoning_effort: "low",
        response_format: {
          type: "json_schema",
          json_schema: { name: "answer", schema: { type: "object" }, strict: true }
        },
        user: "u1"
      })
      assert.deepStrictEqual(answer.content, [
        { type: "text", text: "Hello" }
      ] as unknown as Array<Anthropic.ContentBlock>)
      assert.deepInclude({ ...answer.usage } as object, {
        input_tokens: 12,
        output_tokens: 4,
        cost: (12 * 1_000 + 4 * 5_000) / 1e9
      })
    })
  )

  it.live("a stream has the vendor's events in the vendor's order", () =>
    Effect.gen(function* () {
      const { client } = yield* before("openai-chat", () => ({ body: completionEvents("Hel", "lo") }))
      const response = yield* resolved(() => client.messages.create({ ...request, stream: true }).asResponse())
      const events = eventsIn(yield* resolved(() => response.text()))
      assert.isTrue(events.every(({ data, name }) => data.type === name))
      assert.deepStrictEqual(
        events.map(({ name }) => name),
        [
          "message_start",
          "content_block_start",
          "content_block_delta",
          "content_block_delta",
          "content_block_stop",
          "message_delta",
          "message_stop"
        ]
      )
      // The provider's count comes last: until then it is an estimate by the request's length.
      const bytes = JSON.stringify({ ...request, stream: true }).length
      assert.strictEqual(events[0]!.data.message.usage.input_tokens, Math.ceil(bytes / 3.5))
      const { data } = events[5]!
      assert.deepStrictEqual(data.delta, { stop_reason: "end_turn", stop_sequence: null })
      assert.deepInclude(data.usage, { input_tokens: 12, output_tokens: 4, cost: (12 * 1_000 + 4 * 5_000) / 1e9 })
      assert.strictEqual(data.gateway.decision, "up/m")
    })
  )

  it.live("thoughts, text and calls that come mixed are blocks one after another", () =>
    Effect.gen(function* () {
      const usage = { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 }
      const { client } = yield* before("openai-chat", () => ({
        body: [
          chunk({ role: "assistant", content: "" }),
          chunk({ reasoning_content: "Hm" }),
          chunk({ reasoning_content: "m." }),
          chunk({ content: "I look." }),
          callPiece(0, { id: "functions.weather:0", type: "function", function: { name: "weather", arguments: "" } }),
          callPiece(1, { id: "c2", type: "function", function: { name: "weather", arguments: '{"city":' } }),
          callPiece(0, { function: { arguments: '{"city":"Oslo"}' } }),
          callPiece(1, { function: { arguments: '"Rome"}' } }),
          chunk({}, "tool_calls"),
          event({ ...head, choices: [], usage }),
          "data: [DONE]\n\n"
        ]
      }))
      const final = yield* resolved(() => client.messages.stream(request).finalMessage())
      assert.strictEqual(final.stop_reason, "tool_use")
      assert.strictEqual(final.usage.input_tokens, 12)
      assert.deepStrictEqual(final.content as unknown, [
        { type: "thinking", thinking: "Hmm.", signature: "model-gateway:reasoning_content" },
        { type: "text", text: "I look." },
        {
          type: "tool_use",
          id: `gw_${Buffer.from("functions.weather:0").toString("base64url")}`,
          name: "weather",
          input: { city: "Oslo" }
        },
        { type: "tool_use", id: "c2", name: "weather", input: { city: "Rome" } }
      ])
    })
  )

  it.live("a server that answers a stream request with one completion is streamed all the same", () =>
    Effect.gen(function* () {
      const { client } = yield* before("openai-chat", () => ({ body: completion("Hello") }))
      const final = yield* resolved(() => client.messages.stream(request).finalMessage())
      assert.deepInclude(final.content[0], { type: "text", text: "Hello" })
      assert.strictEqual(final.usage.output_tokens, 4)
    })
  )
})
