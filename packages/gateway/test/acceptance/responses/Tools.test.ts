/** Tools of a response: those of the caller at models that only know functions, and those that run at a vendor. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, upstream } from "../../support/Upstream.ts"
import { response } from "./Wire.ts"

const toolCall = (id: string, name: string, args: string) => ({
  id,
  type: "function",
  function: { name, arguments: args }
})

/** `chat/m` has chat alone, `up/gpt-5-mini` has Responses. */
const facing = Effect.fnUntraced(function* (calls: ReadonlyArray<object> = [], budget?: number) {
  const { asked, baseUrl } = yield* upstream(({ path }) => {
    if (path.endsWith("/responses")) return { body: response("Hello") }
    if (calls.length === 0) return { body: completion("Hello") }
    const message = { role: "assistant", content: null, tool_calls: calls }
    return { body: completion("", { choices: [{ index: 0, message, finish_reason: "tool_calls" }] }) }
  })
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { vendor: openai, base_url: "${baseUrl}", api_key: none }
  chat: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }
deployments:
  - { provider: up, model: gpt-5-mini, price: { input: 1, output: 2, web_search: 0.01 }, context_window: 100000 }
  - { provider: chat, model: m, price: { input: 1, output: 2 }, context_window: 100000 }
`
  })
  const { secret } = yield* gateway.createKey(
    budget === undefined ? {} : { budgets: [{ limit: budget * 1e9, window: "total", timeZone: "UTC" }] }
  )
  const ask = (fields: object, headers: Record<string, string> = {}) =>
    call(gateway.url, {
      path: "/v1/responses",
      key: secret,
      headers,
      body: { model: "chat/m", input: "Hi", ...fields }
    })
  return { ...gateway, asked, ask }
})

const lark = { type: "grammar", syntax: "lark", definition: 'start: "a"+' }
const send = { type: "function", name: "send", description: "Sends", parameters: { type: "object", properties: {} } }
const mail = { type: "namespace", name: "mail", description: "Mail", tools: [send] }
const patch = { type: "custom", name: "apply_patch", description: "Patches", format: lark }

describe("tools of the caller at a model that has chat", () => {
  it.live("namespaces and custom tools go down as functions and come back as what they were", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* facing([
        toolCall("call_1", "mail__send", '{"to":"Ann"}'),
        toolCall("call_2", "apply_patch", '{"input":"a\\na"}'),
        toolCall("call_3", "send", "{}")
      ])
      const { json } = yield* ask({ tools: [mail, patch, send] })
      assert.deepStrictEqual(
        asked[0]!.body.tools.map((tool: { function: { name: string } }) => tool.function.name),
        ["mail__send", "apply_patch", "send"]
      )
      assert.include(asked[0]!.body.tools[1].function.description, 'start: "a"+')
      assert.deepStrictEqual(asked[0]!.body.tools[1].function.parameters.required, ["input"])
      assert.deepStrictEqual(
        json.output.map(({ id: _, ...item }: { id: string }) => item),
        [
          {
            type: "function_call",
            call_id: "call_1",
            name: "send",
            namespace: "mail",
            arguments: '{"to":"Ann"}',
            status: "completed"
          },
          { type: "custom_tool_call", call_id: "call_2", name: "apply_patch", input: "a\na", status: "completed" },
          { type: "function_call", call_id: "call_3", name: "send", arguments: "{}", status: "completed" }
        ]
      )
    })
  )

  it.live("a whole turn goes back as one message with its results behind it", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* facing()
      const picture = "data:image/png;base64,AAAA"
      yield* ask({
        instructions: "Be brief.",
        tools: [mail, patch],
        input: [
          { role: "user", content: [{ type: "input_text", text: "Go" }] },
          { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "of somebody else" },
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "I will." }] },
          { type: "function_call", call_id: "1", name: "send", namespace: "mail", arguments: '{"to":"Ann"}' },
          { type: "custom_tool_call", call_id: "2", name: "apply_patch", input: "aa" },
          { type: "function_call_output", call_id: "1", output: [{ type: "input_image", image_url: picture }] },
          { type: "custom_tool_call_output", call_id: "2", output: [{ type: "input_text", text: "done" }] }
        ]
      })
      assert.deepStrictEqual(asked[0]!.body.messages, [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Go" },
        {
          role: "assistant",
          content: "I will.",
          tool_calls: [toolCall("1", "mail__send", '{"to":"Ann"}'), toolCall("2", "apply_patch", '{"input":"aa"}')]
        },
        { role: "tool", tool_call_id: "1", content: "The result is in the message below." },
        { role: "tool", tool_call_id: "2", content: "done" },
        {
          role: "user",
          content: [
            { type: "text", text: "From the result of the call 1:" },
            { type: "image_url", image_url: { url: picture } }
          ]
        }
      ])
    })
  )

  it.live("tools that are given among the items count, and what is no setting of chat is named", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* facing([toolCall("1", "late", "{}")])
      const late = { type: "function", name: "late", parameters: { type: "object", properties: {} } }
      const { headers, json } = yield* ask({
        input: [
          { role: "user", content: "Hi" },
          { type: "additional_tools", role: "developer", tools: [late, { type: "web_search" }] }
        ],
        prompt_cache_key: "k",
        store: false,
        client_metadata: { a: "b" },
        text: { verbosity: "low" },
        reasoning: { effort: "low", summary: "auto" },
        include: ["reasoning.encrypted_content"]
      })
      assert.strictEqual(json.output[0].name, "late")
      assert.strictEqual(headers["x-gateway-dropped-params"], "text.verbosity,tools.web_search")
      assert.deepStrictEqual(Object.keys(asked[0]!.body).sort(), ["messages", "model", "reasoning_effort", "tools"])
    })
  )

  it.live("a choice of one tool, of some tools, and of none", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* facing()
      const tools = [mail, patch]
      yield* ask({ tools, tool_choice: { type: "function", name: "send", namespace: "mail" } })
      assert.deepStrictEqual(asked[0]!.body.tool_choice, { type: "function", function: { name: "mail__send" } })
      yield* ask({
        tools,
        tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "custom", name: "apply_patch" }] }
      })
      assert.lengthOf(asked[1]!.body.tools, 1)
      assert.strictEqual(asked[1]!.body.tool_choice, "required")
      const wrong = yield* ask({ tools, tool_choice: { type: "function", name: "nobody" } })
      assert.strictEqual(wrong.json.error.param, "tool_choice")
    })
  )
})

describe("tools that run at a vendor", () => {
  const search = { type: "web_search" }

  it.live("are left out and named elsewhere, and refused where they matter", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* facing()
      const { headers, status } = yield* ask({ tools: [search, send] })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["x-gateway-dropped-params"], "tools.web_search")
      assert.lengthOf(asked[0]!.body.tools, 1)
      const strict = yield* ask({ tools: [send, search] }, { "x-gateway-strict": "1" })
      assert.deepInclude(strict.json.error, { param: "tools[1]" })
      for (const choice of [{ type: "web_search" }, "required"]) {
        const forced = yield* ask({ tools: [search], tool_choice: choice })
        assert.strictEqual(forced.status, 400)
        assert.strictEqual(forced.json.error.param, "tool_choice")
      }
      assert.lengthOf(asked, 1)
    })
  )

  it.live("pass where they are, limited where a budget needs it", () =>
    Effect.gen(function* () {
      const free = yield* facing()
      yield* free.ask({ model: "up/gpt-5-mini", tools: [search] })
      assert.deepStrictEqual(free.asked[0]!.body.tools, [search])
      assert.notProperty(free.asked[0]!.body, "max_tool_calls")
      const { ask, asked } = yield* facing([], 100)
      const answer = yield* ask({ model: "up/gpt-5-mini", tools: [search], max_output_tokens: 100 })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.isAtLeast(asked[0]!.body.max_tool_calls, 1)
      yield* ask({ model: "up/gpt-5-mini", tools: [search], max_output_tokens: 100, max_tool_calls: 1 })
      assert.strictEqual(asked[1]!.body.max_tool_calls, 1)
      const pictures = yield* ask({ model: "up/gpt-5-mini", tools: [{ type: "image_generation" }] })
      assert.strictEqual(pictures.json.error.code, "cost_unbounded")
      assert.strictEqual(pictures.json.error.param, "tools[0]")
    })
  )
})
