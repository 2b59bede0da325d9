/** Numbers in the data of tools keep their text: ids of 64 bits are the same on the other side. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { completion, event } from "../../support/Upstream.ts"
import { candidate, hi, message, moving } from "./Moving.ts"

const ID = "2512292042121000001"
const DATA = `{"id":${ID},"share":1.0,"much":1e2}`

/** A JSON text with `DATA` in place of `"DATA"`. */
const written = (value: unknown) => JSON.stringify(value).replaceAll('"DATA"', DATA)

const turns = [
  hi,
  { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "find", input: "DATA" }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "none" }] }
]
const tools = [{ name: "find", input_schema: { type: "object", properties: { id: { maximum: "MOST" } } } }]

describe("a number that the parser would change", () => {
  for (const [provider, model, answer] of [
    ["vendor: anthropic", "claude-haiku-4-5", message()],
    ["vendor: google-ai-studio", "gemini-2.5-flash", candidate({ text: "ok" })],
    ["protocol: openai-chat", "m", completion("ok")]
  ] as const) {
    for (const length of [10, 300_000]) {
      it.live(
        `reaches ${model} as it is, in the input of a tool and in a schema, in a body of over ${length} bytes`,
        () =>
          Effect.gen(function* () {
            const { asked, raw } = yield* moving(provider, model, () => ({ body: answer }))
            const text = { role: "user", content: "x".repeat(length) }
            const body = { model: `it/${model}`, max_tokens: 9, temperature: 1, messages: [text, ...turns], tools }
            const { status, text: told } = yield* raw("/v1/messages", written(body).replace('"MOST"', ID))
            assert.strictEqual(status, 200, told)
            const sent = asked[0]?.text.replaceAll("\\", "") ?? ""
            assert.include(sent, DATA)
            assert.include(sent, `"maximum":${ID}`)
          }).pipe(Effect.scoped)
      )
    }
  }

  it.live("is a plain number outside tools", () =>
    Effect.gen(function* () {
      const { asked, raw } = yield* moving("protocol: openai-chat", "m", () => ({ body: completion("ok") }))
      const { status, text } = yield* raw(
        "/v1/chat/completions",
        `{"model":"it/m","max_tokens":1e2,"temperature":1.0,"messages":[{"role":"user","content":"Hi"}]}`
      )
      assert.strictEqual(status, 200, text)
      assert.deepInclude(asked[0]?.body, { max_tokens: 100, temperature: 1 })
    }).pipe(Effect.scoped)
  )

  it.live("reaches the caller of Messages as it is, whole, from chat and from Gemini", () =>
    Effect.gen(function* () {
      const called = { id: "t", type: "function", function: { name: "find", arguments: DATA } }
      const spoken = { role: "assistant", content: null, tool_calls: [called] }
      const chat = JSON.stringify(
        completion("", { choices: [{ index: 0, message: spoken, finish_reason: "tool_calls" }] })
      )
      const gemini = written(candidate({ functionCall: { name: "find", args: "DATA" } }))
      for (const [provider, model, body] of [
        ["protocol: openai-chat", "m", chat],
        ["vendor: google-ai-studio", "gemini-2.5-flash", gemini]
      ] as const) {
        const { messages } = yield* moving(provider, model, () => ({ body }))
        const { text } = yield* messages({ messages: [hi] })
        assert.include(text, DATA)
      }
    }).pipe(Effect.scoped)
  )

  it.live("reaches the caller of chat as it is, from Anthropic and, streamed, from Gemini", () =>
    Effect.gen(function* () {
      const used = message([{ type: "tool_use", id: "t1", name: "find", input: "DATA" }])
      const claude = yield* moving("vendor: anthropic", "claude-haiku-4-5", () => ({ body: written(used) }))
      const whole = yield* claude.chat({ messages: [hi] })
      assert.strictEqual(whole.json.choices[0].message.tool_calls[0].function.arguments, DATA)
      const piece = event(candidate({ functionCall: { name: "find", args: "DATA" } })).replace('"DATA"', DATA)
      const gemini = yield* moving("vendor: google-ai-studio", "gemini-2.5-flash", () => ({ body: [piece] }))
      const { text } = yield* gemini.chat({ messages: [hi], stream: true })
      assert.include(text.replaceAll("\\", ""), DATA)
    }).pipe(Effect.scoped)
  )
})
