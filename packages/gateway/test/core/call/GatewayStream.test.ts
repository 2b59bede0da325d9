import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { chat } from "../../../src/core/operations/chat/Chat.ts"
import { Gateway } from "../../../src/core/call/Gateway.ts"
import { Script, type Scripts } from "../../../src/testing/Script.ts"
import { inTime } from "./InTime.ts"
import { gatewayLayer } from "./Support.ts"
import { aliases, books, eventsOf, read, saidIn, streaming } from "./Talk.ts"

const both = { model: "both" }

const overBoth = (scripts: Scripts) => gatewayLayer(scripts, { aliases })

const sse = (...data: ReadonlyArray<string>) =>
  Script.raw({ headers: { "content-type": "text/event-stream" }, body: data.map((one) => `data: ${one}\n\n`) })

const chunk = (delta: object, finish: string | null = null, index = 0) =>
  JSON.stringify({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "a",
    choices: [{ index, delta, finish_reason: finish }]
  })

const word = (content: string, index = 0) => chunk({ content }, null, index)

const stop = (index = 0) => chunk({}, "stop", index)

const told = JSON.stringify({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "a",
  choices: [],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
})

describe("Gateway, streams", () => {
  it.effect("passes the answer on and says at its end what it cost", () =>
    Effect.gen(function* () {
      const { events, failure, report, settled } = yield* read(streaming())
      assert.isUndefined(failure)
      assert.strictEqual(saidIn(events), "one two three")
      assert.strictEqual(events.at(-1), "[DONE]")
      const last = events.at(-2)
      assert.strictEqual(last.choices[0].finish_reason, "stop")
      assert.deepInclude(last.gateway, { decision: "openai/a", cost_usd: 20e-9, retries: 0 })
      assert.isFalse(events.some((event) => event !== "[DONE]" && event.choices.length === 0))
      assert.isAbove(report.cost!, 200)
      assert.strictEqual(settled?.cost, 20)
      assert.deepInclude(yield* books, { spent: 20, reserved: 0 })
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.stream(["one ", "two ", "three"])] })))
  )

  it.effect("always asks for usage, and passes it on only to who asked", () =>
    Effect.gen(function* () {
      const script = yield* Script
      yield* read(streaming())
      const [request] = yield* script.requests
      assert.deepInclude(request?.body["stream_options"], { include_usage: true })
      const { events } = yield* read(streaming({}, { stream_options: { include_usage: true } }))
      const last = events.at(-2)
      assert.deepStrictEqual(last.choices, [])
      assert.deepInclude(last.usage, { prompt_tokens: 10, completion_tokens: 5, cost: 20e-9 })
      assert.deepInclude(last.gateway, { cost_usd: 20e-9 })
      assert.strictEqual(events.at(-3).choices[0].finish_reason, "stop")
      assert.notProperty(events.at(-3), "gateway")
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.stream(["one ", "two"])] })))
  )

  it.effect("counts an answer here when the provider does not, and says so in the books", () =>
    Effect.gen(function* () {
      const { events } = yield* read(streaming({}, { stream_options: { include_usage: true } }))
      const last = events.at(-2)
      assert.isAbove(last.usage.prompt_tokens, 5)
      assert.isAtLeast(last.usage.completion_tokens, 2)
      const { rows, spent } = yield* books
      assert.strictEqual(rows["a"]!.estimated, spent)
      assert.closeTo(last.usage.cost * 1e9, spent!, 0.001)
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.stream(["one ", "two"], { usage: null })] })))
  )

  it.effect("counts what comes in the chunk with the finish reason, too", () =>
    Effect.gen(function* () {
      yield* read(streaming({}, { max_tokens: 10_000 }))
      const { rows } = yield* books
      // 4,000 words at 2 nano-USD and more.
      assert.isAbove(rows["a"]!.cost, 8_000)
    }).pipe(
      Effect.provide(
        gatewayLayer({
          "*": [sse(chunk({ role: "assistant" }), chunk({ content: "word ".repeat(4_000) }, "stop"), "[DONE]")]
        })
      )
    )
  )

  it.effect("fails over unseen as long as there was no content", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const broken = [
        Script.status(503),
        Script.failure("reset"),
        Script.failure("connect_timeout"),
        Script.cutAfter(1),
        Script.silentAfter(1),
        Script.hang,
        sse(chunk({ role: "assistant" })),
        sse("[DONE]"),
        sse(chunk({ role: "assistant" }), "[DONE]"),
        sse(`{"error":{"message":"overloaded","type":"server_error"}}`),
        sse(...Array.from({ length: 9 }, () => "{broken")),
        Script.raw({ headers: { "content-type": "text/event-stream" }, body: "" })
      ]
      for (const [index, step] of broken.entries()) {
        yield* script.rewrite("openai", [step])
        yield* script.rewrite("backup", [Script.stream(["fine"])])
        const { events, failure, settled, text } = yield* inTime(read(streaming({}, both)))
        assert.isUndefined(failure, `step ${index}`)
        assert.strictEqual(saidIn(events), "fine", `step ${index}`)
        assert.strictEqual(settled?.retries, 1, `step ${index}`)
        assert.notInclude(text, "error")
        assert.strictEqual((yield* books).reserved, 0)
        // Its circuit has opened by and by: time enough to be tried first again.
        yield* TestClock.adjust("10 minutes")
      }
      const asked = yield* script.requests
      assert.isTrue(asked.every((request) => request.outcome !== "open"))
    }).pipe(Effect.provide(overBoth({ openai: [Script.hang], backup: [Script.stream(["fine"])] })))
  )

  it.effect("closes the connection of a failed attempt before it asks the next provider", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const reading = yield* Effect.forkChild(read(streaming({}, both)))
      for (let i = 0; i < 61; i++) yield* TestClock.adjust("1 seconds")
      const [first, second] = yield* script.requests
      assert.notStrictEqual(first?.outcome, "open")
      assert.strictEqual(second?.outcome, "open")
      yield* Fiber.interrupt(reading)
    }).pipe(Effect.provide(overBoth({ openai: [Script.silentAfter(1)], backup: [Script.hang] })))
  )

  it.effect("ends a stream that was cut after content with one failure and no end mark", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const cuts = [
        Script.cutAfter(3, Script.stream(["one ", "two ", "three"])),
        Script.silentAfter(3, Script.stream(["one ", "two ", "three"])),
        sse(word("one "), word("two ")),
        sse(word("one "), word("two "), `{"error":{"message":"overloaded","type":"server_error"}}`),
        sse(word("one "), word("two "), ...Array.from({ length: 9 }, () => "{broken"))
      ]
      let failed = 0
      for (const [index, step] of cuts.entries()) {
        yield* script.rewrite("openai", [step])
        const before = yield* books
        const { events, failure, settled, text } = yield* inTime(read(streaming({}, both)))
        assert.strictEqual(saidIn(events), "one two ", `step ${index}`)
        assert.strictEqual(failure?._tag, "ProviderFailure", `step ${index}`)
        assert.isUndefined(settled)
        assert.notInclude(text, "[DONE]")
        assert.notInclude(text, `"finish_reason":"stop"`)
        const { reserved, rows, spent } = yield* books
        assert.strictEqual(reserved, 0)
        assert.isAbove(spent!, before.spent!)
        assert.strictEqual(rows["a"]!.estimated, rows["a"]!.cost)
        assert.strictEqual(rows["a"]!.failed, ++failed)
      }
      assert.lengthOf(yield* script.requestsTo("backup"), 0)
    }).pipe(Effect.provide(overBoth({ openai: [Script.hang], backup: [Script.stream(["no"])] })))
  )

  it.effect("skips up to eight events that can't be read", () =>
    Effect.gen(function* () {
      const { events, failure } = yield* read(streaming())
      assert.isUndefined(failure)
      assert.strictEqual(saidIn(events), "onetwo")
    }).pipe(
      Effect.provide(
        gatewayLayer({
          "*": [sse(word("one"), ...Array.from({ length: 8 }, () => "{broken"), word("two"), stop(), told, "[DONE]")]
        })
      )
    )
  )

  it.effect("adds the end mark or the finish reason that a provider leaves out", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const answers = [
        sse(word("one"), stop(), told),
        sse(word("one"), stop()),
        sse(word("one"), told, "[DONE]"),
        sse(word("one"), "[DONE]"),
        Script.cutAfter(2, sse(word("one"), stop(), told)),
        Script.silentAfter(2, sse(word("one"), stop(), told))
      ]
      for (const [index, step] of answers.entries()) {
        yield* script.rewrite("openai", [step])
        const { events, failure } = yield* inTime(read(streaming()))
        assert.isUndefined(failure, `step ${index}`)
        assert.strictEqual(saidIn(events), "one", `step ${index}`)
        assert.strictEqual(events.at(-2).choices[0].finish_reason, "stop", `step ${index}`)
        assert.property(events.at(-2), "gateway")
        assert.strictEqual(events.at(-1), "[DONE]")
      }
    }).pipe(Effect.provide(gatewayLayer({ openai: [Script.hang] })))
  )

  it.effect("gives every choice its finish, and the cost with the last", () =>
    Effect.gen(function* () {
      const { events } = yield* read(streaming({}, { n: 2 }))
      const finishes = events.filter((event) => event !== "[DONE]" && event.choices[0]?.finish_reason !== null)
      assert.deepStrictEqual(
        finishes.map((event) => [event.choices[0].index, "gateway" in event]),
        [
          [1, false],
          [0, true]
        ]
      )
    }).pipe(
      Effect.provide(gatewayLayer({ "*": [sse(word("a"), word("b", 1), stop(1), word("c"), stop(), told, "[DONE]")] }))
    )
  )

  it.effect("fails over after content too, when told to hold the answer until it is whole", () =>
    Effect.gen(function* () {
      const { events, failure, report, settled } = yield* inTime(read(streaming({ streamRecovery: "buffer" }, both)))
      assert.isUndefined(failure)
      assert.strictEqual(saidIn(events), "all fine")
      assert.strictEqual(report.retries, 1)
      const { rows } = yield* books
      assert.isAbove(rows["a"]!.estimated, 0)
      assert.strictEqual(settled?.cost, rows["a"]!.cost + 20)
    }).pipe(
      Effect.provide(
        overBoth({
          openai: [Script.cutAfter(3, Script.stream(["one ", "two ", "three"]))],
          backup: [Script.stream(["all ", "fine"])]
        })
      )
    )
  )

  it.effect("books what was produced when the caller goes, whether it was shown or held back", () =>
    Effect.gen(function* () {
      const long = Script.stream(
        Array.from({ length: 200 }, (_, i) => `word${i} `),
        { every: "1 seconds" }
      )
      const script = yield* Script
      const costs: Array<number> = []
      for (const streamRecovery of ["cut", "buffer"] as const) {
        yield* script.rewrite("openai", [long])
        const before = (yield* books).spent!
        const reading = yield* Effect.forkChild(read(streaming({ streamRecovery }, { max_tokens: 1_000 })))
        for (let i = 0; i < 100; i++) yield* TestClock.adjust("1 seconds")
        yield* Fiber.interrupt(reading)
        assert.strictEqual((yield* script.requests).at(-1)?.outcome, "abandoned")
        const after = yield* books
        assert.strictEqual(after.reserved, 0)
        assert.strictEqual(after.rows["a"]!.estimated, after.rows["a"]!.cost)
        costs.push(after.spent! - before)
      }
      // Some 100 words of two or three tokens each, at 2 nano-USD.
      for (const cost of costs) assert.closeTo(cost, 500, 150)
    }).pipe(Effect.provide(gatewayLayer({ openai: [Script.hang] })))
  )

  it.effect("closes the upstream at once when the caller's scope closes, read or not", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const gateway = yield* Gateway
      const scope = yield* Scope.make()
      const answer = yield* Scope.provide(gateway.call(chat, streaming()), scope)
      assert.strictEqual(answer.kind, "stream")
      assert.strictEqual((yield* script.requests)[0]?.outcome, "open")
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* script.requests)[0]?.outcome, "abandoned")
      const { reserved, rows } = yield* books
      assert.strictEqual(reserved, 0)
      assert.deepInclude(rows["a"]!, { requests: 1 })
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.silentAfter(3)] })))
  )

  it.effect("reads no further than the caller does", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway
      const script = yield* Script
      const looking = Effect.scoped(
        Effect.gen(function* () {
          const answer = yield* gateway.call(chat, streaming())
          if (answer.kind !== "stream") return assert.fail("no stream")
          const [first] = yield* Stream.runCollect(Stream.take(answer.events, 1))
          assert.strictEqual(saidIn(eventsOf(first!)), "one ")
          assert.strictEqual((yield* script.requests)[0]?.outcome, "open")
        })
      )
      yield* inTime(looking)
      assert.strictEqual((yield* books).reserved, 0)
    }).pipe(Effect.provide(gatewayLayer({ "*": [Script.stream(["one ", "two ", "three"], { every: "1 seconds" })] })))
  )
})
