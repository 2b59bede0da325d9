import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Receipt } from "../../../src/core/receipts/Receipt.ts"
import { ReceiptEvents } from "../../../src/core/receipts/ReceiptEvents.ts"
import { Refusals } from "../../../src/core/receipts/Refusals.ts"

const layer = Refusals.layer.pipe(Layer.provideMerge(ReceiptEvents.layer))

const refused = (keyId: string, code = "invalid_json", at = 0) => ({
  requestId: `req_${keyId}_${at}`,
  at,
  durationMs: 1,
  keyId,
  team: null,
  endpoint: "/v1/chat/completions",
  requestedModel: "",
  limit: undefined,
  refusal: { method: "POST", httpStatus: 400, code, message: "The body is not JSON." }
})

/** The receipts that were sent, as they come. */
const sent = Effect.map(ReceiptEvents, ({ listen }) => {
  const receipts: Array<Receipt> = []
  listen((receipt) => void receipts.push(receipt))
  return receipts
})

const requestsIn = (receipts: ReadonlyArray<Receipt>): number =>
  receipts.reduce((sum, { refusal }) => sum + (refusal?.count ?? 0), 0)

describe("refusals", () => {
  it.effect("have ten receipts for a key and an error in a minute, and one for all others of that minute", () =>
    Effect.gen(function* () {
      const receipts = yield* sent
      const { add } = yield* Refusals
      for (let at = 0; at < 30; at++) add(refused("key_a", "invalid_json", at))
      add(refused("key_a", "model_not_found"))
      assert.lengthOf(receipts, 11)
      yield* TestClock.adjust("59 seconds")
      assert.lengthOf(receipts, 11)
      yield* TestClock.adjust("1 second")
      assert.deepInclude(receipts[11], { requestId: "req_key_a_10", at: 10, durationMs: 19, status: "refused" })
      assert.strictEqual(receipts[11]?.refusal?.count, 20)
      add(refused("key_a"))
      assert.lengthOf(receipts, 13)
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(receipts, 13)
    }).pipe(Effect.provide(layer))
  )

  it.effect("have a thousand receipts of their own in a minute, however many keys send them, and all are counted", () =>
    Effect.gen(function* () {
      const receipts = yield* sent
      const { add } = yield* Refusals
      for (let index = 0; index < 2_000; index++) add(refused(`key_${index}`))
      assert.lengthOf(receipts, 1_000)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(requestsIn(receipts), 2_000)
    }).pipe(Effect.provide(layer))
  )

  it.effect("of more than ten thousand keys in a minute are counted without their keys", () =>
    Effect.gen(function* () {
      const receipts = yield* sent
      const { add } = yield* Refusals
      for (let index = 0; index < 12_000; index++) add(refused(`key_${index}`))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(requestsIn(receipts), 12_000)
      assert.isAtMost(receipts.length, 10_001)
    }).pipe(Effect.provide(layer))
  )

  it.effect("that were only counted have their receipts when the gateway ends", () =>
    Effect.gen(function* () {
      const receipts = yield* Effect.gen(function* () {
        const receipts = yield* sent
        const { add } = yield* Refusals
        for (let at = 0; at < 12; at++) add(refused("key_a", "invalid_json", at))
        return receipts
      }).pipe(Effect.provide(layer))
      assert.strictEqual(requestsIn(receipts), 12)
    })
  )

  it.effect("are failures where the gateway itself is at fault", () =>
    Effect.gen(function* () {
      const receipts = yield* sent
      const { add } = yield* Refusals
      const fault = refused("key_a", "internal_error")
      add({ ...fault, refusal: { ...fault.refusal, httpStatus: 500 } })
      assert.strictEqual(receipts[0]?.status, "failed")
    }).pipe(Effect.provide(layer))
  )
})
