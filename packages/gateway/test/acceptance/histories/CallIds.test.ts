/** Ids of tool calls where a conversation moves: each model gets them in its own form, and its own as they were. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { completion, event } from "../../support/Upstream.ts"
import { hi, message, moving, response } from "./Moving.ts"

const KIMI = "functions.Bash:900"
const tools = [{ name: "Bash", input_schema: { type: "object", properties: {} } }]
const call = (id: string, name = "Bash") => ({ id, type: "function", function: { name, arguments: "{}" } })
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "ok" })
const called = (...calls: ReadonlyArray<object>) => ({ role: "assistant", content: null, tool_calls: calls })
const ok = () => ({ body: completion("ok") })

/** The ids of the calls and of the results of a chat request. */
// oxlint-disable-next-line typescript/no-explicit-any -- a body as it was sent
const idsIn = ({ messages }: any): ReadonlyArray<string> =>
  // oxlint-disable-next-line typescript/no-explicit-any -- a body as it was sent
  messages.flatMap(({ tool_call_id: answered, tool_calls: calls = [] }: any) => [
    ...calls.map(({ id }: { readonly id: string }) => id),
    ...(answered === undefined ? [] : [answered])
  ])

describe("the id of a call that Kimi made", () => {
  for (const stream of [false, true]) {
    it.live(
      `is one of Anthropic's at Messages, and Kimi's own when it comes back, ${stream ? "streamed" : "complete"}`,
      () =>
        Effect.gen(function* () {
          const choice = { index: 0, message: called(call(KIMI)), finish_reason: "tool_calls" }
          const chunk = (delta: object, finish_reason: string | null = null) =>
            event({
              id: "x",
              object: "chat.completion.chunk",
              created: 1,
              model: "m",
              choices: [{ index: 0, delta, finish_reason }]
            })
          const { asked, messages } = yield* moving("vendor: moonshot", "kimi-k2.5", (one) =>
            one.body.stream === true
              ? {
                  body: [
                    chunk({ tool_calls: [{ index: 0, ...call(KIMI) }] }),
                    chunk({}, "tool_calls"),
                    "data: [DONE]\n\n"
                  ]
                }
              : { body: completion("", { choices: [choice] }) }
          )
          const { text } = yield* messages({ messages: [hi], tools, stream })
          const id = /"type":"tool_use","id":"([\w-]+)"/.exec(text)?.[1]
          assert.isString(id, text)
          const content = [{ type: "tool_use", id, name: "Bash", input: {} }]
          const next = { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] }
          yield* messages({ messages: [hi, { role: "assistant", content }, next], tools })
          assert.deepStrictEqual(idsIn(asked[1]?.body), [KIMI, KIMI])
        }).pipe(Effect.scoped)
    )
  }

  it.live("is taken by Claude, from chat and from Messages", () =>
    Effect.gen(function* () {
      const { asked, chat, messages } = yield* moving("vendor: anthropic", "claude-sonnet-4-6", () => ({
        body: message()
      }))
      yield* chat({ messages: [hi, called(call(KIMI)), result(KIMI)] })
      const id = `gw_${Buffer.from(KIMI).toString("base64url")}`
      const content = [{ type: "tool_use", id, name: "Bash", input: {} }]
      const next = { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] }
      yield* messages({ messages: [hi, { role: "assistant", content }, next], tools })
      for (const { body } of asked) {
        const [used, answered] = [body.messages[1].content[0].id, body.messages[2].content[0].tool_use_id]
        assert.match(used, /^[\w-]+$/)
        assert.strictEqual(answered, used)
      }
      assert.lengthOf(asked, 2)
    }).pipe(Effect.scoped)
  )
})

describe("ids of calls that other models made", () => {
  for (const [provider, model] of [
    ["vendor: moonshot", "kimi-k2.5"],
    ["protocol: openai-chat", "moonshotai/Kimi-K2-Instruct"]
  ] as const) {
    it.live(`are in Kimi's form at ${model}, and Kimi's own stay`, () =>
      Effect.gen(function* () {
        const { asked, chat } = yield* moving(provider, model, ok)
        const start = [hi, called(call("toolu_1"), call("toolu_2", "Read")), result("toolu_2"), result("toolu_1")]
        const more = [
          called(call("functions.Bash:2")),
          result("functions.Bash:2"),
          called(call("call_9")),
          result("call_9")
        ]
        yield* chat({ messages: start })
        yield* chat({ messages: [...start, ...more] })
        const first = ["functions.Bash:0", "functions.Read:1", "functions.Read:1", "functions.Bash:0"]
        assert.deepStrictEqual(idsIn(asked[0]?.body), first)
        assert.deepStrictEqual(idsIn(asked[1]?.body), [
          ...first,
          "functions.Bash:2",
          "functions.Bash:2",
          "functions.Bash:3",
          "functions.Bash:3"
        ])
      }).pipe(Effect.scoped)
    )
  }

  it.live("have at most 40 characters in OpenAI's chat and 64 at Responses, and results find their calls", () =>
    Effect.gen(function* () {
      const long = `functions.mcp__server__${"tool".repeat(15)}:1`
      const openAi = yield* moving("vendor: openai", "gpt-4.1", (one) => ({
        body: one.path.endsWith("/responses") ? response() : completion("ok")
      }))
      yield* openAi.chat({ messages: [hi, called(call(long), call(`${long}2`)), result(long), result(`${long}2`)] })
      const item = { type: "function_call", call_id: long, name: "Bash", arguments: "{}" }
      yield* openAi.responses({ input: [hi, item, { type: "function_call_output", call_id: long, output: "ok" }] })
      const [one, other, ...results] = idsIn(openAi.asked[0]?.body)
      assert.notStrictEqual(one, other)
      assert.deepStrictEqual(results, [one, other])
      assert.isAtMost(one!.length, 40)
      const [, made, answered] = openAi.asked[1]!.body.input
      assert.isAtMost(made.call_id.length, 64)
      assert.strictEqual(answered.call_id, made.call_id)
    }).pipe(Effect.scoped)
  )
})
