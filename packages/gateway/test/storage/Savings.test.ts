import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { Migrator, SqlClient } from "effect/sql"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import { history, TABLE } from "../../src/storage/migrations/SqliteMigrations.ts"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as LedgerJournalSqlite from "../../src/storage/sqlite/ledger/LedgerJournalSqlite.ts"
import * as SqliteClient from "../../src/storage/sqlite/file/SqliteClient.ts"
import { verifyLedger } from "../../../model-gateway/src/store/reading/SqliteVerify.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { HOUR, NOW, reservation, settlement, temporaryFile } from "./Support.ts"

const inFile = (filename: string) => Layer.provideMerge(LedgerJournalSqlite.layer, Database.layer({ filename }))

const auto = (id: number, fields: Partial<Parameters<typeof reservation>[0]> = {}) =>
  reservation({ id, isAuto: true, ...fields })

const savings = (from = 0) =>
  Effect.gen(function* () {
    const journal = yield* LedgerJournal
    const to = Number.MAX_SAFE_INTEGER
    const all = { key: undefined, team: undefined, model: undefined, provider: undefined }
    const [row] = yield* journal.spend({ visibility: "all", from, to, timeZone: "UTC", ...all, groupBy: [] })
    return [row?.autoRequests, row?.autoCost, row?.autoBaseline, row?.cost]
  })

describe("what auto saved", () => {
  it.effect("is summed up exactly, from rollups and from rows alike, beside requests that named their model", () =>
    Effect.gen(function* () {
      const journal = yield* LedgerJournal
      yield* journal.reserve(auto(1))
      yield* journal.settle(settlement(auto(1), { cost: 40, counts: "nothing" }))
      yield* journal.settle(settlement(auto(2), { cost: 3, baseline: 9_000_000_000_000_000 }))
      yield* journal.settle(settlement(auto(3), { cost: 3, baseline: 7_199_254_740_991 }))
      yield* journal.settle(settlement(auto(4), { cost: 0, status: "void", counts: "failed_request" }))
      yield* journal.settle(settlement(reservation({ id: 5 })))
      const expected = [3, 46, 9_007_199_254_740_991, 746]
      assert.deepStrictEqual(yield* savings(), expected)
      assert.deepStrictEqual(yield* savings(NOW - 1), expected)
      assert.deepStrictEqual(yield* verifyLedger, [])
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(temporaryFile, inFile))))
  )

  it.effect("one group of commits may hold more than a number can count", () =>
    Effect.gen(function* () {
      const journal = yield* LedgerJournal
      const most = 9_000_000_000_000_000
      yield* Effect.forEach([1, 2, 3], (id) => journal.settle(settlement(auto(id), { baseline: most })), {
        concurrency: "unbounded"
      })
      const sql = yield* SqlClient.SqlClient
      const [sum] = yield* sql`SELECT CAST(sum(auto_baseline) AS TEXT) AS total FROM rollup`
      assert.strictEqual(sum?.["total"], "27000000000000000")
      assert.deepStrictEqual(yield* verifyLedger, [])
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(temporaryFile, inFile))))
  )

  it.effect("is nothing for attempts that the process died over: they cost the same on both sides", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const first = Effect.gen(function* () {
        const journal = yield* LedgerJournal
        yield* journal.reserve(auto(1))
        yield* journal.reserve(reservation({ id: 2 }))
        yield* journal.reserve(auto(3, { keyId: "key_b", reserved: 0 }))
      })
      yield* Effect.provide(first, inFile(filename))
      const next = Effect.gen(function* () {
        assert.strictEqual(yield* (yield* LedgerJournal).abandonOpen(NOW + HOUR, "book"), 3)
        assert.deepStrictEqual(yield* savings(), [2, 900, 900, 1800])
        assert.deepStrictEqual(yield* verifyLedger, [])
      })
      yield* Effect.provide(next, inFile(filename))
    })
  )

  it.effect("a changed sum is found", () =>
    Effect.gen(function* () {
      yield* (yield* LedgerJournal).settle(settlement(auto(1), { baseline: 2100 }))
      const writer = yield* Writer
      yield* writer.write((db) => db.exec("UPDATE rollup SET auto_baseline = 1"))
      const [difference, ...others] = yield* verifyLedger
      assert.deepStrictEqual(others, [])
      assert.deepInclude(difference, { kind: "rollup", sum: "auto_baseline", expected: 2100n, found: 1n })
    }).pipe(Effect.provide(Layer.provideMerge(LedgerJournalSqlite.layer, Database.layerMemory)))
  )

  it.effect("a store from before has none, keeps its money, and goes on with it", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      yield* Effect.scoped(thirdVersion(filename))
      const use = Effect.gen(function* () {
        const journal = yield* LedgerJournal
        assert.strictEqual(yield* journal.abandonOpen(NOW + 1, "book"), 1)
        assert.deepStrictEqual(yield* savings(), [0, 0, 0, 12])
        yield* journal.settle(settlement(auto(3), { cost: 700, baseline: 2100 }))
        assert.deepStrictEqual(yield* savings(), [1, 700, 2100, 712])
        assert.deepStrictEqual(yield* verifyLedger, [])
      })
      yield* Effect.provide(use, inFile(filename))
      const db = new DatabaseSync(filename, { readOnly: true })
      const baselines = db.prepare("SELECT baseline FROM ledger ORDER BY id").all()
      db.close()
      assert.deepStrictEqual(
        baselines.map(({ baseline }) => baseline),
        [null, null, 2100]
      )
    })
  )
})

/** A store as the version before left it: a settled row in its rollup, and an open one. */
const thirdVersion = Effect.fnUntraced(function* (filename: string) {
  const loader = Migrator.fromRecord(Object.fromEntries(Object.entries(history).slice(0, 3)))
  const sql = yield* SqliteClient.fromDatabase(yield* Database.connect(filename, false))
  yield* Effect.provideService(Migrator.make({})({ loader, table: TABLE }), SqlClient.SqlClient, sql)
  yield* sql`INSERT INTO ledger (id, request_id, attempt, at, key_id, team, provider, model, deployment, tags, reserved, status,
      settled_at, cost, counts) VALUES (1, 'req_a', 0, ${NOW}, 'key_a', '', 'p', 'm', 'p/m', '', 9, 'settled', ${NOW}, 7, 1),
      (2, 'req_b', 0, ${NOW}, 'key_a', '', 'p', 'm', 'p/m', '', 5, 'reserved', NULL, 0, 0)`
  yield* sql`INSERT INTO rollup SELECT hour, key_id, team, provider, model, tags, 1, 0, cost, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    at, id, id, id FROM booked`
}, Effect.provide(Reactivity.layer))
