/** What every SpendLedger keeps to while budgets change under requests in flight. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { SpendLedger } from "../../src/core/ledger/SpendLedger.ts"
import { intent, keyWith, outcome } from "../core/ledger/Books.ts"
import { budget, callerWith, NOW } from "../core/call/Support.ts"
import { at, refusal } from "../core/ledger/LedgerWorld.ts"

/** `processes`: with several, each tells what it knows; the budgets are the same. */
export const spendLedgerChangesContract = <E>(name: string, layer: Layer.Layer<SpendLedger, E>, processes = 1) =>
  describe(`SpendLedger, while budgets change · ${name}`, () => {
    const byOne = processes === 1 ? it.effect : it.effect.skip
    it.effect("a budget that is added counts what was spent before, and requests that run", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const day = [budget(9_000)]
        const both = [...day, budget(4_000, "month")]
        yield* ledger.settle(yield* ledger.reserve(intent(keyWith(day))), outcome(1_000))
        const running = yield* ledger.reserve(intent(keyWith(day)))
        const state = () => Effect.map(ledger.budgets("key:key_a", both), (states) => states.map((one) => one.spent))
        assert.deepStrictEqual(yield* state(), [1_000, 1_000])
        yield* ledger.settle(running, outcome(700))
        assert.deepStrictEqual(yield* state(), [1_700, 1_700])
      }).pipe(Effect.provide(layer))
    )

    byOne("the first budget of a key counts requests that began before it", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const running = yield* ledger.reserve(intent(callerWith({}, { name: "red" })))
        const now = callerWith({ budgets: [budget(1_500)] }, { name: "red", budgets: [budget(1_500)] })
        yield* ledger.release(yield* ledger.reserve(intent(now)), "nothing")
        yield* ledger.settle(running, outcome(700))
        assert.strictEqual((yield* ledger.budgets("key:key_a", now.key.budgets))[0]?.spent, 700)
        assert.strictEqual((yield* ledger.budgets("team:red", now.team!.budgets))[0]?.spent, 700)
        assert.strictEqual((yield* refusal(ledger, intent(now))).kind, "budget")
      }).pipe(Effect.provide(layer))
    )

    byOne("a lowered budget holds at once, a raised one gives room at once", () =>
      Effect.gen(function* () {
        const ledger = yield* SpendLedger
        yield* ledger.reserve(intent(keyWith([budget(2_500, "total")])))
        yield* refusal(ledger, intent(keyWith([budget(1_500, "total")])))
        yield* ledger.reserve(intent(keyWith([budget(2_000, "total")])))
        assert.strictEqual(yield* ledger.remaining(keyWith([budget(2_000, "total")])), 0)
      }).pipe(Effect.provide(layer))
    )

    it.effect("a budget that was taken away for a while still knows what requests in flight hold", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const day = budget(9_000)
        const month = budget(1_500, "month")
        const running = yield* ledger.reserve(intent(keyWith([day, month])))
        // As when a request that began with the old budgets asks a second provider.
        yield* ledger.release(yield* ledger.reserve(intent(keyWith([day]))), "nothing")
        assert.strictEqual((yield* refusal(ledger, intent(keyWith([day, month])))).kind, "budget_reserved")
        yield* ledger.release(yield* ledger.reserve(intent(keyWith([day]))), "nothing")
        yield* ledger.settle(running, outcome(900))
        const states = yield* ledger.budgets("key:key_a", [day, month])
        assert.deepStrictEqual(
          states.map(({ reserved, spent }) => ({ reserved, spent })),
          [
            { reserved: 0, spent: 900 },
            { reserved: 0, spent: 900 }
          ]
        )
      }).pipe(Effect.provide(layer))
    )

    it.effect("a key without budgets any more has nothing left to tell", () =>
      Effect.gen(function* () {
        const ledger = yield* SpendLedger
        yield* ledger.reserve(intent(keyWith([budget(2_500, "total")])))
        assert.isUndefined(yield* ledger.remaining(keyWith([])))
      }).pipe(Effect.provide(layer))
    )
  })
