import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import type { ReservationRow } from "../../../src/core/ledger/LedgerJournal.ts"
import { intent, journalLayer, keyWith, outcome } from "./Books.ts"
import { budget, callerWith, deployment, NOW } from "../call/Support.ts"
import { restartable, booked, at } from "./LedgerWorld.ts"

/** The rows that a ledger opens. */
const noted = (rows: Array<ReservationRow>) =>
  SpendLedger.layer.pipe(
    Layer.provide(
      journalLayer((real) => ({
        ...real,
        reserve: (row) =>
          Effect.andThen(
            Effect.sync(() => rows.push(row)),
            real.reserve(row)
          )
      }))
    ),
    Layer.provide(SqliteStore.layerMemory)
  )

describe("SpendLedger", () => {
  it.effect("keeps source and version of the price, and tags once each and in order", () => {
    const rows: Array<ReservationRow> = []
    return Effect.gen(function* () {
      const ledger = yield* SpendLedger
      yield* ledger.reserve(intent(keyWith([]), { tags: ["b", "a", "b"] }))
      yield* ledger.reserve(intent(keyWith([])))
      yield* ledger.reserve(intent(keyWith([]), { deployment: deployment("x/y", { price: undefined }) }))
      const [row, next, unpriced] = rows
      assert.deepInclude(row, { priceSource: "test", priceVersion: "1", tags: "a,b", keyId: "key_a", team: null })
      assert.isAbove(next!.id, row!.id)
      assert.strictEqual(next!.tags, "")
      assert.isNull(unpriced!.priceSource)
    }).pipe(Effect.provide(noted(rows)))
  })

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
      assert.strictEqual((yield* second.reserve(intent(caller))).id, 3)
      assert.deepStrictEqual(yield* booked, { cost: 1_300, estimated: 1_000, requests: 2, failed: 1 })
    }).pipe(Effect.provide(restartable))
  )
})
