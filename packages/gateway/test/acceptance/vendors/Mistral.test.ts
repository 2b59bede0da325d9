/** Mistral through the real port: alone, after a failover from another vendor, and when it refuses. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { type Reply, upstream } from "../../support/Upstream.ts"

const answer = (message: object, finish_reason: string, usage: object = {}) => ({
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "mistral-small-2603",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
  usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25, ...usage }
})

const served = Effect.fnUntraced(function* (reply: Reply) {
  const other = yield* upstream(() => ({ status: 503, body: { error: { message: "busy" } } }))
  const mistral = yield* upstream(() => reply)
  const gateway = yield* startGateway({
    yaml: `
providers:
  other: { protocol: openai-chat, base_url: "${other.baseUrl}", api_key: none }
  mistral: { base_url: "${mistral.baseUrl}", api_key: k }
deployments: [other/m, mistral/mistral-small-2603, mistral/magistral-small-latest]
models: { both: [other/m, mistral/mistral-small-2603] }
failover: { base_delay: 1ms }
`
  })
  const { secret } = yield* gateway.createKey()
  const chat = (body: object) => call(gateway.url, { method: "POST", path: "/v1/chat/completions", key: secret, body })
  return { chat, gateway, mistral, other }
})

const history = ["call_Kx7QmZl0aaaaaaaaaaaaaaaa", "call_Kx7QmZl0aaaaaaaaaaaaaaab"]
const messages = [
  { role: "user", content: "Weather?" },
  {
    role: "assistant",
    content: null,
    tool_calls: history.map((id) => ({ id, type: "function", function: { name: "f", arguments: "{}" } }))
  },
  ...history.map((id) => ({ role: "tool", tool_call_id: id, content: "sunny" }))
]

describe("mistral", () => {
  it.live("trap 16: answers after a failover from another vendor, whose ids of calls it would refuse", () =>
    Effect.gen(function* () {
      const made = {
        content: "",
        tool_calls: [{ id: "aB3dE6gH9", index: 0, function: { name: "f", arguments: "{}" } }]
      }
      const { chat, mistral, other } = yield* served({ body: answer(made, "tool_calls", { num_cached_tokens: 16 }) })
      const { headers, json, status } = yield* chat({ model: "both", messages, user: "me" })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["x-gateway-dropped-params"], "user")
      // What the other vendor gets is as the caller wrote it.
      assert.strictEqual(other.asked[0]!.body.messages[1].tool_calls[0].id, history[0])
      const [, assistant, ...results] = mistral.asked[0]!.body.messages
      const ids = assistant.tool_calls.map(({ id }: { id: string }) => id)
      assert.isTrue(ids.every((id: string) => /^[a-zA-Z0-9]{9}$/.test(id)))
      assert.strictEqual(new Set(ids).size, 2)
      assert.deepStrictEqual(
        results.map(({ tool_call_id: id }: { tool_call_id: string }) => id),
        ids
      )
      assert.deepStrictEqual(json.choices[0].message.tool_calls, [
        { id: "aB3dE6gH9", index: 0, type: "function", function: { name: "f", arguments: "{}" } }
      ])
      assert.strictEqual(json.choices[0].finish_reason, "tool_calls")
      assert.strictEqual(json.usage.prompt_tokens, 20)
      // 4 new and 16 cached tokens at 0.15 and 0.015, 5 written at 0.6 USD a million.
      assert.strictEqual(headers["x-gateway-cost-usd"], "0.00000384")
    })
  )

  it.live("thoughts are reasoning_content, whole and streamed; a full window is a length", () =>
    Effect.gen(function* () {
      const thoughts = [{ type: "thinking", thinking: [{ type: "text", text: "Two and two." }] }]
      const content = [...thoughts, { type: "text", text: "Four" }]
      const whole = yield* served({ body: answer({ content, tool_calls: null }, "model_length") })
      const body = { model: "magistral-small-latest", messages: [{ role: "user", content: "2+2" }] }
      const { json } = yield* whole.chat(body)
      assert.deepInclude(json.choices[0].message, { content: "Four", reasoning_content: "Two and two." })
      assert.strictEqual(json.choices[0].finish_reason, "length")

      const head = { id: "c1", object: "chat.completion.chunk", created: 1, model: "m" }
      const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
        `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`
      const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
      const streamed = yield* served({
        headers: { "content-type": "text/event-stream" },
        body: [
          chunk({ role: "assistant", content: "" }),
          chunk({ content: thoughts }),
          chunk({ content: "Four" }),
          chunk({ content: "", tool_calls: null }, "stop", { usage }),
          "data: [DONE]\n\n"
        ]
      })
      const answered = yield* streamed.chat({ ...body, stream: true })
      const events = answered.text.split("\n\n").filter((one) => one.startsWith("data: {"))
      const deltas = events.flatMap((one) =>
        JSON.parse(one.slice(6)).choices.map(({ delta }: { delta: object }) => delta)
      )
      assert.deepInclude(deltas[1], { reasoning_content: "Two and two." })
      assert.include(answered.text, '"content":"Four"')
      assert.isTrue(answered.text.trimEnd().endsWith("data: [DONE]"))
      const [row] = yield* streamed.gateway.ledger
      assert.deepInclude(row, { status: "settled", input: 9, output: 3, estimated: 0 })
    })
  )

  it.live("what it refuses is told with the field's name", () =>
    Effect.gen(function* () {
      const detail = [{ type: "extra_forbidden", loc: ["body", "metadata"], msg: "Extra inputs are not permitted" }]
      const { chat } = yield* served({ status: 422, body: { object: "error", message: { detail } } })
      const { json, status } = yield* chat({ model: "mistral-small-2603", messages: [{ role: "user", content: "Hi" }] })
      assert.strictEqual(status, 422)
      assert.include(json.error.message, "metadata: Extra inputs are not permitted")
    })
  )
})
