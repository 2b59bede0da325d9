/** Reservations that nobody closes within a living process. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import { AbandonedRule } from "../../../src/core/domain/AbandonedRule.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { intent as intentOf, keyWith, outcome } from "./Books.ts"
import { budget, DAY, deployment } from "../call/Support.ts"

const caller = keyWith([budget(2_500, "total")])

/** With a `total` of 10 minutes. */
const intent: typeof intentOf = (caller, fields) => intentOf(caller, { deployment: deployment("openai/a"), ...fields })

const ledgerBy = (rule: AbandonedRule) =>
  SpendLedger.layer.pipe(
    Layer.provide(SqliteStore.layerMemory),
    Layer.provide(Layer.succeed(AbandonedRule, rule)),
    Layer.orDie
  )

const state = Effect.gen(function* () {
  const ledger = yield* SpendLedger
  const [budget] = yield* ledger.budgets("key:key_a", caller.key.budgets)
  return { spent: budget!.spent, reserved: budget!.reserved }
})

describe("a reservation that nobody closes", () => {
  // The call's `total` of 10 minutes and 10 more.
  for (const [rule, spent] of [
    ["book", 1_000],
    ["void", 0]
  ] as const) {
    it.effect(`is closed once its call can't be under way any more: ${rule}`, () =>
      Effect.gen(function* () {
        const ledger = yield* SpendLedger
        const lost = yield* ledger.reserve(intent(caller))
        yield* TestClock.adjust("19 minutes")
        const living = yield* ledger.reserve(intent(caller))
        assert.deepStrictEqual(yield* state, { spent: 0, reserved: 2_000 })
        yield* TestClock.adjust("1 minutes")
        assert.deepStrictEqual(yield* state, { spent, reserved: 1_000 })
        // Too late to change anything.
        assert.strictEqual(yield* ledger.settle(lost, outcome(7)), 0)
        assert.strictEqual(yield* ledger.settle(living, outcome(70)), 70)
        assert.deepStrictEqual(yield* state, { spent: spent + 70, reserved: 0 })
      }).pipe(Effect.provide(ledgerBy(rule)))
    )
  }

  it.effect("makes room for the next request", () =>
    Effect.gen(function* () {
      const ledger = yield* SpendLedger
      yield* ledger.reserve(intent(caller))
      yield* ledger.reserve(intent(caller))
      assert.strictEqual((yield* Effect.flip(ledger.reserve(intent(caller))))._tag, "BudgetExceeded")
      yield* TestClock.adjust("20 minutes")
      assert.strictEqual((yield* ledger.reserve(intent(caller))).reserved, 1_000)
    }).pipe(Effect.provide(ledgerBy("void")))
  )

  it.effect("is not closed by a clock that is set forward", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let ahead = 0
      const set = { ...clock, currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ahead }
      yield* Effect.gen(function* () {
        const ledger = yield* SpendLedger
        const living = yield* ledger.reserve(intent(caller))
        ahead = 30 * DAY
        yield* Effect.ignore(ledger.reserve(intent(caller, { attempt: 1 })))
        assert.strictEqual(yield* ledger.settle(living, outcome(70)), 70)
      }).pipe(Effect.provide(Layer.provide(ledgerBy("book"), Layer.succeed(Clock.Clock, set))))
    })
  )
})
