import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { KeyRepository, type StoredKey } from "../../src/core/keys/KeyRepository.ts"
import { LedgerJournal, type WindowCharge } from "../../src/core/ledger/LedgerJournal.ts"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as KeyRepositorySqlite from "../../src/storage/sqlite/keys/KeyRepositorySqlite.ts"
import * as LedgerJournalSqlite from "../../src/storage/sqlite/ledger/LedgerJournalSqlite.ts"
import { verifyLedger } from "../../../model-gateway/src/store/reading/SqliteVerify.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { HOUR, key, NOW, reservation, settlement, today } from "./Support.ts"

const memory = Layer.provideMerge(LedgerJournalSqlite.layer, Database.layerMemory)

const books = Effect.gen(function* () {
  const journal = yield* LedgerJournal
  for (const id of [1, 2, 3]) {
    const row = reservation({ id, at: NOW + id * HOUR })
    yield* journal.settle(settlement(row, { charges: [today("key:key_a"), today("team:red")] }))
  }
})

/** What `verifyLedger` says after a statement was run behind the ledger's back. */
const after = (statement: string) =>
  Effect.gen(function* () {
    yield* books
    assert.deepStrictEqual(yield* verifyLedger, [])
    const writer = yield* Writer
    yield* writer.write((db) => db.exec(statement))
    const differences = yield* verifyLedger
    return differences.map(({ expected, found, kind, sum }) => `${kind} ${sum} ${expected} ${found}`)
  }).pipe(Effect.provide(memory))

describe("verifyLedger", () => {
  it.effect("finds a row whose cost was changed", () =>
    Effect.gen(function* () {
      const found = yield* after("UPDATE ledger SET cost = 701 WHERE id = 2")
      assert.deepStrictEqual(found, ["rollup cost 701 700"])
    })
  )

  it.effect("finds a rollup that was changed, in the windows too", () =>
    Effect.gen(function* () {
      const found = yield* after("UPDATE rollup SET cost = cost + 5, requests = 0 WHERE last_id = 3")
      assert.deepStrictEqual(found, [
        "rollup requests 1 0",
        "rollup cost 700 705",
        "window spent 2105 2100",
        "window spent 2105 2100"
      ])
    })
  )

  it.effect("finds a rollup without rows and rows without a rollup", () =>
    Effect.gen(function* () {
      assert.include(yield* after("DELETE FROM ledger WHERE id = 1"), "rollup cost 0 700")
      assert.include(yield* after("DELETE FROM rollup WHERE last_id = 1"), "rollup cost 700 0")
    })
  )

  it.effect("finds a budget window that was changed, and says which", () =>
    Effect.gen(function* () {
      yield* books
      const writer = yield* Writer
      yield* writer.write((db) => db.exec("UPDATE budget_windows SET spent = 0 WHERE scope = 'team:red'"))
      assert.deepStrictEqual(yield* verifyLedger, [
        {
          kind: "window",
          of: "team:red day@UTC from 2026-03-01T00:00:00.000Z",
          sum: "spent",
          expected: 2100n,
          found: 0n
        }
      ])
    }).pipe(Effect.provide(memory))
  )

  /** A charge that was forgotten, where the window is read back as `budgets` says. */
  const forgotten = (budgets: StoredKey["budgets"]) =>
    Effect.gen(function* () {
      const keys = yield* KeyRepository
      const journal = yield* LedgerJournal
      yield* TestClock.setTime(NOW)
      yield* keys.insert(key({ id: "key_a", budgets }))
      yield* journal.openWindow(today("key:key_a"))
      yield* journal.settle(settlement(reservation({ id: 1, team: null })))
      return yield* verifyLedger
    }).pipe(Effect.provide(Layer.provideMerge(KeyRepositorySqlite.layer, memory)))

  it.effect("insists on the present windows of budgets in force", () =>
    Effect.gen(function* () {
      const [difference, ...others] = yield* forgotten([{ limit: 1, window: "day", timeZone: "UTC" }])
      assert.deepStrictEqual(others, [])
      assert.deepInclude(difference, { kind: "window", expected: 700n, found: 0n })
      assert.deepStrictEqual(yield* forgotten([{ limit: 1, window: "day", timeZone: "Asia/Tokyo" }]), [])
      assert.deepStrictEqual(yield* forgotten([]), [])
    })
  )

  it.effect("a budget that was away for a while is counted anew, and nothing is missing in between", () =>
    Effect.gen(function* () {
      const keys = yield* KeyRepository
      const journal = yield* LedgerJournal
      yield* TestClock.setTime(NOW)
      const day = { limit: 1, window: "day" as const, timeZone: "UTC" }
      const total = { limit: 1, window: "total" as const, timeZone: "UTC" }
      const spend = (id: number, charges: ReadonlyArray<WindowCharge>) =>
        journal.settle(settlement(reservation({ id, team: null }), { charges }))
      const windows = {
        day: today("key:key_a"),
        total: { scope: "key:key_a", window: "total", start: 0 }
      }
      yield* keys.insert(key({ id: "key_a", budgets: [day, total] }))
      yield* Effect.forEach(Object.values(windows), journal.openWindow)
      yield* spend(1, Object.values(windows))
      yield* keys.update(key({ id: "key_a", budgets: [{ ...total, timeZone: "Asia/Tokyo", limit: 5 }] }))
      yield* spend(2, [windows.total])
      assert.deepStrictEqual(yield* verifyLedger, [])
      yield* keys.update(key({ id: "key_a", budgets: [total, { ...day, limit: 3 }] }))
      assert.deepStrictEqual(yield* verifyLedger, [])
      assert.deepStrictEqual(yield* Effect.forEach(Object.values(windows), journal.openWindow), [1400, 1400])
      assert.deepStrictEqual(yield* verifyLedger, [])
    }).pipe(Effect.provide(Layer.provideMerge(KeyRepositorySqlite.layer, memory)))
  )
})
