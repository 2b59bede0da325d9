import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { LedgerJournal } from "../../src/core/Store.ts"
import * as Database from "../../src/storage/sqlite/Database.ts"
import * as LedgerJournalSqlite from "../../src/storage/sqlite/LedgerJournalSqlite.ts"
import { verifyLedger } from "../../src/storage/sqlite/Verify.ts"
import { Writer } from "../../src/storage/sqlite/Writer.ts"
import { HOUR, NOW, reservation, settlement, today } from "./Support.ts"

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
})
