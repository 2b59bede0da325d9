/** Conversations that another model began, or that are written as another vendor's API takes them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { completion } from "../../support/Upstream.ts"
import { candidate, hi, message, moving, response } from "./Moving.ts"

const ok = () => ({ body: completion("ok") })
const schema = { type: "object" }
const whole = { type: "object", properties: {} }

describe("the schema of a tool without arguments", () => {
  it.live("reaches OpenAI's chat with `properties`, from Messages and from chat", () =>
    Effect.gen(function* () {
      const { asked, chat, messages } = yield* moving("vendor: openai", "gpt-4.1", ok)
      yield* messages({ messages: [hi], tools: [{ name: "list", input_schema: schema }] })
      yield* chat({ messages: [hi], tools: [{ type: "function", function: { name: "list", parameters: schema } }] })
      yield* chat({ messages: [hi], tools: [{ type: "function", function: { name: "list", parameters: {} } }] })
      for (const { body } of asked) assert.deepStrictEqual(body.tools[0].function.parameters, whole)
      assert.lengthOf(asked, 3)
    }).pipe(Effect.scoped)
  )

  it.live("reaches Responses with `properties`, in namespaces too, and other schemas pass as they are", () =>
    Effect.gen(function* () {
      const { asked, responses } = yield* moving("vendor: openai", "gpt-5.4", ok)
      const choice = { type: "object", properties: { a: { anyOf: [{}, { type: "object" }] } } }
      const tool = { type: "function", name: "list", parameters: schema, strict: false }
      yield* responses({
        input: "Go",
        tools: [tool, { ...tool, parameters: choice }, { type: "namespace", name: "n", tools: [tool] }]
      })
      const [first, second, third] = asked[0]?.body.tools ?? []
      assert.deepStrictEqual([first.parameters, second.parameters], [whole, choice])
      assert.deepStrictEqual(third.tools[0].parameters, whole)
    }).pipe(Effect.scoped)
  )
})

describe("a schema with alternatives at its top", () => {
  const choice = {
    anyOf: [
      { type: "object", properties: { a: {} } },
      { type: "object", properties: { b: {} } }
    ]
  }
  const object = { type: "object", properties: { a: {}, b: {} } }

  for (const [provider, model] of [
    ["vendor: openai", "gpt-4.1"],
    ["vendor: azure", "gpt-5.4"],
    ["vendor: anthropic", "claude-sonnet-4-5"],
    ["protocol: openai-chat", "m"]
  ] as const) {
    const isTaken = provider.startsWith("protocol")
    it.live(`reaches ${model} of ${provider} ${isTaken ? "as it is" : "as one object, and is named"}`, () =>
      Effect.gen(function* () {
        const { asked, chat, responses } = yield* moving(provider, model, ({ path }) =>
          path.endsWith("/messages") ? { body: message() } : path.endsWith("/responses") ? { body: response() } : ok()
        )
        const first = yield* chat({
          messages: [hi],
          tools: [{ type: "function", function: { name: "list", parameters: choice } }]
        })
        const second = yield* responses({
          input: "Go",
          tools: [{ type: "function", name: "list", parameters: choice, strict: false }]
        })
        for (const { body } of asked) {
          const [tool] = body.tools
          const sent = tool.function?.parameters ?? tool.parameters ?? tool.input_schema
          assert.deepStrictEqual(sent, isTaken ? choice : object)
        }
        for (const { headers, status } of [first, second]) {
          assert.strictEqual(status, 200)
          if (isTaken) assert.isUndefined(headers["x-gateway-dropped-params"])
          else assert.match(String(headers["x-gateway-dropped-params"]), /^tools\.(?:function\.)?parameters$/)
        }
      }).pipe(Effect.scoped)
    )
  }
})

const used = (id: string) => ({ type: "tool_use", id, name: "ls", input: {} })
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: id })
const tools = [{ name: "ls", input_schema: whole }]
const thought = { type: "thinking", thinking: "I need ls.", signature: "c2lnbmVk" }

describe("a call of a tool that another model made", () => {
  for (const [provider, model] of [
    ["vendor: moonshot", "kimi-k2.5"],
    ["vendor: moonshot", "kimi-k3"],
    ["vendor: deepseek", "deepseek-v4-pro"],
    ["protocol: openai-chat", "moonshotai/kimi-k2.5"]
  ] as const) {
    it.live(`has that model's thoughts, or a blank, at ${model} of ${provider}`, () =>
      Effect.gen(function* () {
        const { asked, chat, messages, responses } = yield* moving(provider, model, ok, ", operations: [chat]")
        const turns = (...content: ReadonlyArray<object>) => ({
          tools,
          messages: [hi, { role: "assistant", content }, { role: "user", content: [result("t1")] }]
        })
        yield* messages(turns(thought, used("t1")))
        yield* messages(turns(used("t1")))
        const output = { type: "function_call_output", call_id: "t1", output: "t1" }
        const called = { type: "function_call", call_id: "t1", name: "ls", arguments: "{}" }
        const item = {
          type: "reasoning",
          summary: [{ type: "summary_text", text: "I need ls." }],
          encrypted_content: "x"
        }
        yield* responses({ input: [hi, item, called, output] })
        yield* responses({ input: [hi, called, output] })
        const calls = [{ id: "t1", type: "function", function: { name: "ls", arguments: "{}" } }]
        const answered = { role: "tool", tool_call_id: "t1", content: "t1" }
        const turn = { role: "assistant", content: null, tool_calls: calls }
        yield* chat({ messages: [hi, { ...turn, reasoning: "I need ls." }, answered] })
        yield* chat({ messages: [hi, { ...turn, reasoning_content: "" }, answered] })
        const sent = asked.map(({ body }) => body.messages[1].reasoning_content)
        // DeepSeek takes "" where Kimi takes it for missing.
        const blank = model.startsWith("deepseek") ? "" : " "
        assert.deepStrictEqual(sent, ["I need ls.", " ", "I need ls.", " ", "I need ls.", blank])
      }).pipe(Effect.scoped)
    )
  }

  it.live("has no thoughts of another model at servers that do not need them", () =>
    Effect.gen(function* () {
      const { asked, messages } = yield* moving("protocol: openai-chat", "m", ok)
      const turn = { role: "assistant", content: [thought, used("t1")] }
      yield* messages({ tools, messages: [hi, turn, { role: "user", content: [result("t1")] }] })
      assert.notProperty(asked[0]?.body.messages[1], "reasoning_content")
    }).pipe(Effect.scoped)
  )
})

describe("turns of one role that follow one another", () => {
  it.live("are one turn with all calls at chat servers, and the results stand behind it", () =>
    Effect.gen(function* () {
      const { asked, messages } = yield* moving("protocol: openai-chat", "m", ok)
      yield* messages({
        tools,
        messages: [
          hi,
          { role: "assistant", content: "I look." },
          { role: "assistant", content: [{ ...thought, signature: "model-gateway:reasoning" }, used("a1")] },
          { role: "assistant", content: [used("a2")] },
          { role: "user", content: [result("a1"), { type: "text", text: "And now?" }] },
          { role: "user", content: [result("a2")] }
        ]
      })
      const sent: ReadonlyArray<{ readonly role: string; readonly content: unknown; readonly reasoning?: string }> =
        asked[0]?.body.messages
      assert.deepStrictEqual(
        sent.map(({ role }) => role),
        ["user", "assistant", "tool", "tool", "user"]
      )
      assert.deepInclude(sent[1], { content: "I look.", reasoning: "I need ls." })
      assert.deepStrictEqual(
        asked[0]?.body.messages[1].tool_calls.map(({ id }: { readonly id: string }) => id),
        ["a1", "a2"]
      )
    }).pipe(Effect.scoped)
  )
})

describe("thinking", () => {
  it.live("without a budget is adaptive, or as much as the effort says, at Anthropic", () =>
    Effect.gen(function* () {
      for (const [model, effort, thinking] of [
        ["claude-sonnet-4-6", "high", { type: "adaptive" }],
        ["claude-sonnet-4-6", undefined, { type: "adaptive" }],
        ["claude-haiku-4-5", "low", { type: "enabled", budget_tokens: 2_000 }]
      ] as const) {
        const { asked, chat } = yield* moving("vendor: anthropic", model, () => ({ body: message() }))
        yield* chat({ messages: [hi], max_tokens: 10_000, thinking: { type: "enabled" }, reasoning_effort: effort })
        assert.deepInclude(asked[0]?.body.thinking, thinking)
      }
    }).pipe(Effect.scoped)
  )

  it.live("on a budget of tokens stays one where the model takes it, within what the model takes", () =>
    Effect.gen(function* () {
      const { asked, chat, messages } = yield* moving("vendor: google-ai-studio", "gemini-2.5-flash", () => ({
        body: candidate({ text: "ok" })
      }))
      const thinking = (budget_tokens: number) => ({ messages: [hi], thinking: { type: "enabled", budget_tokens } })
      yield* messages(thinking(20_000))
      const { headers } = yield* messages(thinking(30_000))
      yield* chat(thinking(20_000))
      const budgets = asked.map(({ body }) => body.generationConfig.thinkingConfig.thinkingBudget)
      assert.deepStrictEqual(budgets, [20_000, 24_576, 20_000])
      assert.strictEqual(headers["x-gateway-dropped-params"], "thinking")
    }).pipe(Effect.scoped)
  )
})

describe("a call without arguments", () => {
  const called = (id: string) => ({ id, type: "function", function: { name: "now", arguments: "null" } })

  it.live("that a model wrote as `null` has an empty object", () =>
    Effect.gen(function* () {
      const cohere = yield* moving("vendor: cohere", "command-a-03-2025", () => ({
        body: {
          id: "c1",
          message: { role: "assistant", tool_calls: [called("now_1")] },
          finish_reason: "TOOL_CALL",
          usage: { tokens: { input_tokens: 50, output_tokens: 10 } }
        }
      }))
      const server = yield* moving("protocol: openai-chat", "m", () => ({
        body: completion("", {
          choices: [
            { index: 0, message: { role: "assistant", tool_calls: [called("1")] }, finish_reason: "tool_calls" }
          ]
        })
      }))
      for (const { chat, messages, responses } of [cohere, server]) {
        const told = yield* messages({ messages: [hi], tools })
        assert.deepStrictEqual(told.json.content.at(-1).input, {})
        const { json } = yield* chat({ messages: [hi] })
        assert.strictEqual(json.choices[0].message.tool_calls[0].function.arguments, "{}")
        const items = yield* responses({ input: "Go" })
        assert.strictEqual(items.json.output.at(-1).arguments, "{}")
      }
    }).pipe(Effect.scoped)
  )

  it.live("that a history has as `null` reaches vendors that take objects", () =>
    Effect.gen(function* () {
      const { asked, chat } = yield* moving("vendor: google-ai-studio", "gemini-2.5-flash", () => ({
        body: candidate({ text: "ok" })
      }))
      const turn = { role: "assistant", content: null, tool_calls: [called("1")] }
      yield* chat({ messages: [hi, turn, { role: "tool", tool_call_id: "1", content: "12" }] })
      assert.deepStrictEqual(asked[0]?.body.contents[1].parts[0].functionCall.args, {})
    }).pipe(Effect.scoped)
  )
})
