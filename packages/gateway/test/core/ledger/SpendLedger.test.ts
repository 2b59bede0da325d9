import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { intent, outcome } from "./Books.ts"
import { budget, callerWith, NOW } from "../call/Support.ts"
import { restartable, booked, at } from "./LedgerWorld.ts"

describe("SpendLedger", () => {
  it.effect("knows after a restart what was spent, and books what was open as abandoned", () =>
    Effect.gen(function* () {
      yield* at(NOW)
      const caller = callerWith({ budgets: [budget(5_000)] }, { name: "red", budgets: [budget(9_000, "month")] })
      const first = yield* SpendLedger
      yield* first.settle(yield* first.reserve(intent(caller)), outcome(300))
      yield* first.reserve(intent(caller))
      const restarted = SpendLedger.layer.pipe(Layer.provide(SqliteStore.repositories), Layer.fresh)
      const second = yield* Effect.provide(SpendLedger, restarted)
      assert.strictEqual((yield* second.budgets("key:key_a", caller.key.budgets))[0]?.spent, 1_300)
      assert.strictEqual((yield* second.budgets("team:red", caller.team!.budgets))[0]?.spent, 1_300)
      const { row } = yield* second.reserve(intent(caller))
      assert.strictEqual(row.id, 3)
      assert.deepStrictEqual(yield* booked, { cost: 1_300, estimated: 1_000, requests: 2, failed: 1 })
    }).pipe(Effect.provide(restartable))
  )
})
