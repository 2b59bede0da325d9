/** Tool loops, failover and failures of Anthropic's own client before a deployment that speaks chat completions. */
import Anthropic from "@anthropic-ai/sdk"
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema"
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../../support/Upstream.ts"
import { rejected, resolved } from "../Promised.ts"
import { before, claude } from "./Claude.ts"

const request = { model: "up/m", max_tokens: 100, messages: [{ role: "user" as const, content: "Hi" }] }

describe("the Messages API before a chat deployment, in use", () => {
  it.live("the client's tool runner and its structured answers work", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* before("openai-chat", (_, number) => ({
        body:
          number === 0
            ? completion("", {
                choices: [
                  {
                    index: 0,
                    finish_reason: "tool_calls",
                    message: {
                      role: "assistant",
                      content: null,
                      tool_calls: ["Oslo", "Rome"].map((city, index) => ({
                        id: `call_${index}`,
                        type: "function",
                        function: { name: "weather", arguments: JSON.stringify({ city }) }
                      }))
                    }
                  }
                ]
              })
            : completion('{"sunny":true}')
      }))
      const tool = betaTool({
        name: "weather",
        description: "The weather in a city",
        inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        run: ({ city }) => `sunny in ${city}`
      })
      const last = yield* resolved(() => client.beta.messages.toolRunner({ ...request, tools: [tool] }))
      assert.strictEqual(last.stop_reason, "end_turn")
      assert.deepStrictEqual(asked[1]?.body.messages.slice(-2), [
        { role: "tool", tool_call_id: "call_0", content: "sunny in Oslo" },
        { role: "tool", tool_call_id: "call_1", content: "sunny in Rome" }
      ])
      const properties = { sunny: { type: "boolean" } } as const
      const schema = { type: "object", properties, required: ["sunny"], additionalProperties: false } as const
      const parsed = yield* resolved(() =>
        client.messages.parse({ ...request, output_config: { format: jsonSchemaOutputFormat(schema) } })
      )
      assert.deepStrictEqual(parsed.parsed_output, { sunny: true })
      assert.strictEqual(asked[2]?.body.response_format.type, "json_schema")
    })
  )

  it.live("a provider that fails before its first word is replaced, across the two APIs", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* upstream(({ path }) =>
        path.endsWith("/messages") ? { status: 529, body: {} } : { body: completionEvents("Hello") }
      )
      const { createKey, url } = yield* startGateway({
        yaml: `
providers:
  one: { protocol: anthropic-messages, base_url: "${baseUrl}", api_key: none }
  two: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }
deployments: [{ provider: one, model: m }, { provider: two, model: m }]
models: { both: [one/m, two/m] }
failover: { base_delay: 1ms }
`
      })
      const { secret } = yield* createKey()
      const stream = claude(url, secret).messages.stream({ ...request, model: "both" })
      const final = yield* resolved(() => stream.finalMessage())
      assert.deepInclude(final.content[0], { type: "text", text: "Hello" })
      assert.strictEqual(stream.response?.headers.get("x-gateway-decision"), "two/m")
    })
  )

  it.live("what a model can't be given is refused, and what it need not have is refused on request", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* before("openai-chat", () => ({ body: completion("Hello") }))
      const refused = (fields: object, headers = {}) =>
        Effect.map(
          rejected(() => client.post("/v1/messages", { body: { ...request, ...fields }, headers })),
          (error) => {
            assert.instanceOf(error, Anthropic.BadRequestError)
            return Reflect.get(Reflect.get(error.error as object, "error"), "param")
          }
        )
      const file = { type: "image", source: { type: "file", file_id: "file_1" } }
      const say = (block: object) => ({ messages: [{ role: "user", content: [block] }] })
      assert.strictEqual(yield* refused(say(file)), "messages[0].content[0].source")
      assert.strictEqual(yield* refused(say({ type: "hologram" })), "messages[0].content[0]")
      assert.strictEqual(yield* refused({ max_tokens: 0 }), "max_tokens")
      const strict = { "x-gateway-strict": "1" }
      assert.strictEqual(yield* refused({ top_k: 3 }, strict), "top_k")
      const tools = [{ type: "web_search_20250305", name: "web_search" }]
      assert.strictEqual(yield* refused({ tools }, strict), "tools[0]")
      assert.lengthOf(asked, 0)
    })
  )

  it.live("a stream that breaks off after its first word is an error, and is booked as an estimate", () =>
    Effect.gen(function* () {
      const { client, ledger } = yield* before("openai-chat", () => ({
        body: completionEvents("Hel", "lo").slice(0, 2),
        ending: "reset"
      }))
      const error = yield* rejected(() => client.messages.stream(request).finalMessage())
      assert.instanceOf(error, Anthropic.APIError)
      const [row] = yield* ledger
      assert.deepInclude(row, { status: "settled", estimated: 1 })
      assert.isAbove(row?.output ?? 0, 0)
    })
  )
})
