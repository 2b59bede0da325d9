import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ReceiptEvents } from "../../../src/core/receipts/ReceiptEvents.ts"
import { Refusals } from "../../../src/core/receipts/Refusals.ts"
import { Traffic } from "../../../src/core/admin/Traffic.ts"
import { TrafficRepository } from "../../../src/core/admin/TrafficRepository.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"

const layer = Layer.merge(Traffic.layer, Refusals.layer).pipe(
  Layer.provideMerge(ReceiptEvents.layer),
  Layer.provideMerge(SqliteStore.layerMemory)
)

const refusedBy = (keyId: string) =>
  Effect.map(Refusals, ({ add }) =>
    add({
      requestId: "req_1",
      at: 0,
      durationMs: 0,
      keyId,
      team: null,
      endpoint: "chat",
      requestedModel: "",
      limit: "rpm",
      refusal: { method: "POST", httpStatus: 429, code: "rate_limit_exceeded", message: "" }
    })
  )

/** Requests that the store knows of: what a gateway that is killed leaves behind. */
const stored = Effect.gen(function* () {
  const repository = yield* TrafficRepository
  let requests = 0
  yield* repository.read({ cut: "callers", grain: "hour", from: 0, to: 1 }, ({ sums }) => {
    requests += sums.requests
  })
  return requests
})

describe("traffic", () => {
  it.effect("is in the store within seconds, so that little is lost where a gateway is killed", () =>
    Effect.gen(function* () {
      yield* refusedBy("key_a")
      assert.strictEqual(yield* stored, 0)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* stored, 1)
      yield* refusedBy("key_a")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* stored, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is written once a minute while hundreds of keys are busy, and soon again after that", () =>
    Effect.gen(function* () {
      const many = Effect.forEach(Array.from({ length: 300 }), (_, index) => refusedBy(`key_${index}`))
      yield* many
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* stored, 300)
      yield* many
      yield* TestClock.adjust("50 seconds")
      assert.strictEqual(yield* stored, 300)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* stored, 600)
      yield* refusedBy("key_a")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* stored, 601)
      yield* refusedBy("key_a")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* stored, 602)
    }).pipe(Effect.provide(layer))
  )
})
