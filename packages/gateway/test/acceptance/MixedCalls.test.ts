/** Tool calls whose pieces a chat server mixes with one another and with text, where blocks and items follow one another. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { event, upstream } from "../support/Upstream.ts"

const chunk = (delta: object, finish: string | null = null) =>
  event({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }]
  })

const begun = (index: number, args = "") =>
  chunk({ tool_calls: [{ index, id: `id${index}`, type: "function", function: { name: "now", arguments: args } }] })
const more = (index: number, args: string) => chunk({ tool_calls: [{ index, function: { arguments: args } }] })
const text = (content: string) => chunk({ content })
const end = [chunk({}, "tool_calls"), "data: [DONE]\n\n"]

/** What the caller must read of each stream: calls by their id, and the text. */
const streams = [
  { body: [begun(0), begun(1), more(0, '{"x":1}'), more(1, '{"y":2}')], calls: ['{"x":1}', '{"y":2}'], text: "" },
  {
    body: [begun(0, '{"x"'), begun(1, '{"y"'), more(1, ":2}"), more(0, ":1}")],
    calls: ['{"x":1}', '{"y":2}'],
    text: ""
  },
  {
    body: [begun(0, '{"x":"}'), text("so "), more(0, '\\""}'), text("it is")],
    calls: ['{"x":"}\\""}'],
    text: "so it is"
  },
  { body: [begun(0), text("so"), begun(1, "{}"), text(" it is")], calls: ["{}", "{}"], text: "so it is" },
  { body: [begun(1, '{"y"'), begun(0, '{"x":1}'), more(1, ":2}")], calls: ['{"x":1}', '{"y":2}'], text: "" }
]

const before = Effect.fnUntraced(function* (body: ReadonlyArray<string>) {
  const server = yield* upstream(() => ({ body: [chunk({ role: "assistant" }), ...body, ...end] }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${server.baseUrl}", api_key: none }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 }, context_window: 1000 }
`
  })
  const { secret } = yield* gateway.createKey()
  return Effect.fnUntraced(function* (path: string, fields: object) {
    const answer = yield* call(gateway.url, { path, key: secret, body: { model: "up/m", stream: true, ...fields } })
    return answer.text
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => JSON.parse(line.slice("data: ".length)))
  })
})

describe("pieces of calls that come mixed", () => {
  it.live("make whole items, one after another, at /v1/responses", () =>
    Effect.gen(function* () {
      for (const { body, calls, text } of streams) {
        const ask = yield* before(body)
        const tools = [{ type: "function", name: "now", parameters: { type: "object", properties: {} } }]
        const events = yield* ask("/v1/responses", { input: "Hi", tools })
        const last = events.at(-1)
        assert.strictEqual(last.type, "response.completed", JSON.stringify(last))
        const { output } = last.response
        for (const [index, args] of calls.entries()) {
          const item = output.find((one: { readonly call_id?: string }) => one.call_id === `id${index}`)
          assert.strictEqual(item.arguments, args)
          const deltas = events.filter(({ item_id: id, type }) => id === item.id && type.endsWith("arguments.delta"))
          assert.strictEqual(deltas.map(({ delta }) => delta).join(""), args)
        }
        const said = events.flatMap((one) => (one.type === "response.output_text.done" ? [one.text] : []))
        assert.strictEqual(said.join(""), text)
      }
    })
  )

  it.live("make whole blocks, one after another, at /v1/messages", () =>
    Effect.gen(function* () {
      for (const { body, calls, text } of streams) {
        const ask = yield* before(body)
        const tools = [{ name: "now", input_schema: { type: "object", properties: {} } }]
        const fields = { max_tokens: 9, messages: [{ role: "user", content: "Hi" }], tools }
        const events = yield* ask("/v1/messages", fields)
        assert.strictEqual(events.at(-1).type, "message_stop", JSON.stringify(events.at(-1)))
        const starts = events.filter(({ type }) => type === "content_block_start")
        const deltasOf = (index: number) =>
          events.filter((one) => one.type === "content_block_delta" && one.index === index).map(({ delta }) => delta)
        for (const [index, args] of calls.entries()) {
          const own = starts.filter((one) => one.content_block.id === `id${index}`)
          assert.lengthOf(own, 1)
          assert.strictEqual(
            deltasOf(own[0].index)
              .map((delta) => delta.partial_json)
              .join(""),
            args
          )
        }
        assert.lengthOf(
          starts.filter((one) => one.content_block.type === "tool_use"),
          calls.length
        )
        const texts = events.flatMap(({ delta }) => (delta?.type === "text_delta" ? [delta.text] : []))
        assert.strictEqual(texts.join(""), text)
      }
    })
  )

  it.live("are an error where a complete call goes on behind other content", () =>
    Effect.gen(function* () {
      const ask = yield* before([begun(0, "{}"), text("so"), more(0, '{"x":1}')])
      const last = (yield* ask("/v1/responses", { input: "Hi" })).at(-1)
      assert.strictEqual(last.type, "response.failed")
      const fields = { max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }
      assert.strictEqual((yield* ask("/v1/messages", fields)).at(-1).type, "error")
    })
  )
})
