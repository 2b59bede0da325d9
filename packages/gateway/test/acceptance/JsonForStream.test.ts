/** Providers that answer a stream request with one JSON value: an answer becomes a stream, an error is that error. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chunkProblem } from "../support/OpenAiSchema.ts"
import { call, eventsOf } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { hasData, sayWhenMissing } from "../support/Transcripts.ts"
import { completion, type Reply, upstream, vendorError } from "../support/Upstream.ts"
import { both, facing } from "./Facing.ts"
import { resolved } from "./Promised.ts"

sayWhenMissing("the vendor's description of chunks")

const calls = [0, 1].map((index) => ({
  id: `call_${index}`,
  type: "function",
  function: { name: `f${index}`, arguments: `{"x":${index}}` }
}))

const choice = (index: number, message: object, finish: string) => ({
  index,
  message: { role: "assistant", refusal: null, ...message },
  finish_reason: finish,
  logprobs: null
})

const rich = completion("", {
  system_fingerprint: "fp_1",
  choices: [
    choice(0, { content: "Let me look.", reasoning_content: "Hm.", tool_calls: calls }, "tool_calls"),
    choice(1, { content: null, tool_calls: [calls[0]] }, "tool_calls"),
    choice(2, { content: "No tool." }, "length")
  ]
})

const asked = { stream: true, stream_options: { include_usage: true } }

describe("one JSON completion for a stream request", () => {
  it.live("becomes a stream, whatever its content type, with the exact cost", () =>
    Effect.gen(function* () {
      const body = JSON.stringify(completion("Hello there"))
      for (const reply of [
        { body },
        { body, headers: { "content-type": "text/event-stream" } },
        { body: ["\n\n", "\n", body.slice(0, 50), body.slice(50)], headers: { "content-type": "application/json" } }
      ] satisfies ReadonlyArray<Reply>) {
        const { chat, ledger } = yield* facing(reply)
        const { headers, status, text } = yield* chat(asked)
        assert.strictEqual(status, 200, text)
        assert.include(headers["content-type"], "text/event-stream")
        const events = eventsOf(text)
        assert.strictEqual(events.at(-1), "[DONE]")
        assert.deepStrictEqual(
          events.slice(0, -2).map(({ choices: [{ delta, finish_reason }], usage }) => [delta, finish_reason, usage]),
          [
            [{ role: "assistant", content: "" }, null, null],
            [{ content: "Hello there" }, null, null],
            [{}, "stop", null]
          ]
        )
        assert.deepInclude(events.at(-2).usage, { prompt_tokens: 12, completion_tokens: 4, cost: 0.00002 })
        assert.deepInclude({ ...(yield* ledger)[0] }, { status: "settled", estimated: 0, cost: 20_000 })
        // Who did not ask for the usage sees none.
        const { text: silent } = yield* chat({ stream: true })
        assert.lengthOf(eventsOf(silent), 4)
        assert.notInclude(silent, '"usage"')
      }
    })
  )

  it.live("with thoughts, tool calls and several choices: the vendor's client puts the same answer together", () =>
    Effect.gen(function* () {
      const { chat, client, createKey } = yield* facing({ body: rich })
      const { text } = yield* chat({ ...asked, n: 3 })
      const chunks = eventsOf(text).slice(0, -1)
      for (const { gateway: _, usage, ...chunk } of chunks) {
        if (hasData) assert.isUndefined(chunkProblem(usage ? chunk : { ...chunk, usage }), JSON.stringify(chunk))
      }
      const { secret } = yield* createKey()
      const stream = client(secret).chat.completions.stream({
        model: "bad/m",
        messages: [{ role: "user", content: "Hi" }],
        n: 3
      })
      const { choices } = yield* resolved(() => stream.finalChatCompletion())
      assert.deepStrictEqual(
        choices.map(({ finish_reason, message: { content, tool_calls } }) => [
          finish_reason,
          content,
          (tool_calls ?? []).map(
            (one) => one.type === "function" && [one.id, one.function.name, one.function.arguments]
          )
        ]),
        [
          ["tool_calls", "Let me look.", [0, 1].map((index) => [`call_${index}`, `f${index}`, `{"x":${index}}`])],
          ["tool_calls", null, [["call_0", "f0", '{"x":0}']]],
          ["length", "No tool.", []]
        ]
      )
      assert.include(text, '"reasoning_content":"Hm."')
    })
  )

  it.live("of Anthropic's kind as well", () =>
    Effect.gen(function* () {
      const message = {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-haiku-4-5",
        content: [
          { type: "text", text: "Hello" },
          { type: "tool_use", id: "toolu_1", name: "f", input: { x: 1 } }
        ],
        stop_reason: "tool_use",
        usage: { input_tokens: 10, output_tokens: 5 }
      }
      const { baseUrl } = yield* upstream(() => ({ body: message }))
      const { createKey, ledger, url } = yield* startGateway({
        yaml: `
providers: { anthropic: { api_key: "sk-ant-operators-own", base_url: "${baseUrl}" } }
deployments: [anthropic/claude-haiku-4-5]
`
      })
      const { secret: key } = yield* createKey()
      const body = { model: "claude-haiku-4-5", messages: [{ role: "user", content: "Hi" }], ...asked }
      const { text } = yield* call(url, { path: "/v1/chat/completions", key, body })
      const deltas = eventsOf(text)
        .slice(0, -2)
        .map(({ choices: [{ delta }] }) => delta)
      assert.deepStrictEqual(deltas, [
        { role: "assistant", content: "" },
        { content: "Hello" },
        { tool_calls: [{ index: 0, id: "toolu_1", type: "function", function: { name: "f", arguments: "" } }] },
        { tool_calls: [{ index: 0, function: { arguments: '{"x":1}' } }] },
        {}
      ])
      assert.isTrue(text.endsWith("data: [DONE]\n\n"))
      assert.deepInclude({ ...(yield* ledger)[0] }, { status: "settled", estimated: 0, input: 10, output: 5 })
    })
  )

  it.live("cut in the middle fails over", () =>
    Effect.gen(function* () {
      const body = JSON.stringify(completion("Hello there"))
      for (const ending of ["complete", "reset"] as const) {
        const { chat } = yield* facing({ body: body.slice(0, 80), ending })
        const { headers, status, text } = yield* chat({ stream: true, model: "spared" })
        assert.deepStrictEqual([status, headers["x-gateway-retries"]], [200, "1"])
        assert.include(text, "spare")
      }
    })
  )
})

describe("a 200 whose JSON is an error", () => {
  it.live("about the rate is one: it fails over, and alone it is a 429 with the wait", () =>
    Effect.gen(function* () {
      for (const body of [
        vendorError("Rate limit reached for requests", "requests", "rate_limit_exceeded"),
        { error: { message: "Provider returned error", code: 429 } },
        { error: "Rate limit exceeded, please try again later" },
        { message: "Too many requests", code: 429 },
        { code: "rate_limit_exceeded", message: "Slow down" },
        [{ error: { code: 429, message: "Resource exhausted", status: "RESOURCE_EXHAUSTED" } }]
      ]) {
        for (const fields of both) {
          const reply = { body: JSON.stringify(body), headers: { "retry-after": "17" } }
          const shown = JSON.stringify([body, fields])
          const spared = yield* (yield* facing(reply)).chat({ ...fields, model: "spared" })
          assert.deepStrictEqual([spared.status, spared.headers["x-gateway-retries"]], [200, "1"], shown)
          const { chat, ledger } = yield* facing(reply)
          const { headers, json, status } = yield* chat(fields)
          assert.deepStrictEqual([status, headers["retry-after"]], [429, "17"], shown)
          assert.strictEqual(json.error.code, "upstream_rate_limited", shown)
          // Errors that a provider answers with are free.
          assert.deepInclude({ ...(yield* ledger)[0] }, { status: "void", cost: 0 })
        }
      }
    })
  )

  it.live("about something else is that: our key, a filter, the request, the server", () =>
    Effect.gen(function* () {
      for (const [error, status, code] of [
        [{ message: "Incorrect API key provided", code: "invalid_api_key" }, 502, "upstream_auth"],
        [{ message: "Filtered", code: "content_filter" }, 400, "content_filter"],
        [{ message: "Unknown field", type: "invalid_request_error", code: "invalid_value" }, 400, "invalid_value"],
        [{ message: "Overloaded", type: "overloaded_error" }, 503, "upstream_unavailable"]
      ] as const) {
        for (const fields of both) {
          const { chat } = yield* facing({ body: { error } })
          const answer = yield* chat(fields)
          const shown = `${JSON.stringify([error, fields])}: ${answer.text}`
          assert.strictEqual(answer.json.error.code, code, shown)
          if (code !== "upstream_unavailable") assert.strictEqual(answer.status, status, shown)
        }
      }
    })
  )
})
