import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { receiptStatuses } from "@model-gateway/protocol"
import type { Receipt } from "../../src/core/receipts/Receipt.ts"
import { firstIdAt } from "../../src/core/domain/RequestIds.ts"
import { ReceiptArchive } from "../../src/core/receipts/ReceiptArchive.ts"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as ReceiptArchiveSqlite from "../../src/storage/sqlite/receipts/ReceiptArchiveSqlite.ts"
import { KeepReceipts } from "../../src/storage/records/receipts/KeepReceipts.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { eventually, withCpu } from "../support/Patience.ts"
import { HOUR, NOW, receipt, temporaryFile, listed } from "./Support.ts"

const DAY = 24 * HOUR

const inFile = (filename: string, keepMs = 30 * DAY) =>
  ReceiptArchiveSqlite.layer.pipe(
    Layer.provideMerge(Database.layer({ filename })),
    Layer.provide(Layer.succeed(KeepReceipts, keepMs))
  )
const file = Layer.unwrap(Effect.map(temporaryFile, (filename) => inFile(filename)))

/** Receipts in the store, and the pages they are on. */
const stored = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ length: number }>`SELECT json_array_length(body, '$[1]') AS length FROM receipts ORDER BY id`
  ),
  (rows) => rows.map(({ length }) => length)
)
const count = Effect.map(stored, (lengths) => lengths.reduce((sum, length) => sum + length, 0))

const add = (...receipts: ReadonlyArray<Receipt>) =>
  Effect.map(ReceiptArchive, (archive) => {
    for (const one of receipts) archive.add(one)
  })

const found = (id: string) => Effect.flatMap(ReceiptArchive, (archive) => archive.find(id))

const many = (from: number, to: number, fields: Partial<Receipt> = {}) =>
  Array.from({ length: to - from }, (_, index) => receipt({ requestId: `req_${from + index}`, ...fields }))

describe("ReceiptArchiveSqlite", () => {
  it.effect("finds a receipt at once, and all of it again in another process", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const some = receiptStatuses.map((status, index) =>
        receipt({ requestId: `req_${status}`, status, stream: index % 2 === 0, priced: index > 0, team: null })
      )
      const first = Effect.gen(function* () {
        yield* add(...some)
        assert.deepStrictEqual(Option.getOrThrow(yield* found("rcpt_cut")), some[2]!)
        assert.strictEqual(yield* count, 0)
      })
      yield* Effect.provide(first, inFile(filename))
      const second = Effect.gen(function* () {
        for (const one of some) assert.deepStrictEqual(Option.getOrThrow(yield* found(one.requestId)), one)
        assert.isTrue(Option.isNone(yield* found("rcpt_nobody")))
      })
      yield* Effect.provide(second, inFile(filename))
    })
  )

  it.effect("writes what waits after a second, and a full page at once", () =>
    Effect.gen(function* () {
      const writer = yield* Writer
      yield* add(receipt({ requestId: "req_a" }), receipt({ requestId: "req_b" }))
      yield* TestClock.adjust("999 millis")
      assert.deepStrictEqual(yield* stored, [])
      yield* TestClock.adjust("1 millis")
      yield* writer.write(() => {})
      assert.deepStrictEqual(yield* stored, [2])
      yield* add(...many(0, 300))
      yield* writer.write(() => {})
      assert.deepStrictEqual(yield* stored, [2, 256])
      assert.isTrue(Option.isSome(yield* found("req_299")))
    }).pipe(Effect.provide(file))
  )

  it.effect("takes old ones away a few pages at a time, as new ones come", () =>
    Effect.gen(function* () {
      const archive = yield* ReceiptArchive
      for (const one of many(0, 10)) {
        archive.add(one)
        yield* listed()
      }
      assert.lengthOf(yield* stored, 10)
      yield* add(...many(10, 110, { at: NOW + 31 * DAY }))
      yield* listed()
      assert.lengthOf(yield* stored, 9)
      assert.isTrue(Option.isNone(yield* found("req_1")))
      assert.isTrue(Option.isSome(yield* found("req_2")))
      for (const next of [110, 111, 112, 113]) {
        yield* add(...many(next, next + 1, { at: NOW + 31 * DAY }))
        yield* listed()
      }
      assert.deepStrictEqual(yield* stored, [100, 1, 1, 1, 1])
    }).pipe(Effect.provide(file))
  )

  it.effect("takes all old ones away at a start that keeps them for less, in steps", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      yield* TestClock.setTime(NOW + 2 * DAY)
      yield* Effect.provide(
        add(...many(0, 10 * 256), ...many(10 * 256, 11 * 256, { at: NOW + DAY + HOUR })),
        inFile(filename)
      )
      const left = Effect.gen(function* () {
        const writer = yield* Writer
        const seen: Array<number> = []
        while (seen.at(-1) !== 1) {
          const pages = (yield* stored).length
          if (pages !== seen.at(-1)) seen.push(pages)
          yield* writer.write(() => {})
        }
        assert.deepStrictEqual(seen, [11, 9, 7, 5, 3, 1])
      })
      yield* Effect.provide(left, inFile(filename, DAY))
    })
  )

  it.effect("keeps none where none are wanted, and forgets those it has", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      yield* TestClock.setTime(NOW + HOUR)
      yield* Effect.provide(add(...many(0, 3)), inFile(filename))
      const none = Effect.gen(function* () {
        const writer = yield* Writer
        yield* add(receipt({ requestId: "req_new" }))
        assert.deepStrictEqual(yield* listed(), [])
        assert.isTrue(Option.isNone(yield* found("req_new")))
        assert.isTrue(Option.isNone(yield* found("req_1")))
        while ((yield* count) > 0) yield* writer.write(() => {})
      })
      yield* Effect.provide(none, inFile(filename, 0))
    })
  )

  it.effect("takes them away in their time though no more come, as soon as the store can", () =>
    Effect.gen(function* () {
      const writer = yield* Writer
      const { db } = writer
      yield* TestClock.setTime(NOW)
      yield* add(...many(0, 3))
      yield* listed()
      yield* TestClock.adjust("29 days")
      assert.strictEqual(yield* count, 3)
      db.exec("PRAGMA query_only = 1")
      // With nothing owed, the trouble may be over before anyone looks: it is awaited from before.
      const refused = yield* Effect.forkChild(writer.inTrouble.await, { startImmediately: true })
      yield* TestClock.adjust(DAY + HOUR)
      // A commit takes real time, and the next look a minute after it.
      const aMinute = TestClock.adjust("1 minute")
      yield* eventually(
        Effect.map(aMinute, () => refused.pollUnsafe()),
        (exit) => exit !== undefined
      )
      assert.strictEqual(yield* count, 3)
      db.exec("PRAGMA query_only = 0")
      const gone = eventually(Effect.andThen(aMinute, count), (left) => left === 0)
      yield* gone
      // And again for those that come after a time without any.
      yield* add(...many(3, 6, { at: NOW + 31 * DAY }))
      yield* listed()
      yield* TestClock.adjust("31 days")
      yield* gone
    }).pipe(Effect.provide(file))
  )

  it.effect("remembers them while the store is down, and writes them when it is back", () =>
    Effect.gen(function* () {
      const { db } = yield* Writer
      db.exec("PRAGMA query_only = 1")
      yield* add(...many(0, 300))
      yield* listed()
      assert.strictEqual(yield* count, 0)
      assert.isTrue(Option.isSome(yield* found("req_7")))
      yield* add(...many(300, 5_000))
      // Of more than it remembers the oldest are gone.
      assert.isTrue(Option.isSome(yield* found("req_4999")))
      db.exec("PRAGMA query_only = 0")
      // The store is tried again after a while; a receipt that could not be written waits another second.
      yield* TestClock.adjust("3 seconds")
      assert.lengthOf(yield* listed({ limit: 1_000 }), 1_000)
      assert.isAtLeast(yield* count, 4_096)
    }).pipe(Effect.provide(file))
  )
})

describe("the receipt of an old request", () => {
  const idAt = (at: number, rest = "0") => firstIdAt(at) + rest.repeat(15)

  it.live("is looked for near its time only, so that made-up ids hold up nobody", () =>
    Effect.gen(function* () {
      const writer = yield* Writer
      // A page every ten seconds for 30 days.
      const pages = 260_000
      yield* writer.write((db) => {
        const insert = db.prepare(
          "INSERT INTO receipts (first_request, last_request, ended_at, body) VALUES (?, ?, ?, '')"
        )
        for (let page = 1; page <= pages; page++) {
          const at = NOW + page * 10_000
          insert.run(idAt(at), idAt(at + 900, "v"), at + 900)
        }
      })
      const looking = Effect.forEach(
        Array.from({ length: 10 }, (_, n) => idAt(NOW - n * DAY)),
        found
      )
      const { cpuMs, value } = yield* withCpu(looking)
      assert.isTrue(value.every(Option.isNone))
      assert.isBelow(cpuMs / 10, 10)
    }).pipe(Effect.provide(file))
  )
})
