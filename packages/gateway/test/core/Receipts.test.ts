import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Option, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Gateway } from "../../src/core/Gateway.ts"
import { costOf, isEstimate, type Receipt, usageOf } from "../../src/core/Receipt.ts"
import { ReceiptArchive } from "../../src/core/ReceiptArchive.ts"
import { RequestLog } from "../../src/core/RequestLog.ts"
import { countTokens } from "../../src/core/Tokens.ts"
import { Script, type Scripts } from "../../src/testing/Script.ts"
import { ask, books, input, read, streaming } from "./Talk.ts"
import { budget, callerWith, deployment, gatewayLayer, settleDown } from "./Support.ts"

const aliases = new Map([["both", ["openai/a", "backup/b"]]])

/** A gateway with two deployments in one alias; `told` has every receipt that was told. */
const world = (scripts: Scripts, fleet: Parameters<typeof gatewayLayer>[1] = {}) => {
  const told: Array<Receipt> = []
  const listening = Layer.effectDiscard(
    Effect.map(RequestLog, (log) => log.listen((receipt) => void told.push(receipt)))
  )
  return { told, layer: Layer.provideMerge(listening, gatewayLayer(scripts, { aliases, ...fleet })) }
}

const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>, seconds = 150) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    for (let i = 0; i < seconds; i++) yield* TestClock.adjust("1 seconds")
    return yield* Fiber.join(fiber)
  })

/** What the receipts say was spent is what the ledger says. */
const agreesWithLedger = (told: ReadonlyArray<Receipt>) =>
  Effect.map(books, ({ reserved, rows, spent }) => {
    const cost = told.reduce((sum, receipt) => sum + costOf(receipt), 0)
    const booked = Object.values<{ readonly cost: number }>(rows).reduce((sum, row) => sum + row.cost, 0)
    assert.deepStrictEqual([cost, reserved], [booked, 0])
    assert.strictEqual(spent, booked)
  })

const outcomes = (receipt: Receipt) => receipt.attempts.map(({ outcome }) => outcome)

describe("receipts of whole answers", () => {
  it.effect("one that went well", () => {
    const { layer, told } = world({ "*": [Script.answer("Hi")] })
    return Effect.gen(function* () {
      yield* TestClock.setTime(5_000)
      yield* ask(input({ model: "both" }, { requestId: "req_9", tags: ["b", "a", "b"] }))
      assert.lengthOf(told, 1)
      const [receipt] = told as [Receipt]
      assert.deepInclude(receipt, {
        requestId: "req_9",
        at: 5_000,
        durationMs: 0,
        keyId: "key_a",
        team: null,
        endpoint: "/v1/chat/completions",
        requestedModel: "both",
        deployment: "openai/a",
        provider: "openai",
        model: "a",
        bucket: "none",
        score: 0,
        status: "ok",
        stream: false,
        priced: true,
        priceSource: "test",
        priceVersion: "1",
        tags: ["a", "b"]
      })
      assert.deepStrictEqual(receipt.reasons, ["alias both"])
      const [attempt] = receipt.attempts
      assert.deepInclude(attempt, { deployment: "openai/a", outcome: "ok", httpStatus: 200, firstTokenMs: null })
      assert.deepInclude(attempt?.usage, { input: 10, output: 5 })
      assert.isFalse(isEstimate(receipt))
      yield* agreesWithLedger(told)
      const archive = yield* ReceiptArchive
      assert.isTrue(Option.isSome(yield* archive.find("rcpt_9")))
      assert.isTrue(Option.isSome(yield* archive.find("req_9")))
    }).pipe(Effect.provide(layer))
  })

  it.effect("one that needed another deployment, with the times of both", () => {
    const { layer, told } = world({ openai: [Script.silentAfter(0)], backup: [Script.answer("Hi")] })
    return Effect.gen(function* () {
      // The tokenizer takes its time the first time, and the test's clock does not wait for it.
      yield* countTokens("Hi", "openai-chat")
      yield* inTime(ask(input({ model: "both" })))
      assert.lengthOf(told, 1)
      const [receipt] = told as [Receipt]
      assert.deepInclude(receipt, { status: "ok", deployment: "backup/b", durationMs: 60_000 })
      assert.deepStrictEqual(outcomes(receipt), ["first_token_timeout", "ok"])
      const [first, second] = receipt.attempts
      // A provider that kept silent has read the question.
      assert.isAbove(first?.cost ?? 0, 0)
      assert.deepInclude(first, { startedMs: 0, durationMs: 60_000, httpStatus: null, estimated: true })
      assert.deepInclude(second, { startedMs: 60_000, durationMs: 0, cost: 20, estimated: false })
      // And may have written all that it was allowed to, besides the answer of the other.
      assert.strictEqual(usageOf(receipt).output, 5 + 100)
      assert.isTrue(isEstimate(receipt))
      yield* agreesWithLedger(told)
    }).pipe(Effect.provide(layer))
  })

  it.effect("one that no deployment answered", () => {
    const { layer, told } = world({ openai: [Script.status(503)], backup: [Script.status(429)] })
    return Effect.gen(function* () {
      yield* inTime(Effect.flip(ask(input({ model: "both" }))))
      assert.lengthOf(told, 1)
      const [receipt] = told as [Receipt]
      assert.strictEqual(receipt.status, "failed")
      // Who was asked last.
      assert.strictEqual(receipt.deployment, receipt.attempts.at(-1)?.deployment)
      assert.deepStrictEqual(
        receipt.attempts.slice(0, 2).map(({ deployment, httpStatus, outcome }) => [deployment, outcome, httpStatus]),
        [
          ["openai/a", "unavailable", 503],
          ["backup/b", "rate_limited", 429]
        ]
      )
      assert.strictEqual(costOf(receipt), 0)
      yield* agreesWithLedger(told)
    }).pipe(Effect.provide(layer))
  })

  it.effect("one that a budget refused was routed, and no deployment was asked", () => {
    const { layer, told } = world({})
    return Effect.gen(function* () {
      const caller = callerWith({ budgets: [budget(1)] })
      const error = yield* Effect.flip(ask(input({}, { caller })))
      assert.strictEqual(error._tag, "BudgetExceeded")
      assert.lengthOf(told, 1)
      assert.deepInclude(told[0], { status: "refused", deployment: "openai/a", attempts: [] })
    }).pipe(Effect.provide(layer))
  })

  it.effect("one that could not be routed has none", () => {
    const { layer, told } = world({})
    return Effect.gen(function* () {
      yield* Effect.flip(ask(input({ model: "nothing" })))
      assert.lengthOf(told, 0)
    }).pipe(Effect.provide(layer))
  })

  for (const isCallerGone of [true, false]) {
    it.effect(`one that ${isCallerGone ? "its caller left" : "the shutdown ended"} before the answer`, () => {
      const { layer, told } = world({ "*": [Script.silentAfter(0)] })
      return Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(ask(input({}, { isCallerGone: () => isCallerGone })))
        yield* TestClock.adjust("3 seconds")
        yield* Fiber.interrupt(fiber)
        assert.lengthOf(told, 1)
        const [receipt] = told as [Receipt]
        assert.strictEqual(receipt.status, isCallerGone ? "client_gone" : "failed")
        assert.deepStrictEqual(outcomes(receipt), [isCallerGone ? "client_gone" : "shutdown"])
        assert.deepInclude(receipt.attempts[0], { durationMs: 3_000, httpStatus: null, estimated: true })
        assert.isAbove(costOf(receipt), 0)
        yield* agreesWithLedger(told)
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("says of an unpriced model that nobody knows what it cost", () => {
    const unpriced = [deployment("openai/a", { price: undefined })]
    const { layer, told } = world({ "*": [Script.answer("Hi")] }, { deployments: unpriced, aliases: new Map() })
    return Effect.gen(function* () {
      yield* ask(input())
      assert.deepInclude(told[0], { priced: false, priceSource: null, status: "ok" })
    }).pipe(Effect.provide(layer))
  })
})

describe("receipts of streams", () => {
  it.effect("one that was read to its end", () => {
    const { layer, told } = world({ "*": [Script.stream(["one ", "two"])] })
    return Effect.gen(function* () {
      yield* read(streaming())
      assert.lengthOf(told, 1)
      const [receipt] = told as [Receipt]
      assert.deepInclude(receipt, { status: "ok", stream: true })
      assert.deepInclude(receipt.attempts[0], { outcome: "ok", httpStatus: 200, firstTokenMs: 0, cost: 20 })
      yield* agreesWithLedger(told)
    }).pipe(Effect.provide(layer))
  })

  it.effect("one that broke off", () => {
    const { layer, told } = world({ "*": [Script.cutAfter(2)] })
    return Effect.gen(function* () {
      const { failure } = yield* read(streaming())
      assert.isDefined(failure)
      assert.lengthOf(told, 1)
      const [receipt] = told as [Receipt]
      assert.strictEqual(receipt.status, "cut")
      assert.deepStrictEqual(outcomes(receipt), ["truncated"])
      assert.isTrue(isEstimate(receipt))
      yield* agreesWithLedger(told)
    }).pipe(Effect.provide(layer))
  })

  for (const isCallerGone of [true, false]) {
    it.effect(`one that ${isCallerGone ? "its caller left" : "the shutdown ended"} in its middle`, () => {
      const { layer, told } = world({ "*": [Script.stream(["one ", "two"])] })
      return Effect.gen(function* () {
        const scope = yield* Scope.make()
        const gateway = yield* Gateway
        const asked = streaming({ isCallerGone: () => isCallerGone })
        const answer = yield* Scope.provide(gateway.chat(asked), scope)
        if (answer.kind === "whole") return assert.fail("no stream")
        yield* Stream.runDrain(Stream.take(answer.events, 1))
        assert.lengthOf(told, 0)
        yield* Scope.close(scope, Exit.void)
        assert.lengthOf(told, 1)
        const [receipt] = told as [Receipt]
        assert.strictEqual(receipt.status, isCallerGone ? "client_gone" : "cut")
        assert.deepStrictEqual(outcomes(receipt), [isCallerGone ? "client_gone" : "shutdown"])
        assert.strictEqual(receipt.attempts[0]?.httpStatus, 200)
        yield* agreesWithLedger(told)
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("one whose caller left while it was held back", () => {
    const { layer, told } = world({ "*": [Script.silentAfter(0)] })
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(read(streaming()))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.interrupt(fiber)
      yield* settleDown
      assert.lengthOf(told, 1)
      const [receipt] = told as [Receipt]
      assert.strictEqual(receipt.status, "client_gone")
      assert.deepInclude(receipt.attempts[0], { outcome: "client_gone", durationMs: 2_000 })
      yield* agreesWithLedger(told)
    }).pipe(Effect.provide(layer))
  })

  it.effect("one that the next deployment answered", () => {
    const { layer, told } = world({ openai: [Script.status(500)], backup: [Script.stream(["fine"])] })
    return Effect.gen(function* () {
      yield* inTime(read(streaming({}, { model: "both" })))
      assert.lengthOf(told, 1)
      assert.deepStrictEqual(outcomes(told[0]!), ["unavailable", "ok"])
      yield* agreesWithLedger(told)
    }).pipe(Effect.provide(layer))
  })
})
