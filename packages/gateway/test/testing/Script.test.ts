import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Transport, type UpstreamRequest } from "../../src/core/pool/Transport.ts"
import { Script } from "../../src/testing/Script.ts"
import { streamOf } from "../support/Pulls.ts"

const decoder = new TextDecoder()

const request = (
  provider: string,
  model: string,
  fields: object = {},
  path = "/chat/completions"
): UpstreamRequest => ({
  baseUrl: Script.baseUrl(provider),
  path,
  headers: { authorization: "Bearer sk" },
  body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], ...fields }),
  timeouts: { connect: 5_000, firstToken: 60_000, idle: 20_000, total: 900_000 }
})

const whole = (asked: UpstreamRequest) => Effect.flatMap(Transport, (transport) => transport.whole(asked))

/** The chunks of a stream as texts, and how it ended. */
const read = (asked: UpstreamRequest) => {
  const seen: Array<string> = []
  return Effect.flatMap(Transport, (transport) => transport.open(asked)).pipe(
    Effect.flatMap(({ chunks }) =>
      Stream.runForEach(streamOf(chunks), (chunk) => Effect.sync(() => seen.push(decoder.decode(chunk))))
    ),
    Effect.scoped,
    Effect.result,
    Effect.map((result) => ({ seen, result }))
  )
}

const contentOf = (text: string): string => JSON.parse(text).choices[0].message.content

describe("Script", () => {
  it.effect("takes the steps in order and repeats the last", () =>
    Effect.gen(function* () {
      const asked = request("openai", "gpt-5-mini")
      const refused = yield* whole(asked)
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(JSON.parse(refused.text).error.type, "server_error")
      assert.strictEqual(contentOf((yield* whole(asked)).text), "hello")
      assert.strictEqual(contentOf((yield* whole(asked)).text), "hello")
    }).pipe(Effect.provide(Script.layer({ "openai/gpt-5-mini": [Script.status(503), Script.answer("hello")] })))
  )

  it.effect("finds a script by provider and model, base URL, provider, model, anything, in this order", () =>
    Effect.gen(function* () {
      const said = (asked: UpstreamRequest) => Effect.map(whole(asked), ({ text }) => contentOf(text))
      assert.strictEqual(yield* said(request("openai", "a")), "both")
      assert.strictEqual(yield* said({ ...request("openai", "b"), baseUrl: "https://eu.openai.com/v1" }), "address")
      assert.strictEqual(yield* said({ ...request("", "b"), baseUrl: "https://api.openai.com/v1" }), "provider")
      assert.strictEqual(yield* said({ ...request("", "b"), baseUrl: "script:openai" }), "provider")
      assert.strictEqual(yield* said(request("vllm", "meta-llama/Llama-4")), "model")
      assert.strictEqual(yield* said({ ...request("", "c"), baseUrl: "http://127.0.0.1:8000/v1" }), "anything")
    }).pipe(
      Effect.provide(
        Script.layer({
          "*": [Script.answer("anything")],
          "meta-llama/Llama-4": [Script.answer("model")],
          openai: [Script.answer("provider")],
          "https://eu.openai.com/v1": [Script.answer("address")],
          "openai/a": [Script.answer("both")]
        })
      )
    )
  )

  it.effect("remembers what it was asked and how it ended", () =>
    Effect.gen(function* () {
      const script = yield* Script
      yield* TestClock.adjust("5 seconds")
      yield* whole(request("openai", "m"))
      yield* Effect.flip(whole(request("openai", "m")))
      const hanging = yield* Effect.forkChild(whole(request("openai", "m")))
      yield* TestClock.adjust("1 seconds")
      const open = yield* script.requestsTo("openai")
      yield* Fiber.interrupt(hanging)
      yield* Effect.flip(whole({ ...request("nobody", "m"), body: "no JSON" }))

      const all = yield* script.requests
      assert.deepStrictEqual(
        all.map(({ key, outcome }) => [key, outcome]),
        [
          ["openai", "complete"],
          ["openai", "failed"],
          ["openai", "abandoned"],
          [undefined, "failed"]
        ]
      )
      assert.strictEqual(open.at(-1)?.outcome, "open")
      assert.strictEqual(all[0]?.url, "http://openai.test/v1/chat/completions")
      assert.strictEqual(all[0]?.headers["authorization"], "Bearer sk")
      assert.strictEqual(all[0]?.body["model"], "m")
      assert.strictEqual(all[0]?.at, 5_000)
      assert.deepStrictEqual(all[3]?.body, {})
    }).pipe(Effect.provide(Script.layer({ openai: [Script.answer("hello"), Script.failure("reset"), Script.hang] })))
  )

  it.effect("a stream: complete once its last event is read, abandoned when the caller leaves before", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const transport = yield* Transport
      const take = (events: number) =>
        transport.open(request("openai", "m", { stream: true })).pipe(
          Effect.flatMap(({ chunks }) => Stream.runDrain(Stream.take(streamOf(chunks), events))),
          Effect.scoped,
          Effect.forkChild
        )
      for (const events of [6, 2]) {
        const call = yield* take(events)
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(call)
      }
      const outcomes = (yield* script.requests).map(({ outcome }) => outcome)
      assert.deepStrictEqual(outcomes, ["complete", "abandoned"])
    }).pipe(Effect.provide(Script.layer({ "*": [Script.stream(["a", "b", "c"], { every: "1 seconds" })] })))
  )

  it.effect("says no more than it was written: exhausted, rewritten, unknown", () =>
    Effect.gen(function* () {
      const script = yield* Script
      yield* whole(request("openai", "m"))
      const exhausted = yield* Effect.flip(whole(request("openai", "m")))
      assert.strictEqual(exhausted.message, "the script openai is exhausted: this is request 2")
      yield* script.rewrite("openai", [Script.answer("back again")])
      assert.strictEqual(contentOf((yield* whole(request("openai", "m"))).text), "back again")
      const unknown = yield* Effect.flip(whole(request("other", "m")))
      assert.strictEqual(unknown.kind, "refused")
      assert.strictEqual(unknown.message, "no script for other/m; there are: openai")
    }).pipe(Effect.provide(Script.layer({ openai: [Script.answer("once"), Script.exhausted] })))
  )

  it.effect("delay and every: time passes as the test says", () =>
    Effect.gen(function* () {
      const call = yield* Effect.forkChild(read(request("openai", "m", { stream: true })))
      yield* TestClock.adjust("1999 millis")
      assert.isUndefined(call.pollUnsafe())
      yield* TestClock.adjust("5 seconds")
      const { seen } = yield* Fiber.join(call)
      assert.deepStrictEqual(
        seen.slice(0, 3).map((text) => JSON.parse(text.slice(6)).choices[0].delta.content),
        ["", "a", "b"]
      )
      assert.strictEqual(seen.at(-1), "data: [DONE]\n\n")
    }).pipe(
      Effect.provide(
        Script.layer({ "*": [Script.delay("2 seconds", Script.stream(["a", "b"], { every: "1 seconds" }))] })
      )
    )
  )

  it.effect("cutAfter, silentAfter and hang end as the wire would, under the caller's limits", () =>
    Effect.gen(function* () {
      const streamed = request("openai", "m", { stream: true })
      const cut = yield* read(streamed)
      assert.lengthOf(cut.seen, 2)
      assert.strictEqual(cut.result._tag === "Failure" && cut.result.failure.kind, "cut")
      assert.strictEqual((yield* Effect.flip(whole(request("openai", "m")))).kind, "cut")

      const silent = yield* Effect.forkChild(read(streamed))
      yield* TestClock.adjust("20 seconds")
      const { seen, result } = yield* Fiber.join(silent)
      assert.lengthOf(seen, 3)
      assert.strictEqual(result._tag === "Failure" && result.failure.kind, "idle_timeout")

      const hung = yield* Effect.forkChild(Effect.flip(whole(request("openai", "m"))))
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* Fiber.join(hung)).kind, "first_byte_timeout")
    }).pipe(
      Effect.provide(
        Script.layer({ "*": [Script.cutAfter(2), Script.cutAfter(2), Script.silentAfter(3), Script.hang] })
      )
    )
  )

  it.effect("raw: exactly these bytes, headers in lower case", () =>
    Effect.gen(function* () {
      const { status, headers, text } = yield* whole(request("openai", "m"))
      assert.deepStrictEqual([status, headers, text], [502, { "content-type": "text/html" }, "<html>"])
      const { seen } = yield* read(request("openai", "m"))
      assert.deepStrictEqual(seen, ["data: {", "}\n\n"])
    }).pipe(
      Effect.provide(
        Script.layer({
          "*": [
            Script.raw({ status: 502, headers: { "Content-Type": "text/html" }, body: "<html>" }),
            Script.raw({ body: ["data: {", "}\n\n"] })
          ]
        })
      )
    )
  )

  it.effect("usage, finish, reasoning and tool calls as written; usage in a stream only when asked for", () =>
    Effect.gen(function* () {
      const body = JSON.parse((yield* whole(request("openai", "m"))).text)
      assert.strictEqual(body.usage.prompt_tokens, 20)
      assert.strictEqual(body.usage.completion_tokens, 7)
      assert.strictEqual(body.usage.prompt_tokens_details.cached_tokens, 15)
      assert.strictEqual(body.usage.completion_tokens_details.reasoning_tokens, 2)
      assert.strictEqual(body.choices[0].message.reasoning_content, "hm hm")
      assert.strictEqual(body.choices[0].finish_reason, "tool_calls")
      assert.deepStrictEqual(body.choices[0].message.tool_calls, [
        { id: "call_1_0", type: "function", function: { name: "add", arguments: '{"a":1}' } }
      ])
      const asked = yield* read(request("openai", "m", { stream: true, stream_options: { include_usage: true } }))
      assert.strictEqual(JSON.parse(asked.seen.at(-2)!.slice(6)).usage.total_tokens, 27)
      const unasked = yield* read(request("openai", "m", { stream: true }))
      assert.notInclude(unasked.seen.join(""), "usage")
      const untold = JSON.parse((yield* whole(request("openai", "m"))).text)
      assert.notProperty(untold, "usage")
      assert.strictEqual(untold.choices[0].finish_reason, "length")
    }).pipe(
      Effect.provide(
        Script.layer({
          "*": [
            ...Array.from({ length: 3 }, () =>
              Script.answer("", {
                usage: { input: 20, output: 7, cached: 15, reasoning: 2 },
                reasoning: "hm hm",
                toolCalls: [{ name: "add", arguments: { a: 1 } }]
              })
            ),
            Script.answer("cut", { usage: null, finish: "length" })
          ]
        })
      )
    )
  )

  it.effect("status: the vendor's words, code and wait as given", () =>
    Effect.gen(function* () {
      const { headers, text } = yield* whole(request("openai", "m"))
      assert.strictEqual(headers["retry-after"], "2")
      assert.deepStrictEqual(JSON.parse(text).error, {
        message: "slow down",
        type: "requests",
        param: null,
        code: "insufficient_quota"
      })
    }).pipe(
      Effect.provide(
        Script.layer({
          "*": [Script.status(429, { message: "slow down", code: "insufficient_quota", retryAfter: "1500 millis" })]
        })
      )
    )
  )
})

describe("Script on Anthropic's wire", () => {
  const messages = (fields: object = {}) => request("anthropic", "claude", fields, "/messages")
  const steps = [
    Script.answer("Hello there", {
      usage: { input: 20, output: 7, cached: 15 },
      reasoning: "hm",
      toolCalls: [{ name: "add", arguments: { a: 1 } }]
    })
  ]

  it.effect("answers with content blocks, its own stop reasons and usage without the cached", () =>
    Effect.gen(function* () {
      const body = JSON.parse((yield* whole(messages())).text)
      assert.strictEqual(body.type, "message")
      assert.deepStrictEqual(
        body.content.map((block: { type: string }) => block.type),
        ["thinking", "text", "tool_use"]
      )
      assert.strictEqual(body.content[1].text, "Hello there")
      assert.deepStrictEqual(body.content[2].input, { a: 1 })
      assert.strictEqual(body.stop_reason, "tool_use")
      assert.deepInclude(body.usage, { input_tokens: 5, cache_read_input_tokens: 15, output_tokens: 7 })
    }).pipe(Effect.provide(Script.layer({ anthropic: steps })))
  )

  it.effect("streams the same in its events", () =>
    Effect.gen(function* () {
      const { seen } = yield* read(messages({ stream: true }))
      const events = seen.map((text) => {
        const [, name, data] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(text)!
        const parsed = JSON.parse(data!)
        assert.strictEqual(parsed.type, name)
        return parsed
      })
      assert.strictEqual(events[0].type, "message_start")
      assert.deepInclude(events[0].message.usage, { input_tokens: 5, output_tokens: 1 })
      const delta = (field: string) => events.map((event) => event.delta?.[field] ?? "").join("")
      assert.strictEqual(delta("thinking"), "hm")
      assert.strictEqual(delta("text"), "Hello there")
      assert.strictEqual(delta("partial_json"), '{"a":1}')
      assert.strictEqual(events.filter((event) => event.type === "content_block_stop").length, 3)
      assert.deepInclude(events.at(-2), { type: "message_delta", usage: { output_tokens: 7 } })
      assert.strictEqual(events.at(-2).delta.stop_reason, "tool_use")
      assert.deepStrictEqual(events.at(-1), { type: "message_stop" })
    }).pipe(Effect.provide(Script.layer({ anthropic: steps })))
  )

  it.effect("refuses in its shape", () =>
    Effect.gen(function* () {
      const { status, text } = yield* whole(messages())
      assert.strictEqual(status, 529)
      assert.deepInclude(JSON.parse(text), {
        type: "error",
        error: { type: "overloaded_error", message: "Overloaded" }
      })
    }).pipe(Effect.provide(Script.layer({ "*": [Script.status(529, { message: "Overloaded" })] })))
  )
})
