import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import type { SpendDimension, SpendQuery } from "../../src/core/ledger/Spend.ts"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as LedgerJournalSqlite from "../../src/storage/sqlite/ledger/LedgerJournalSqlite.ts"
import { verifyLedger } from "../../../model-gateway/src/store/reading/SqliteVerify.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { seeded, settleDown } from "../core/call/Support.ts"
import { HOUR, reservation, settlement, everything } from "./Support.ts"

const memory = Layer.provideMerge(LedgerJournalSqlite.layer, Database.layerMemory)

const DAY = 24 * HOUR
/** The second half of January, so that a month ends on the way. */
const START = Date.UTC(2026, 0, 20)

interface Booked {
  readonly at: number
  readonly cost: number
  readonly key: string
  readonly team: string
  readonly model: string
}

/** Books rows at random times of each hour, some in the hour before, and gives the blocks time to follow. */
const work = (seed: number, days: number) =>
  Effect.gen(function* () {
    const journal = yield* LedgerJournal
    const chance = seeded(seed)
    const booked: Array<Booked> = []
    for (let hour = START; hour < START + days * DAY; hour += HOUR) {
      // Some nights are quiet.
      if (chance.next() < 0.2) continue
      for (let count = chance.below(4); count > 0; count--) {
        const at = hour + chance.below(HOUR) - (chance.next() < 0.1 ? HOUR : 0)
        const key = `key_${chance.below(12)}`
        const row = { at, cost: chance.below(1000), key, team: `team_${chance.below(3)}`, model: `m${chance.below(3)}` }
        booked.push(row)
        yield* book(journal, booked.length, row)
      }
      yield* settleDown
    }
    yield* settleDown
    return booked
  })

const book = (journal: LedgerJournal["Service"], id: number, { at, cost, key, model, team }: Booked) =>
  journal.settle(
    // Every third asked for `auto`.
    settlement(reservation({ id, at, keyId: key, team, model, isAuto: id % 3 === 0 }), {
      cost,
      baseline: id % 3 === 0 ? 2 * cost : 0
    })
  )

const listed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{
    start: number
    hours: number
  }>`SELECT start, hours FROM blocks WHERE listed ORDER BY start, hours`
})

/** The same sums in the plainest way. */
const plain = (booked: ReadonlyArray<Booked>, query: SpendQuery) => {
  const sums = new Map<string, number>()
  for (const row of booked) {
    if (row.at < query.from || row.at >= query.to) continue
    if (query.key !== undefined && row.key !== query.key) continue
    if (query.team !== undefined && row.team !== query.team) continue
    const values = { key: row.key, team: row.team, model: row.model, day: new Date(row.at).toISOString().slice(0, 10) }
    const group = query.groupBy.map((dimension) => values[dimension as keyof typeof values]).join(" ")
    sums.set(group, (sums.get(group) ?? 0) + row.cost)
  }
  return sums
}

const sumsOf = (query: SpendQuery) =>
  Effect.gen(function* () {
    const journal = yield* LedgerJournal
    return new Map((yield* journal.spend(query)).map((row) => [row.group.join(" "), row.cost]))
  })

describe("blocks", () => {
  it.effect("say what the rows say, whatever time and cut is asked for, and agree with the rollups", () =>
    Effect.gen(function* () {
      const booked = yield* work(11, 20)
      const chance = seeded(12)
      const cuts: ReadonlyArray<ReadonlyArray<SpendDimension>> = [
        [],
        ["key"],
        ["team"],
        ["model", "day"],
        ["key", "team"]
      ]
      for (let round = 0; round < 150; round++) {
        const unit = chance.pick([1, HOUR, DAY])
        const from = Math.floor((START + chance.below(20 * DAY)) / unit) * unit
        const query: SpendQuery = {
          ...everything,
          from,
          to: from + unit * (1 + chance.below((20 * DAY) / unit)),
          key: chance.next() < 0.2 ? `key_${chance.below(12)}` : undefined,
          team: chance.next() < 0.2 ? `team_${chance.below(3)}` : undefined,
          groupBy: chance.pick(cuts)
        }
        assert.deepStrictEqual(new Map([...(yield* sumsOf(query))].sort()), new Map([...plain(booked, query)].sort()))
      }
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
