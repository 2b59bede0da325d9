import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import { noUsage, type Usage } from "../../../src/core/domain/Usage.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { verifyLedger } from "../../../../model-gateway/src/store/reading/SqliteVerify.ts"
import { intent, keyWith, outcome } from "./Books.ts"
import { always, restartable } from "./LedgerWorld.ts"
import { budget, HOUR, NOW } from "../call/Support.ts"

/** A ledger on the same rows, as after a restart of the process. */
const restarted = Effect.provide(
  SpendLedger,
  SpendLedger.layer.pipe(Layer.provide(SqliteStore.repositories), Layer.fresh)
)

const stateOf = Effect.fnUntraced(function* (ledger: SpendLedger["Service"], budgets = [budget(10_000, "hour")]) {
  const [state] = yield* ledger.budgets("key:key_a", budgets)
  return { spent: state?.spent, reserved: state?.reserved }
})

const garbage: { readonly [what: string]: Partial<Usage> } = {
  "no number": { output: Number.NaN },
  "below zero": { input: -5 },
  "half a token": { cachedInput: 0.5 },
  endless: { reasoning: Number.POSITIVE_INFINITY },
  "more than a number can count": { audioOutput: 2 ** 60 }
}

describe("SpendLedger, what must not spoil the books", () => {
  for (const [what, usage] of Object.entries(garbage)) {
    it.effect(`usage that is ${what} is booked as what was held, as an estimate`, () =>
      Effect.gen(function* () {
        const ledger = yield* SpendLedger
        const reservation = yield* ledger.reserve(intent(keyWith([budget(10_000, "hour")])))
        const cost = yield* ledger.settle(reservation, outcome(0, { usage: { ...noUsage, ...usage } }))
        assert.strictEqual(cost, 1_000)
        assert.deepStrictEqual(yield* stateOf(ledger), { spent: 1_000, reserved: 0 })
        const [row] = yield* ledger.spend({ visibility: "all", ...always, groupBy: ["key"] })
        assert.deepInclude(row, { cost: 1_000, estimatedCost: 1_000, inputTokens: 0, outputTokens: 0 })
        assert.deepStrictEqual(yield* verifyLedger, [])
      }).pipe(Effect.provide(restartable))
    )
  }

  it.effect("a claim of a billion tokens closes the budget and leaves every sum exact", () =>
    Effect.gen(function* () {
      const ledger = yield* SpendLedger
      const caller = keyWith([budget(10_000, "hour")])
      const reservation = yield* ledger.reserve(intent(caller))
      assert.strictEqual(yield* ledger.settle(reservation, outcome(1e9)), 1e9)
      assert.strictEqual((yield* Effect.flip(ledger.reserve(intent(caller))))._tag, "BudgetExceeded")
      assert.deepStrictEqual(yield* stateOf(ledger), { spent: 1e9, reserved: 0 })
      assert.strictEqual(yield* ledger.remaining(caller), 0)
    }).pipe(Effect.provide(restartable))
  )

  it.effect("a clock that was set back: memory and store go by the time of the rows", () =>
    Effect.gen(function* () {
      const ledger = yield* SpendLedger
      const caller = keyWith([budget(10_000, "hour")])
      const spend = Effect.flatMap(ledger.reserve(intent(caller)), (one) => ledger.settle(one, outcome(700)))
      yield* TestClock.setTime(NOW)
      yield* spend
      yield* TestClock.setTime(NOW - HOUR)
      yield* spend
      assert.deepStrictEqual(yield* stateOf(ledger), { spent: 700, reserved: 0 })
      assert.deepStrictEqual(yield* verifyLedger, [])
      const next = yield* restarted
      assert.deepStrictEqual(yield* stateOf(next), { spent: 700, reserved: 0 })
      for (const one of [ledger, next]) {
        yield* TestClock.setTime(NOW)
        assert.deepStrictEqual(yield* stateOf(one), { spent: 700, reserved: 0 })
      }
      assert.deepStrictEqual(yield* verifyLedger, [])
    }).pipe(Effect.provide(restartable))
  )

  it.effect("an attempt that has ended frees its money before it is booked, and is booked once", () =>
    Effect.gen(function* () {
      const ledger = yield* SpendLedger
      const caller = keyWith([budget(1_000, "hour")])
      const first = yield* ledger.reserve(intent(caller))
      const ended = yield* ledger.end(first, { usage: noUsage, estimated: true })
      const second = yield* ledger.reserve(intent(caller, { attempt: 1 }))
      assert.isUndefined(yield* ledger.end(first, undefined))
      assert.strictEqual(yield* ledger.settle(first, outcome(500)), 0)
      assert.strictEqual(yield* ledger.book(ended, "failed_request"), 0)
      yield* ledger.settle(second, outcome(900))
      assert.deepStrictEqual(yield* stateOf(ledger, [budget(1_000, "hour")]), { spent: 900, reserved: 0 })
      const [row] = yield* ledger.spend({ visibility: "all", ...always, groupBy: ["key"] })
      assert.deepInclude(row, { cost: 900, requests: 2, failedRequests: 1 })
      assert.deepStrictEqual(yield* verifyLedger, [])
    }).pipe(Effect.provide(restartable))
  )
})
