/** Callers that leave before their answer is whole: how long the provider is listened to without them, and what is booked. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Departure } from "../../../src/core/call/Departure.ts"
import type { CallInput } from "../../../src/core/call/CallInput.ts"
import { costOf, type Receipt } from "../../../src/core/receipts/Receipt.ts"
import { ReceiptEvents } from "../../../src/core/receipts/ReceiptEvents.ts"
import { countTokens } from "../../../src/core/operations/Tokens.ts"
import { Script, type Scripts } from "../../../src/testing/Script.ts"
import { factsOf } from "../../support/CatalogueFacts.ts"
import { openAiBounds } from "../../../src/providers/vendors/OpenAiBounds.ts"
import { png } from "../../support/Media.ts"
import { ask, books, budgeted, input, read, streaming } from "./Talk.ts"
import { callerWith, deployment, gatewayLayer, noLimits, settleDown } from "./Support.ts"

const world = (scripts: Scripts, fleet: Parameters<typeof gatewayLayer>[1] = {}) => {
  const told: Array<Receipt> = []
  const listening = Layer.effectDiscard(
    Effect.map(ReceiptEvents, (log) => log.listen((receipt) => void told.push(receipt)))
  )
  return { told, layer: Layer.provideMerge(listening, gatewayLayer(scripts, fleet)) }
}

const billing = (billsAfterDisconnect: "none" | "plain" | "all", fields: Parameters<typeof deployment>[1] = {}) => ({
  deployments: [deployment("openai/a", { billsAfterDisconnect, ...fields }), deployment("backup/b")]
})

/** Asks, lets so many seconds pass, and leaves as a connection does. */
const askAndLeave = Effect.fnUntraced(function* (seconds: number, more: CallInput) {
  yield* countTokens("read the ranks", "openai-chat")
  const departure = new Departure()
  const asked = { ...more, departure }
  const asking: Effect.Effect<unknown, unknown, Effect.Services<ReturnType<typeof read>>> = asked.request.stream
    ? read(asked)
    : ask(asked)
  const fiber = yield* Effect.forkChild(asking)
  yield* settleDown
  for (let i = 0; i < seconds; i++) yield* TestClock.adjust("1 seconds")
  const later = departure.leave(() => fiber.interruptUnsafe())
  if (later !== undefined) yield* Effect.forkChild(later)
  yield* settleDown
  return { departure, fiber }
})

const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i} `)

/** Thinking counts at this many times the measured rate, which includes the wait for the first token. */
const FASTER = 1.1

describe("a plain call whose caller left", () => {
  it.effect("is read to its end and booked exactly where the provider bills it anyway", () => {
    const { layer, told } = world(
      { openai: [Script.delay("50 seconds", Script.answer("hello", { usage: { input: 10, output: 90 } }))] },
      billing("plain")
    )
    return Effect.gen(function* () {
      const script = yield* Script
      const { fiber } = yield* askAndLeave(3, input())
      assert.strictEqual((yield* script.requests)[0]?.outcome, "open")
      yield* TestClock.adjust("50 seconds")
      yield* Fiber.await(fiber)
      assert.strictEqual((yield* script.requests)[0]?.outcome, "complete")
      assert.deepInclude(yield* books, { spent: 190, reserved: 0 })
      assert.deepInclude((yield* books).rows["a"]!, { estimated: 0, requests: 1, failed: 0 })
      assert.deepInclude(told[0], { status: "client_gone" })
      assert.strictEqual(costOf(told[0]!), 190)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is closed at once and booked by what was seen where closing stops it", () => {
    const { layer, told } = world({ openai: [Script.hang] }, billing("none"))
    return Effect.gen(function* () {
      const script = yield* Script
      const { fiber } = yield* askAndLeave(3, input())
      yield* Fiber.await(fiber)
      assert.strictEqual((yield* script.requests)[0]?.outcome, "abandoned")
      const { reserved, rows } = yield* books
      assert.strictEqual(reserved, 0)
      assert.isAbove(rows["a"]!.cost, 0)
      assert.strictEqual(rows["a"]!.estimated, rows["a"]!.cost)
      // A request, and not one that failed.
      assert.deepInclude(rows["a"]!, { requests: 1, failed: 0 })
      assert.strictEqual(told[0]?.status, "client_gone")
    }).pipe(Effect.provide(layer))
  })

  it.effect("releases its slot of max_parallel immediately, and once, while its call goes on", () => {
    const { layer } = world({ openai: [Script.hang, Script.answer("next")] }, billing("plain"))
    const caller = callerWith({ limits: { ...noLimits, maxParallel: 1 } })
    return Effect.gen(function* () {
      yield* askAndLeave(1, input({}, { caller }))
      assert.strictEqual((yield* ask(input({}, { caller }))).kind, "whole")
      // Not again when its call ends.
      yield* TestClock.adjust("600 seconds")
      const { fiber } = yield* askAndLeave(0, input({}, { caller }))
      yield* Fiber.interrupt(fiber)
      assert.strictEqual((yield* ask(input({}, { caller }))).kind, "whole")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is ended with an estimate when the gateway stops meanwhile", () => {
    const { layer, told } = world({ openai: [Script.hang] }, billing("plain"))
    return Effect.gen(function* () {
      const script = yield* Script
      const { fiber } = yield* askAndLeave(3, input())
      yield* Fiber.interrupt(fiber)
      assert.strictEqual((yield* script.requests)[0]?.outcome, "abandoned")
      const { reserved, rows } = yield* books
      assert.strictEqual(reserved, 0)
      assert.isAbove(rows["a"]!.estimated, 0)
      assert.strictEqual(told[0]?.status, "client_gone")
    }).pipe(Effect.provide(layer))
  })

  it.effect("asks nobody else when its provider fails", () => {
    const { layer, told } = world(
      { openai: [Script.delay("10 seconds", Script.status(503))], backup: [Script.answer("hello")] },
      { ...billing("plain"), aliases: new Map([["both", ["openai/a", "backup/b"]]]) }
    )
    return Effect.gen(function* () {
      const script = yield* Script
      const { fiber } = yield* askAndLeave(3, input({ model: "both" }))
      for (let i = 0; i < 60; i++) yield* TestClock.adjust("1 seconds")
      yield* Fiber.await(fiber)
      assert.lengthOf(yield* script.requests, 1)
      assert.deepInclude(yield* books, { spent: 0, reserved: 0 })
      assert.strictEqual(told[0]?.status, "client_gone")
    }).pipe(Effect.provide(layer))
  })
})

describe("a stream whose caller left", () => {
  it.effect("is booked exactly when its end comes within finish_abandoned", () => {
    const { layer, told } = world(
      { openai: [Script.stream(words(20), { every: "1 seconds", usage: { input: 10, output: 80, reasoning: 60 } })] },
      billing("none")
    )
    return Effect.gen(function* () {
      const { fiber } = yield* askAndLeave(20, streaming())
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.await(fiber)
      assert.deepInclude(yield* books, { spent: 170, reserved: 0 })
      assert.strictEqual((yield* books).rows["a"]!.estimated, 0)
      assert.strictEqual(told[0]?.status, "client_gone")
      assert.strictEqual(told[0]?.attempts[0]?.outcome, "client_gone")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is closed after finish_abandoned, and is booked by what came", () => {
    const { layer } = world({ openai: [Script.stream(words(400), { every: "1 seconds" })] }, billing("plain"))
    return Effect.gen(function* () {
      const script = yield* Script
      const { fiber } = yield* askAndLeave(100, streaming({ caller: budgeted }, { max_tokens: 1_000 }))
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual((yield* script.requests)[0]?.outcome, "open")
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.await(fiber)
      assert.strictEqual((yield* script.requests)[0]?.outcome, "abandoned")
      const { reserved, rows } = yield* books
      assert.strictEqual(reserved, 0)
      assert.closeTo(rows["a"]!.cost, 520, 150)
      assert.strictEqual(rows["a"]!.estimated, rows["a"]!.cost)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is closed at once with finish_abandoned: 0s", () => {
    const { layer } = world({ openai: [Script.silentAfter(3)] }, { failover: { finishAbandonedMs: 0 } })
    return Effect.gen(function* () {
      const script = yield* Script
      const { fiber } = yield* askAndLeave(1, streaming())
      yield* Fiber.await(fiber)
      assert.strictEqual((yield* script.requests)[0]?.outcome, "abandoned")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is read to its end where the provider bills streams to their end, too", () => {
    const { layer } = world(
      { openai: [Script.stream(words(90), { every: "1 seconds", usage: { input: 10, output: 90 } })] },
      billing("all")
    )
    return Effect.gen(function* () {
      const { fiber } = yield* askAndLeave(5, streaming())
      for (let i = 0; i < 120; i++) yield* TestClock.adjust("1 seconds")
      yield* Fiber.await(fiber)
      assert.deepInclude(yield* books, { spent: 190, reserved: 0 })
    }).pipe(Effect.provide(layer))
  })

  it.effect("asks nobody else when it breaks off before its first content", () => {
    const { layer } = world(
      { openai: [Script.delay("4 seconds", Script.cutAfter(1))], backup: [Script.stream(["hello"])] },
      { aliases: new Map([["both", ["openai/a", "backup/b"]]]) }
    )
    return Effect.gen(function* () {
      const script = yield* Script
      const { fiber } = yield* askAndLeave(1, streaming({}, { model: "both" }))
      for (let i = 0; i < 30; i++) yield* TestClock.adjust("1 seconds")
      yield* Fiber.await(fiber)
      assert.lengthOf(yield* script.requests, 1)
      assert.strictEqual((yield* books).reserved, 0)
    }).pipe(Effect.provide(layer))
  })
})

describe("a model that hides its reasoning", () => {
  const thinker = (hidesReasoning: "always" | "asked" | undefined, firstToken = 300_000) =>
    billing("plain", {
      hidesReasoning,
      maxOutputTokens: 100_000,
      timeouts: { connect: 5_000, firstToken, response: 120_000, idle: 60_000, total: 600_000 }
    })
  /** 12,000 tokens in 120 s, 100 a second, most of them unseen. */
  const thinking = Script.delay(
    "118 seconds",
    Script.stream(["so ", "it ", "is"], { every: "1 seconds", usage: { input: 10, output: 12_300, reasoning: 12_297 } })
  )
  const roomy = { max_tokens: 30_000 }
  const leaving = (scripts: Scripts, hides: "always" | "asked" | undefined, fields: object = {}, seconds = 121) =>
    Effect.gen(function* () {
      const script = yield* Script
      // An answer that is read to its end teaches its pace.
      yield* script.rewrite("openai", [thinking])
      const reading = yield* Effect.forkChild(read(streaming({}, roomy)))
      for (let i = 0; i < 130; i++) yield* TestClock.adjust("1 seconds")
      yield* Fiber.join(reading)
      const before = (yield* books).spent!
      yield* script.rewrite("openai", scripts["openai"]!)
      const { fiber } = yield* askAndLeave(seconds, streaming({}, { ...roomy, ...fields }))
      yield* Fiber.await(fiber)
      const after = yield* books
      assert.strictEqual(after.reserved, 0)
      return after.spent! - before
    }).pipe(
      Effect.provide(world({ openai: [Script.hang] }, { ...thinker(hides), failover: { finishAbandonedMs: 0 } }).layer)
    )

  it.effect("costs what it may have thought when its caller leaves at the last visible word", () =>
    Effect.gen(function* () {
      const cost = yield* leaving({ openai: [thinking] }, "always")
      assert.isAtLeast(cost, 10 + 2 * 12_000)
      assert.isAtMost(cost, 1.1 * 2 * 12_300)
    })
  )

  it.effect("costs what it may have thought when its caller leaves before the first word", () =>
    Effect.gen(function* () {
      const cost = yield* leaving({ openai: [Script.hang] }, "always", {}, 50)
      assert.closeTo(cost, FASTER * 2 * 5_000, 500)
    })
  )

  it.effect("never costs more than was reserved", () =>
    Effect.gen(function* () {
      const cost = yield* leaving({ openai: [Script.hang] }, "always", { max_tokens: 300 }, 50)
      assert.isAtLeast(cost, 2 * 300)
      assert.isAtMost(cost, 2 * 300 + 100)
    })
  )

  it.effect("every choice may have been thought about", () =>
    Effect.gen(function* () {
      const cost = yield* leaving({ openai: [Script.hang] }, "always", { n: 3 }, 50)
      assert.closeTo(cost, FASTER * 3 * 2 * 5_000, 1_500)
    })
  )

  for (const [what, hides, fields] of [
    ["does not hide it", undefined, {}],
    ["is told not to think", "always", { reasoning_effort: "none" }],
    ["thinks only when asked to", "asked", {}]
  ] as const) {
    it.effect(`and one that ${what} costs what was seen`, () =>
      Effect.gen(function* () {
        assert.isBelow(yield* leaving({ openai: [thinking] }, hides, fields), 100)
      })
    )
  }

  it.effect("costs the same when it is given up because no first word came", () =>
    Effect.gen(function* () {
      const { layer } = world({ openai: [Script.hang] }, thinker("always", 60_000))
      yield* Effect.gen(function* () {
        yield* countTokens("read the ranks", "openai-chat")
        const reading = yield* Effect.forkChild(Effect.result(read(streaming({}, roomy))))
        for (let i = 0; i < 70; i++) yield* TestClock.adjust("1 seconds")
        yield* Fiber.join(reading)
        // 60 s at the pace that is assumed of a deployment nobody has seen yet.
        assert.closeTo((yield* books).spent!, FASTER * 60 * 125 * 2, 500)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("costs what it may have thought beyond the caller's limit, where that holds nothing back", () =>
    Effect.gen(function* () {
      const asked = Effect.fnUntraced(function* (reasoning: "inside" | undefined) {
        const fields = {
          hidesReasoning: "always",
          contextWindow: 100_000,
          bounds: reasoning === undefined ? {} : { reasoning }
        } as const
        const { layer } = world(
          { openai: [Script.hang] },
          { ...billing("none", fields), failover: { finishAbandonedMs: 0 } }
        )
        return yield* Effect.gen(function* () {
          const { fiber } = yield* askAndLeave(20, streaming({}, { max_tokens: 100 }))
          yield* Fiber.await(fiber)
          return (yield* books).spent!
        }).pipe(Effect.provide(layer))
      })
      assert.closeTo(yield* asked("inside"), 2 * 100, 60)
      // 20 s at the pace of fast servers.
      assert.closeTo(yield* asked(undefined), FASTER * 2 * 20_000, 100)
    })
  )
})

describe("a stream whose caller left, of which not all is text", () => {
  const leaving = (fields: Parameters<typeof deployment>[1], body: object) =>
    Effect.gen(function* () {
      const { fiber } = yield* askAndLeave(8, streaming({}, { max_tokens: 500, ...body }))
      yield* Fiber.await(fiber)
      return (yield* books).spent!
    }).pipe(
      Effect.provide(
        world({ openai: [Script.hang] }, { ...billing("plain", fields), failover: { finishAbandonedMs: 0 } }).layer
      )
    )

  it.effect("costs its pictures by the vendor's rule", () =>
    Effect.gen(function* () {
      const image = { type: "image_url", image_url: { url: png(1024, 1024) } }
      const cost = yield* leaving(
        { bounds: openAiBounds("gpt-4o-mini", factsOf("openai", "gpt-4o-mini")) },
        { messages: [{ role: "user", content: [image] }] }
      )
      assert.closeTo(cost, 2_833 + 4 * 5_667, 30)
    })
  )

  it.effect("costs what may have been said aloud", () =>
    Effect.gen(function* () {
      const spoken = { modalities: ["text", "audio"], audio: { voice: "alloy", format: "pcm16" }, max_tokens: 5_000 }
      assert.closeTo(yield* leaving({}, spoken), 2 * 8 * 125, 30)
    })
  )
})
