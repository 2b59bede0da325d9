import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Transport, type UpstreamRequest } from "../../../src/core/pool/Transport.ts"
import { DemoTransport, type DemoSettings } from "../../../src/providers/demo/DemoTransport.ts"
import { Transports } from "../../../src/providers/pool/Transports.ts"
import { eventsOf, user } from "./Ask.ts"
import { streamOf } from "../../support/Pulls.ts"

const decoder = new TextDecoder()

const request = (fields: object = {}, more: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
  baseUrl: "demo:",
  path: "/chat/completions",
  headers: {},
  body: JSON.stringify({ model: "mini", messages: [user("hi")], ...fields }),
  timeouts: { connect: 5_000, firstToken: 60_000, idle: 60_000, total: 900_000 },
  ...more
})

const settings = (name: string, pace: Partial<DemoSettings> = {}): DemoSettings => ({
  name,
  vendor: "demo",
  latencyMs: undefined,
  tokensPerSecond: undefined,
  ...pace
})

const chunksOf = (transport: Transport["Service"], asked: UpstreamRequest) =>
  Effect.scoped(Effect.flatMap(transport.open(asked), ({ chunks }) => Stream.runCollect(streamOf(chunks))))

describe("DemoTransport", () => {
  it.effect("answers plain and streamed at once, unless a pace is set", () =>
    Effect.gen(function* () {
      const demo = DemoTransport.make(() => [])
      const plain = yield* demo.whole(request())
      assert.strictEqual(plain.status, 200)
      assert.strictEqual(plain.headers["content-type"], "application/json")
      assert.include(JSON.parse(plain.text).choices[0].message.content, "demo model")
      const chunks = yield* chunksOf(demo, request({ stream: true }))
      assert.isAbove(eventsOf(chunks.map((chunk) => decoder.decode(chunk)).join("")).length, 10)
    })
  )

  it.effect("latency and tokens_per_second: the head after the one, the tokens at the other, one event a chunk", () =>
    Effect.gen(function* () {
      const demo = DemoTransport.make(() => [settings("demo", { latencyMs: 2_000, tokensPerSecond: 10 })])
      let head = false
      const seen: Array<string> = []
      const call = yield* demo.open(request({ stream: true, max_tokens: 20 })).pipe(
        Effect.tap(() => Effect.sync(() => (head = true))),
        Effect.flatMap(({ chunks }) =>
          Stream.runForEach(streamOf(chunks), (chunk) => Effect.sync(() => seen.push(decoder.decode(chunk))))
        ),
        Effect.scoped,
        Effect.forkChild
      )
      yield* TestClock.adjust("1999 millis")
      assert.isFalse(head)
      yield* TestClock.adjust("1 millis")
      assert.isTrue(head)
      assert.lengthOf(seen, 1)
      yield* TestClock.adjust("1 seconds")
      assert.lengthOf(seen, 11)
      assert.isTrue(seen.every((chunk) => chunk.endsWith("\n\n") && chunk.split("\n\n").length === 2))
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.join(call)
      assert.strictEqual(seen.at(-1), "data: [DONE]\n\n")

      const plain = yield* Effect.forkChild(demo.whole(request({ max_tokens: 20 })))
      yield* TestClock.adjust("3999 millis")
      assert.isUndefined(plain.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(plain)
    })
  )

  it.effect("paces every provider for itself, as the settings are at the time", () =>
    Effect.gen(function* () {
      let providers = [settings("fast"), settings("slow", { latencyMs: 1_000 })]
      const demo = DemoTransport.make(() => providers)
      yield* demo.whole(request({}, { baseUrl: "demo:fast" }))
      const slow = yield* Effect.forkChild(demo.whole(request({}, { baseUrl: "demo:slow" })))
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(slow.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(slow)
      providers = [settings("slow")]
      yield* demo.whole(request({}, { baseUrl: "demo:slow" }))
    })
  )

  it.effect("flaky-N fails N times for each prompt, then works", () =>
    Effect.gen(function* () {
      const demo = DemoTransport.make(() => [])
      const status = (prompt: string) =>
        Effect.map(demo.whole(request({ model: "flaky-2", messages: [user(prompt)] })), (answer) => answer.status)
      assert.deepStrictEqual(yield* Effect.all([status("a"), status("b"), status("a")]), [500, 500, 500])
      assert.deepStrictEqual(yield* Effect.all([status("a"), status("b"), status("b")]), [200, 500, 200])
    })
  )

  it.effect("hang: the caller's limit for the first byte ends it", () =>
    Effect.gen(function* () {
      const demo = DemoTransport.make(() => [])
      const limits = { timeouts: { connect: 1, firstToken: 30_000, idle: 10_000, total: 900_000 } }
      const hung = request({ model: "hang" }, limits)
      const calls = [Effect.asVoid(demo.whole(hung)), Effect.asVoid(Effect.scoped(demo.open(hung)))]
      for (const call of calls) {
        const hanging = yield* Effect.forkChild(Effect.flip(call))
        yield* TestClock.adjust("29999 millis")
        assert.isUndefined(hanging.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        const failure = yield* Fiber.join(hanging)
        assert.strictEqual(failure.kind, "first_byte_timeout")
        assert.include(failure.message, "the demo provider")
      }
    })
  )

  it.effect("slow-<ms>: late, and too late for an impatient caller", () =>
    Effect.gen(function* () {
      const demo = DemoTransport.make(() => [])
      const patient = yield* Effect.forkChild(demo.whole(request({ model: "slow-5000" })))
      const limits = { timeouts: { connect: 1, firstToken: 60_000, idle: 60_000, total: 4_000 } }
      const impatient = yield* Effect.forkChild(Effect.flip(demo.whole(request({ model: "slow-5000" }, limits))))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(patient)).status, 200)
      assert.strictEqual((yield* Fiber.join(impatient)).kind, "total_timeout")
    })
  )

  it.effect("a pace slower than the caller's idle limit ends the stream", () =>
    Effect.gen(function* () {
      const demo = DemoTransport.make(() => [settings("demo", { tokensPerSecond: 1 })])
      const limits = { timeouts: { connect: 1, firstToken: 60_000, idle: 500, total: 900_000 } }
      const call = yield* Effect.forkChild(Effect.flip(chunksOf(demo, request({ stream: true }, limits))))
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual((yield* Fiber.join(call)).kind, "idle_timeout")
    })
  )

  it.effect("cut-N and garbage reach the caller as they would over a wire", () =>
    Effect.gen(function* () {
      const demo = DemoTransport.make(() => [])
      assert.strictEqual((yield* Effect.flip(demo.whole(request({ model: "cut-3" })))).kind, "cut")
      const seen: Array<Uint8Array> = []
      const failure = yield* demo.open(request({ model: "cut-3", stream: true })).pipe(
        Effect.flatMap(({ chunks }) =>
          Stream.runForEach(streamOf(chunks), (chunk) => Effect.sync(() => seen.push(chunk)))
        ),
        Effect.scoped,
        Effect.flip
      )
      assert.strictEqual(failure.kind, "cut")
      assert.lengthOf(seen, 3)
      const { status, text } = yield* demo.whole(request({ model: "garbage" }))
      assert.strictEqual(status, 200)
      assert.include(text, "\uFFFD")
    })
  )
})

describe("Transports", () => {
  it.effect("answers demo: addresses in process and all others over the network", () =>
    Effect.gen(function* () {
      const transport = yield* Transport
      assert.strictEqual((yield* transport.whole(request())).status, 200)
      assert.lengthOf(yield* chunksOf(transport, request()), 1)
      const failure = yield* Effect.flip(transport.whole(request({}, { baseUrl: "http://127.0.0.1:1" })))
      assert.strictEqual(failure.kind, "refused")
    }).pipe(Effect.provide(Transports.layer(() => [])))
  )
})
