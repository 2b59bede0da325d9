/** `router.shadow`: decides and records, and routes as before. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { Receipt } from "../../../src/core/receipts/Receipt.ts"
import { ReceiptArchive } from "../../../src/core/receipts/ReceiptArchive.ts"
import { ReceiptEvents } from "../../../src/core/receipts/ReceiptEvents.ts"
import { Router } from "../../../src/core/routing/Router.ts"
import { wireReceipt } from "../../../src/http/records/ReceiptRecords.ts"
import { PageDraft } from "../../../src/storage/records/receipts/PageDraft.ts"
import { decodePage } from "../../../src/storage/records/receipts/ReceiptPages.ts"
import { Script } from "../../../src/testing/Script.ts"
import { ask, azure, big, claude, mini, world, type World } from "../routing/RouterWorld.ts"
import { callerWith, chatRequest, deployment, gatewayLayer, priceSheet, rates } from "../call/Support.ts"
import { ask as send, input } from "../call/Talk.ts"

const decide = (request: ReturnType<typeof ask>, given: World = {}, hints = {}) =>
  Effect.flatMap(Router, (router) => router.decide(request, callerWith(), hints)).pipe(
    Effect.provide(world({ shadow: true, ...given }))
  )

describe("the router in shadow", () => {
  const dear = { ...claude, price: priceSheet(rates(10, 20)) }
  const deployments = [mini, big, azure, dear]

  it.effect("leaves a named model where it is, and records what auto would have done and saved", () =>
    Effect.gen(function* () {
      const { bucket, candidates, reasons, score, shadow } = yield* decide(ask("best", "0.1"), { deployments })
      assert.deepStrictEqual([candidates[0]?.id, bucket, score], ["anthropic/claude", "none", 0])
      assert.deepInclude(shadow, { bucket: "simple", score: 0.1, deployment: "openai/mini" })
      // Nine nano-USD a token read, and 18 for each of 1,000 tokens written.
      const read = ask("best", "0.1").inputEstimate
      assert.strictEqual(shadow?.difference, 9 * read + 18_000)
      assert.deepStrictEqual(reasons, ["alias best", "auto would have chosen openai/mini: score 0.1, bucket simple"])
    })
  )

  it.effect("says what a short message was taken for", () =>
    Effect.gen(function* () {
      const after = (last: string) =>
        decide(
          chatRequest({
            model: "best",
            messages: [
              { role: "user", content: "0.9 is what this message is worth, by itself" },
              { role: "assistant", content: "Done." },
              { role: "user", content: last }
            ]
          })
        )
      const [goesOn, closes] = [yield* after("go on"), yield* after("thanks")]
      assert.deepInclude(goesOn.shadow, { bucket: "complex", score: 0.9 })
      assert.include(goesOn.reasons, "a short follow-up: scored by the message it follows")
      assert.deepInclude(closes.shadow, { bucket: "simple", score: 0 })
      assert.include(closes.reasons, "a courtesy that asks for nothing: scored by itself, not by what it follows")
    })
  )

  it.effect("sends auto to the strongest bucket that can serve it", () =>
    Effect.gen(function* () {
      const decision = yield* decide(ask("auto", "0.1"), { deployments })
      assert.deepStrictEqual(
        [decision.candidates[0]?.id, decision.bucket, decision.score],
        ["anthropic/claude", "complex", 0]
      )
      assert.deepInclude(decision.shadow, { bucket: "simple", score: 0.1, deployment: "openai/mini" })
      // The spares come from below, the nearest first: above there is nothing.
      const spares = decision.candidates.slice(1).map(({ id }) => id)
      assert.strictEqual(spares[0], "openai/big")
      assert.sameMembers(spares, ["openai/big", "openai/mini", "azure/mini"])
      const rotated = { standing: { "anthropic/claude": { isInRotation: false } } }
      assert.strictEqual((yield* decide(ask("auto", "0.1"), rotated)).bucket, "standard")
      const ill = { standing: { "anthropic/claude": { isReady: false } } }
      assert.strictEqual((yield* decide(ask("auto", "0.1"), ill)).candidates[0]?.id, "openai/big")
    })
  )

  it.effect("records when auto would have had nothing, and when nobody knows a price", () =>
    Effect.gen(function* () {
      const rotated = { standing: { "anthropic/claude": { isInRotation: false } } }
      const { shadow } = yield* decide(ask("fast", "0.9"), rotated)
      assert.deepStrictEqual(shadow, { bucket: "complex", score: 0.9, deployment: null, difference: null })
      const unpriced = { deployments: [{ ...mini, price: undefined }, big, azure, claude] }
      assert.isNull((yield* decide(ask("best", "0.1"), unpriced)).shadow?.difference)
    })
  )

  it.effect("is off unless it is turned on", () =>
    Effect.gen(function* () {
      for (const model of ["auto", "best"]) assert.isUndefined((yield* decide(ask(model), { shadow: false })).shadow)
    })
  )
})

describe("a receipt of a request that auto watched", () => {
  it.effect("says what auto would have done, on the wire and after a restart", () => {
    const told: Array<Receipt> = []
    const listening = Layer.effectDiscard(
      Effect.map(ReceiptEvents, (log) => log.listen((receipt) => void told.push(receipt)))
    )
    const layer = gatewayLayer(
      { "*": [Script.answer("Hi")] },
      {
        deployments: [deployment("openai/a"), deployment("backup/b", { price: priceSheet(rates(3, 6)) })],
        router: {
          buckets: [
            { name: "simple", deployments: ["openai/a"] },
            { name: "reasoning", deployments: ["backup/b"] }
          ],
          cutPoints: [0.9],
          preferShift: 0,
          model: undefined,
          shadow: true
        }
      }
    )
    return Effect.gen(function* () {
      const answer = yield* send(input({ model: "auto", messages: [{ role: "user", content: "Hello" }] }))
      assert.deepInclude(answer.report, { bucket: "reasoning", score: 0 })
      const [receipt] = told as [Receipt]
      const { shadow } = wireReceipt(receipt).decision
      assert.deepInclude(shadow, { bucket: "simple", deployment: "openai/a" })
      assert.isAbove(shadow?.expected_difference_usd ?? 0, 0)
      const archive = yield* ReceiptArchive
      const kept = Option.getOrThrow(yield* archive.find("rcpt_1"))
      assert.deepStrictEqual(wireReceipt(kept).decision.shadow, shadow)
      // As pages are read back, those of before included.
      const [again] = decodePage(PageDraft.of([receipt]).body)
      assert.deepStrictEqual(again?.shadow, receipt.shadow)
      const [names, [line]] = JSON.parse(PageDraft.of([receipt]).body)
      const [old] = decodePage(JSON.stringify([names, [line.slice(0, 20)]]))
      assert.isUndefined(old?.shadow)
      assert.deepStrictEqual(old?.reasons, receipt.reasons)
    }).pipe(Effect.provide(Layer.provideMerge(listening, layer)))
  })
})
