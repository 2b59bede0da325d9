/** A ledger over a real store, for the tests of what it books. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import * as Database from "../../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { HOUR, NOW } from "../call/Support.ts"

export const store = Layer.provideMerge(SpendLedger.layer, SqliteStore.layerMemory)

export const refusal = (ledger: SpendLedger["Service"], ...[asked]: Parameters<SpendLedger["Service"]["reserve"]>) =>
  Effect.map(Effect.flip(ledger.reserve(asked)), (error) =>
    error._tag === "BudgetExceeded" ? error : assert.fail(error._tag)
  )

/** The ports may be made anew over the same database, as after a restart. */
export const restartable = SpendLedger.layer.pipe(
  Layer.provideMerge(SqliteStore.repositories),
  Layer.provideMerge(Database.layerMemory)
)

/** Spend of all times and everybody. */
export const always = {
  from: 0,
  to: NOW + 1_000_000 * HOUR,
  timeZone: "UTC",
  key: undefined,
  team: undefined,
  model: undefined,
  provider: undefined
}

/** All that was ever booked, by what the rollups say. */
export const booked = Effect.gen(function* () {
  const ledger = yield* SpendLedger
  const rows = yield* ledger.spend({ visibility: "all", ...always, groupBy: ["key"] })
  return {
    cost: rows.reduce((sum, row) => sum + row.cost, 0),
    estimated: rows.reduce((sum, row) => sum + row.estimatedCost, 0),
    requests: rows.reduce((sum, row) => sum + row.requests, 0),
    failed: rows.reduce((sum, row) => sum + row.failedRequests, 0)
  }
})

export const at = TestClock.setTime
