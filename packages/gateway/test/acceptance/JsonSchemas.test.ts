/** Answers that follow a JSON schema, from servers that know no such thing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type OpenAI from "openai"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { type Asked, completion, completionEvents, event, type Reply, upstream, usage } from "../support/Upstream.ts"

const schema = {
  type: "object",
  properties: { city: { type: "string" }, warm: { type: "boolean" } },
  required: ["city", "warm"],
  additionalProperties: false
}
const response_format = { type: "json_schema", json_schema: { name: "weather", strict: true, schema } }
const answer = '{"city":"Rome","warm":true}'

interface Call {
  readonly name: string
  readonly arguments: string
}

/** A server's answer with these calls. */
const calling = (calls: ReadonlyArray<Call>, content: string | null = null) =>
  completion("", {
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        logprobs: null,
        message: {
          role: "assistant",
          content,
          tool_calls: calls.map((one, index) => ({ id: `call_${index}`, type: "function", function: one }))
        }
      }
    ]
  })

const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_760_000_000, model: "m" }
const chunk = (delta: object, finish: string | null = null) =>
  event({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })

const callingEvents = (calls: ReadonlyArray<Call>, content = ""): ReadonlyArray<string> => [
  chunk({ role: "assistant", content: null }),
  ...(content === "" ? [] : [chunk({ content })]),
  ...calls.flatMap(({ arguments: given, name }, index) => [
    chunk({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name, arguments: "" } }] }),
    ...[given.slice(0, 5), given.slice(5)].map((piece) =>
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
    )
  ]),
  chunk({}, "tool_calls"),
  event({ ...head, choices: [], usage }),
  "data: [DONE]\n\n"
]

const over = Effect.fnUntraced(function* (script: (asked: Asked, number: number) => Reply) {
  const up = yield* upstream(script)
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none }
deployments:
  - { provider: up, model: tool, json_schema: tool }
  - { provider: up, model: words, json_schema: json_mode }
  - { provider: up, model: native }
`
  })
  const { secret } = yield* gateway.createKey()
  const post = (model: string, fields: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      headers,
      body: { model: `up/${model}`, messages: [{ role: "user", content: "Weather?" }], response_format, ...fields }
    })
  return { client: gateway.client(secret), post, up }
})

const own = { type: "function", function: { name: "lookup", parameters: { type: "object" } } }

describe("a JSON schema at a server that has none", () => {
  it.live("is a tool that has to be called, and its arguments are the answer", () =>
    Effect.gen(function* () {
      const { post, up } = yield* over(() => ({ body: calling([{ name: "json", arguments: answer }], "Let me see.") }))
      const { headers, json, status, text } = yield* post("tool")
      assert.strictEqual(status, 200, text)
      assert.strictEqual(json.choices[0].message.content, answer)
      assert.strictEqual(json.choices[0].finish_reason, "stop")
      assert.notProperty(json.choices[0].message, "tool_calls")
      assert.isUndefined(headers["x-gateway-dropped-params"])
      const { body } = up.asked[0]!
      assert.notProperty(body, "response_format")
      assert.deepStrictEqual(body.tool_choice, { type: "function", function: { name: "json" } })
      assert.deepStrictEqual(body.tools[0].function.parameters, schema)
    })
  )

  it.live("streams the arguments as content, and finishes with stop", () =>
    Effect.gen(function* () {
      const { client, post } = yield* over(() => ({
        body: callingEvents([{ name: "json", arguments: answer }], "Let me see.")
      }))
      const stream = yield* Effect.promise(() =>
        client.chat.completions
          .stream({
            model: "up/tool",
            messages: [{ role: "user", content: "Weather?" }],
            response_format: response_format as OpenAI.ResponseFormatJSONSchema
          })
          .finalChatCompletion()
      )
      assert.strictEqual(stream.choices[0]?.message.content, answer)
      assert.strictEqual(stream.choices[0]?.finish_reason, "stop")
      const { text } = yield* post("tool", { stream: true })
      assert.notInclude(text, "tool_calls")
      assert.notInclude(text, "Let me see")
    })
  )

  it.live("leaves the caller's own tools callable beside it, and their calls are what they are", () =>
    Effect.gen(function* () {
      const lookup = { name: "lookup", arguments: '{"q":"Rome"}' }
      const { post, up } = yield* over(({ body }) => ({
        body: body.stream === true ? callingEvents([lookup]) : calling([lookup])
      }))
      const { json } = yield* post("tool", { tools: [own] })
      assert.strictEqual(json.choices[0].finish_reason, "tool_calls")
      assert.strictEqual(json.choices[0].message.tool_calls[0].function.name, "lookup")
      const streamed = yield* post("tool", { tools: [own], stream: true })
      assert.include(streamed.text, '"finish_reason":"tool_calls"')
      assert.include(streamed.text, "lookup")
      for (const { body } of up.asked) {
        assert.strictEqual(body.tool_choice, "required")
        assert.lengthOf(body.tools, 2)
      }
    })
  )

  it.live("has another name where the caller has a tool of that name, and none where a call is demanded", () =>
    Effect.gen(function* () {
      const { post, up } = yield* over(() => ({ body: calling([{ name: "json_answer", arguments: answer }]) }))
      const named = { type: "function", function: { name: "json", parameters: { type: "object" } } }
      assert.strictEqual((yield* post("tool", { tools: [named] })).json.choices[0].message.content, answer)
      assert.strictEqual(up.asked[0]?.body.tools[1].function.name, "json_answer")
      yield* post("tool", { tools: [own], tool_choice: "required" })
      assert.lengthOf(up.asked[1]?.body.tools, 1)
      assert.notProperty(up.asked[1]?.body, "response_format")
    })
  )

  it.live("says what the model said where it did not call the tool", () =>
    Effect.gen(function* () {
      const { post } = yield* over(({ body }) => ({
        body: body.stream === true ? completionEvents("I ", "can't.") : completion("I can't.")
      }))
      const whole = yield* post("tool")
      assert.strictEqual(whole.json.choices[0].message.content, "I can't.")
      assert.strictEqual(whole.json.choices[0].finish_reason, "stop")
      const { text } = yield* post("tool", { stream: true })
      assert.include(text, `"content":"I can't."`)
      assert.include(text, "[DONE]")
    })
  )

  it.live("is put into words for a JSON mode, which is told, or refused where the caller is strict", () =>
    Effect.gen(function* () {
      const { post, up } = yield* over(() => ({ body: completion(answer) }))
      const { headers, json } = yield* post("words", {
        messages: [
          { role: "system", content: "Be brief" },
          { role: "user", content: "Weather?" }
        ]
      })
      assert.strictEqual(json.choices[0].message.content, answer)
      assert.strictEqual(headers["x-gateway-dropped-params"], "response_format.json_schema")
      const { body } = up.asked[0]!
      assert.deepStrictEqual(body.response_format, { type: "json_object" })
      assert.deepStrictEqual(
        body.messages.map(({ role }: { role: string }) => role),
        ["system", "system", "user"]
      )
      assert.include(body.messages[1].content, JSON.stringify(schema))
      const strict = yield* post("words", {}, { "x-gateway-strict": "1" })
      assert.strictEqual(strict.status, 400)
      assert.strictEqual(strict.json.error.param, "response_format")
      assert.lengthOf(up.asked, 1)
    })
  )

  it.live("is not touched at a server that has it", () =>
    Effect.gen(function* () {
      const { post, up } = yield* over(() => ({ body: completion(answer) }))
      yield* post("native")
      assert.deepStrictEqual(up.asked[0]?.body.response_format, response_format)
      assert.notProperty(up.asked[0]?.body, "tools")
    })
  )
})
