/** Servers of Responses that tell text, refusals, reasoning or annotations only in `done` events or with the whole response. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { upstream } from "../support/Upstream.ts"

type Event = { readonly type: string; readonly [field: string]: unknown }

const response = (output: ReadonlyArray<object>, status: string) => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status,
  model: "m",
  output,
  usage: { input_tokens: 4, output_tokens: 3, total_tokens: 7 }
})
const created = { type: "response.created", response: response([], "in_progress") }
const completed = (...output: ReadonlyArray<object>) => ({
  type: "response.completed",
  response: response(output, "completed")
})

const cited = { type: "url_citation", start_index: 0, end_index: 4, title: "T", url: "https://example.com/" }
const part = { type: "output_text", text: "Rome", annotations: [cited] }
const message = { type: "message", id: "m1", role: "assistant", status: "completed", content: [part] }
const thoughts = {
  type: "reasoning",
  id: "r1",
  summary: [
    { type: "summary_text", text: "Italy." },
    { type: "summary_text", text: "Capital." }
  ]
}
const toolCall = {
  type: "function_call",
  id: "f1",
  call_id: "c1",
  name: "now",
  arguments: '{"x":1}',
  status: "completed"
}

const at = (place: number) => ({ item_id: ["r1", "m1", "f1"][place], output_index: place })
const items = [thoughts, message, toolCall]
const done = items.map((item, place) => ({ type: "response.output_item.done", output_index: place, item }))
const added = { type: "response.output_item.added", output_index: 1, item: { ...message, content: [] } }
const textDelta = (delta: string) => ({ type: "response.output_text.delta", ...at(1), content_index: 0, delta })
const annotation = { type: "response.output_text.annotation.added", ...at(1), content_index: 0, annotation: cited }
const partDone = { type: "response.content_part.done", ...at(1), content_index: 0, part }

const streams: ReadonlyArray<ReadonlyArray<Event>> = [
  [created, completed(...items)],
  [created, ...done, completed(...items)],
  [created, ...done, completed()],
  [created, added, textDelta("Ro"), textDelta("me"), annotation, partDone, ...done, completed(...items)],
  [created, added, textDelta("Ro"), partDone, completed(...items)],
  // Another id in each event.
  [
    created,
    { ...textDelta("Rome"), item_id: "x" },
    { type: "response.output_item.done", output_index: 1, item: { ...message, id: "y" } },
    completed(thoughts, { ...message, id: "z" }, toolCall)
  ]
]

const before = Effect.fnUntraced(function* (events: ReadonlyArray<Event>) {
  const body = events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`)
  const server = yield* upstream(() => ({ body }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${server.baseUrl}", api_key: none }
deployments:
  - { provider: up, model: m, operations: [responses], price: { input: 1, output: 2 }, context_window: 1000 }
`
  })
  const { secret } = yield* gateway.createKey()
  return Effect.fnUntraced(function* (path: string, fields: object) {
    const answer = yield* call(gateway.url, { path, key: secret, body: { model: "up/m", stream: true, ...fields } })
    return answer.text
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice("data: ".length)))
  })
})

const messages = [{ role: "user", content: "Capital of Italy?" }]

describe("what a server of Responses tells late", () => {
  it.live("reaches callers of chat once", () =>
    Effect.gen(function* () {
      for (const [index, events] of streams.entries()) {
        const ask = yield* before(events)
        const deltas = (yield* ask("/v1/chat/completions", { messages })).flatMap(
          (one) => one.choices?.[0]?.delta ?? []
        )
        const joined = (name: string) => deltas.map((delta) => delta[name] ?? "").join("")
        const calls = deltas.flatMap((delta) => delta.tool_calls ?? [])
        assert.strictEqual(joined("content"), "Rome", `stream ${index}`)
        assert.strictEqual(joined("reasoning_content"), "Italy.\n\nCapital.", `stream ${index}`)
        assert.strictEqual(calls.map((one) => one.function.arguments).join(""), '{"x":1}', `stream ${index}`)
        assert.lengthOf(
          deltas.flatMap((delta) => delta.annotations ?? []),
          1
        )
      }
    })
  )

  it.live("reaches callers of Messages once", () =>
    Effect.gen(function* () {
      for (const [index, events] of streams.entries()) {
        const ask = yield* before(events)
        const deltas = (yield* ask("/v1/messages", { max_tokens: 99, messages })).flatMap((one) => one.delta ?? [])
        const joined = (name: string) => deltas.map((delta) => delta[name] ?? "").join("")
        assert.strictEqual(joined("text"), "Rome", `stream ${index}`)
        assert.strictEqual(joined("thinking"), "Italy.\n\nCapital.", `stream ${index}`)
        assert.strictEqual(joined("partial_json"), '{"x":1}', `stream ${index}`)
      }
    })
  )

  it.live("is a refusal where the message refuses", () =>
    Effect.gen(function* () {
      const refused = { ...message, content: [{ type: "refusal", refusal: "No." }] }
      const ask = yield* before([created, completed(refused)])
      const events = yield* ask("/v1/chat/completions", { messages })
      assert.strictEqual(events.map((one) => one.choices?.[0]?.delta?.refusal ?? "").join(""), "No.")
    })
  )
})
