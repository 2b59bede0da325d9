import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import type { SpendQuery } from "../../src/core/ledger/Spend.ts"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as LedgerJournalSqlite from "../../src/storage/sqlite/ledger/LedgerJournalSqlite.ts"
import { verifyLedger } from "../../../model-gateway/src/store/reading/SqliteVerify.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { settleDown } from "../core/call/Support.ts"
import { book, checkSums, DAY, plain, START, sumsOf, work } from "./BookedHours.ts"
import { HOUR, everything } from "./Support.ts"

const memory = Layer.provideMerge(LedgerJournalSqlite.layer, Database.layerMemory)

const listed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{
    start: number
    hours: number
  }>`SELECT start, hours FROM blocks WHERE listed ORDER BY start, hours`
})

describe("blocks", () => {
  it.effect("say what the rows say, whatever time and cut is asked for, and agree with the rollups", () =>
    Effect.gen(function* () {
      const booked = yield* work(11, 20)
      yield* checkSums(booked)
      assert.deepStrictEqual(yield* verifyLedger, [])
      const blocks = yield* listed
      const month = blocks.filter(({ hours }) => hours > 24).map(({ hours, start }) => [start * HOUR, hours / 24])
      assert.deepStrictEqual(month[0], [Date.UTC(2026, 0, 1), 31])
      assert.strictEqual(month.length, 2)
      // One of each day but the last, which is under way.
      assert.isAtLeast(blocks.filter(({ hours }) => hours === 24).length, 18)
    }).pipe(Effect.provide(memory))
  )

  it.effect("follow what is booked into a time that was summed up already", () =>
    Effect.gen(function* () {
      const journal = yield* LedgerJournal
      const booked = yield* work(13, 5)
      const before = (yield* listed).length
      const late = { at: START + 30 * HOUR, cost: 5_000, key: "key_late", team: "team_0", model: "m0" }
      booked.push(late)
      yield* book(journal, booked.length, late)
      const query: SpendQuery = { ...everything, groupBy: ["key"] }
      const expected = new Map([...plain(booked, query)].sort())
      assert.deepStrictEqual(new Map([...(yield* sumsOf(query))].sort()), expected)
      assert.isBelow((yield* listed).length, before)
      // They are made again with the next hour.
      yield* book(journal, 10_000, { ...late, at: START + 5 * DAY + 2 * HOUR, cost: 0 })
      for (let turn = 0; turn < 20; turn++) yield* settleDown
      assert.isAtLeast((yield* listed).length, before)
      assert.deepStrictEqual(new Map([...(yield* sumsOf(query))].sort()), expected)
      assert.deepStrictEqual(yield* verifyLedger, [])
    }).pipe(Effect.provide(memory))
  )

  it.effect("are made for a store that has none, many keys at a time", () =>
    Effect.gen(function* () {
      const journal = yield* LedgerJournal
      const rows = Array.from({ length: 3_000 }, (_, index) => ({
        at: START + (index % 48) * HOUR,
        cost: index,
        key: `key_${index % 1_500}`,
        team: `team_${index % 7}`,
        model: `m${index % 5}`
      }))
      yield* Effect.forEach(rows, (row, index) => book(journal, index + 1, row), {
        concurrency: "unbounded",
        discard: true
      })
      yield* book(journal, 5_000, { ...rows[0]!, at: START + 50 * HOUR, cost: 0 })
      for (let turn = 0; turn < 20; turn++) yield* settleDown
      const day: SpendQuery = { ...everything, from: START, to: START + DAY }
      assert.strictEqual((yield* listed).filter(({ hours }) => hours === 24).length, 2)
      for (const groupBy of [["key"], ["team", "model"]] as const) {
        assert.deepStrictEqual(
          new Map([...(yield* sumsOf({ ...day, groupBy }))].sort()),
          new Map([...plain(rows, { ...day, groupBy })].sort())
        )
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("that were changed are found", () =>
    Effect.gen(function* () {
      yield* work(17, 4)
      const writer = yield* Writer
      yield* writer.write((db) =>
        db.exec("UPDATE block_rollup SET cost = cost + 1 WHERE key_id = '' AND team = 'team_0'")
      )
      const differences = yield* verifyLedger
      assert.isAbove(differences.length, 0)
      for (const { kind, sum } of differences) assert.deepStrictEqual([kind, sum], ["block", "cost"])
    }).pipe(Effect.provide(memory))
  )
})
