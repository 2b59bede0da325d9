/** The orders under real traffic: what the gateway learns of its deployments decides who is asked next. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Order } from "../../../src/core/domain/Settings.ts"
import { Script, type Scripts } from "../../../src/testing/Script.ts"
import { inTime } from "../call/InTime.ts"
import { ask, input, read, streaming } from "../call/Talk.ts"
import { deployment, gatewayLayer, priceSheet, rates, settleDown } from "../call/Support.ts"

const three = ["one/a", "two/b", "three/c"]
const model = "all"

const world = (order: Order, scripts: Scripts, fields: { readonly [id: string]: object } = {}) =>
  gatewayLayer(scripts, {
    deployments: three.map((id) => deployment(id, fields[id])),
    aliases: new Map([[model, three]]),
    failover: { order }
  })

let number = 0
/** Each begins a conversation of its own. */
const fresh = (fields: object = {}) => ({
  model,
  messages: [{ role: "user", content: `Prompt ${number++}` }],
  ...fields
})

const plain = Effect.suspend(() => Effect.map(ask(input(fresh())), ({ report }) => report.deployment.id))
/** The first content comes `ms` after the request, nothing before it. */
const firstAfter = (ms: number) => Script.delay(ms, Script.stream(["word"]))
const streamed = Effect.suspend(() =>
  untilDone(Effect.map(read(streaming({}, fresh())), ({ report }) => report.deployment.id))
)

/** Time goes on for as long as `effect` takes. */
const untilDone = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(effect)
  while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust(50)
  return yield* Fiber.join(fiber)
})

const answering = (said = "fine") => ({ "*": [Script.answer(said)] })

describe("listed, cost and priority", () => {
  it.effect("stay as they are, however busy or slow the first is", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const busy = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(ask(input(fresh()))))
      yield* settleDown
      yield* script.rewrite("one", [firstAfter(5_000)])
      assert.strictEqual(yield* streamed, "one/a")
      assert.strictEqual(yield* streamed, "one/a")
      yield* Effect.forEach(busy, Fiber.interrupt)
    }).pipe(Effect.provide(world("listed", { one: [Script.hang], "*": [Script.answer("fine")] })))
  )

  it.effect("by priority, equals as listed; those without room come after lower ones that have some", () =>
    Effect.gen(function* () {
      const script = yield* Script
      assert.strictEqual(yield* plain, "two/b")
      yield* script.rewrite("two", [Script.hang])
      const busy = yield* Effect.forkChild(ask(input(fresh())))
      yield* settleDown
      assert.strictEqual(yield* plain, "three/c")
      yield* script.rewrite("three", [Script.status(503)])
      assert.strictEqual(yield* plain, "one/a")
      yield* Fiber.interrupt(busy)
      yield* script.rewrite("two", [Script.answer("fine")])
      assert.strictEqual(yield* plain, "two/b")
    }).pipe(
      Effect.provide(
        world("priority", answering(), {
          "one/a": { priority: 9 },
          "two/b": { priority: 1, maxInFlight: 1 },
          "three/c": { priority: 1 }
        })
      )
    )
  )

  it.effect("by cost the cheapest of those that can take it, and the next cheapest after it failed", () =>
    Effect.gen(function* () {
      const script = yield* Script
      assert.strictEqual(yield* plain, "three/c")
      yield* script.rewrite("three", [Script.status(500)])
      assert.strictEqual(yield* plain, "one/a")
    }).pipe(
      Effect.provide(
        world("cost", answering(), {
          "one/a": { price: priceSheet(rates(2, 2)) },
          "two/b": { price: priceSheet(rates(3, 3)) },
          "three/c": { price: priceSheet(rates(1, 1)) }
        })
      )
    )
  )
})

describe("least_busy", () => {
  it.effect("shares requests that run at once out evenly, and goes where one has ended", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const running = yield* Effect.forEach(Array.from({ length: 9 }), () =>
        Effect.tap(Effect.forkChild(ask(input(fresh()))), () => settleDown)
      )
      for (const provider of ["one", "two", "three"]) assert.lengthOf(yield* script.requestsTo(provider), 3)
      yield* Fiber.interrupt(running[4]!)
      yield* script.rewrite("two", [Script.answer("fine")])
      assert.strictEqual(yield* plain, "two/b")
      yield* Effect.forEach(running, Fiber.interrupt)
      yield* script.rewrite("one", [Script.answer("fine")])
      assert.strictEqual(yield* plain, "one/a")
    }).pipe(
      Effect.provide(world("least_busy", { one: [Script.hang], two: [Script.hang], three: [Script.hang], "*": [] }))
    )
  )
})

describe("latency", () => {
  const scripts = { one: [firstAfter(900)], two: [firstAfter(300)], three: [firstAfter(600)] }

  it.effect("tries each once, then stays with the one whose first token comes soonest", () =>
    Effect.gen(function* () {
      const went: Array<string> = []
      for (let i = 0; i < 5; i++) went.push(yield* streamed)
      assert.deepStrictEqual(went, ["one/a", "two/b", "three/c", "two/b", "two/b"])
    }).pipe(Effect.provide(world("latency", scripts)))
  )

  it.effect("leaves it at the first bad time, and comes back by one call when that has faded", () =>
    Effect.gen(function* () {
      const script = yield* Script
      for (let i = 0; i < 4; i++) yield* streamed
      yield* script.rewrite("two", [firstAfter(3_000)])
      assert.strictEqual(yield* streamed, "two/b")
      for (let i = 0; i < 4; i++) assert.strictEqual(yield* streamed, "three/c")
      // It is fine again, but nobody knows until some request tries.
      yield* script.rewrite("two", [firstAfter(300)])
      const went: Array<string> = []
      for (let i = 0; i < 20; i++) {
        went.push(yield* streamed)
        yield* TestClock.adjust("1 minutes")
      }
      assert.include(went, "two/b")
      assert.isAtLeast(went.filter((id) => id === "three/c").length, 3)
    }).pipe(Effect.provide(world("latency", scripts)))
  )

  it.effect("does not send everyone to one that is only being tried", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const running = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () =>
        Effect.tap(Effect.forkChild(ask(input(fresh()))), () => settleDown)
      )
      for (const provider of ["one", "two", "three"]) {
        assert.isAtLeast((yield* script.requestsTo(provider)).length, 1, provider)
      }
      yield* Effect.forEach(running, Fiber.interrupt)
    }).pipe(Effect.provide(world("latency", { one: [Script.hang], two: [Script.hang], three: [Script.hang] })))
  )

  it.effect("learns from plain answers too, a long one not taken for a slow one", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const slow = (ms: number, tokens: number) => [
        Script.delay(ms, Script.answer("fine", { usage: { input: 10, output: tokens } }))
      ]
      yield* script.rewrite("one", slow(2_000, 10))
      yield* script.rewrite("two", slow(9_000, 600))
      yield* script.rewrite("three", slow(4_000, 30))
      const went: Array<string> = []
      for (let i = 0; i < 4; i++) {
        went.push(yield* untilDone(plain))
      }
      assert.deepStrictEqual(went, ["one/a", "two/b", "three/c", "two/b"])
    }).pipe(Effect.provide(world("latency", scripts)))
  )

  it.effect("takes a deployment that said nothing in time for as slow as that", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* Effect.map(inTime(read(streaming({}, fresh()))), ({ report }) => report.deployment.id),
        "two/b"
      )
      const script = yield* Script
      yield* streamed
      assert.lengthOf(yield* script.requestsTo("one"), 1)
    }).pipe(Effect.provide(world("latency", { ...scripts, one: [Script.silentAfter(1)] })))
  )
})
