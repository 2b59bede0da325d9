import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ReceiptArchive } from "../../src/core/receipts/ReceiptArchive.ts"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as LedgerJournalSqlite from "../../src/storage/sqlite/ledger/LedgerJournalSqlite.ts"
import * as ReceiptArchiveSqlite from "../../src/storage/sqlite/receipts/ReceiptArchiveSqlite.ts"
import { verifyLedger } from "../../../model-gateway/src/store/reading/SqliteVerify.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { HOUR, NOW, reservation, settlement, temporaryFile, today } from "./Support.ts"

const inFile = (filename: string) => Layer.provideMerge(LedgerJournalSqlite.layer, Database.layer({ filename }))
const file = Layer.unwrap(Effect.map(temporaryFile, inFile))

const rowsOf = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql<Record<string, unknown>>`SELECT * FROM ${sql(table)}`)

/** Rows that are opened and settled. */
const others = Effect.fnUntraced(function* (from: number, to: number) {
  const journal = yield* LedgerJournal
  const ids = Array.from({ length: to - from }, (_, index) => from + index)
  yield* Effect.forEach(
    ids,
    (id) => Effect.andThen(journal.reserve(reservation({ id })), journal.settle(settlement(reservation({ id })))),
    { concurrency: "unbounded", discard: true }
  )
})

const openFrom = Effect.map(rowsOf("meta"), (rows) => rows.find((row) => row["name"] === "open_from")?.["value"])

describe("LedgerJournalSqlite over commits and restarts", () => {
  it.effect("reservations of one turn share a commit, and are not waited for", () =>
    Effect.gen(function* () {
      const journal = yield* LedgerJournal
      const writer = yield* Writer
      const before = writer.commits
      for (const id of [1, 2, 3]) yield* journal.reserve(reservation({ id }))
      assert.strictEqual(writer.commits, before)
      yield* journal.settle(settlement(reservation({ id: 2 })))
      assert.strictEqual(writer.commits, before + 1)
      assert.deepStrictEqual(
        (yield* rowsOf("ledger")).map((row) => row["status"]),
        ["reserved", "settled", "reserved"]
      )
    }).pipe(Effect.provide(file))
  )

  it.effect("closes it for nothing where the configuration says so", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      yield* Effect.provide(
        Effect.flatMap(LedgerJournal, (journal) => journal.reserve(reservation({ id: 1, isAuto: true }))),
        inFile(filename)
      )
      const second = Effect.gen(function* () {
        const journal = yield* LedgerJournal
        assert.strictEqual(yield* journal.abandonOpen(NOW + 99, "void"), 1)
        const [row] = yield* rowsOf("ledger")
        assert.deepInclude(row, { status: "abandoned", cost: 0, reserved: 900, counts: 2, settled_at: NOW + 99 })
        assert.strictEqual(yield* journal.openWindow(today("key:key_a")), 0)
        assert.deepStrictEqual(yield* verifyLedger, [])
      })
      yield* Effect.provide(second, inFile(filename))
    })
  )

  it.effect("closes what a dead process left open at its worst case, and nothing of its own", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const first = Effect.gen(function* () {
        const journal = yield* LedgerJournal
        yield* journal.settle(settlement(reservation({ id: 1 }), { charges: [today("key:key_a"), today("team:red")] }))
        yield* journal.reserve(reservation({ id: 2 }))
        yield* journal.reserve(reservation({ id: 3, keyId: "key_b", team: null, reserved: 0, priceSource: null }))
      })
      yield* Effect.provide(first, inFile(filename))
      const second = Effect.gen(function* () {
        const journal = yield* LedgerJournal
        yield* journal.reserve(reservation({ id: 4 }))
        assert.strictEqual(yield* journal.abandonOpen(NOW + 99, "book"), 2)
        assert.strictEqual(yield* journal.abandonOpen(NOW + 100, "book"), 0)
        const rows = yield* rowsOf("ledger")
        assert.deepStrictEqual(
          rows.map((row) => row["status"]),
          ["settled", "abandoned", "abandoned", "reserved"]
        )
        assert.deepInclude(rows[1], { cost: 900, estimated: 1, counts: 2, settled_at: NOW + 99 })
        assert.strictEqual(yield* journal.openWindow(today("key:key_a")), 1600)
        assert.strictEqual(yield* journal.openWindow(today("team:red")), 1600)
        assert.strictEqual(yield* journal.openWindow(today("key:key_b")), 0)
        assert.deepStrictEqual(yield* verifyLedger, [])
        // It is too late for its settlement, if that ever comes.
        yield* journal.settle(settlement(reservation({ id: 2 })))
        assert.strictEqual(yield* journal.openWindow(today("key:key_a")), 1600)
      })
      yield* Effect.provide(second, inFile(filename))
    })
  )

  it.effect(
    "charges what a dead process left open for the time until its last sign of life, and never more than reserved",
    () =>
      Effect.gen(function* () {
        const filename = yield* temporaryFile
        const growing = { reserved: 9_000, fixed: 100, perSecond: 200 }
        yield* TestClock.setTime(NOW)
        const first = Effect.gen(function* () {
          const journal = yield* LedgerJournal
          const writer = yield* Writer
          yield* journal.reserve(reservation({ id: 1, ...growing }))
          yield* journal.reserve(reservation({ id: 2, ...growing, reserved: 1_000, isAuto: true }))
          yield* journal.reserve(reservation({ id: 3, reserved: 5_000 }))
          // Clocks were set back meanwhile.
          yield* journal.reserve(reservation({ id: 4, ...growing, at: NOW + HOUR }))
          yield* journal.settle(settlement(reservation({ id: 5 })))
          // Nothing else is written, and still the store hears that the process lives.
          for (let second = 0; second < 10; second++) {
            yield* TestClock.adjust("1 second")
            writer.flushBackground()
          }
        })
        yield* Effect.provide(first, inFile(filename))
        const second = Effect.gen(function* () {
          const journal = yield* LedgerJournal
          assert.strictEqual(yield* journal.abandonOpen(NOW + 24 * HOUR, "estimate"), 4)
          const rows = yield* rowsOf("ledger")
          // It died at most two seconds after the sign of the tenth.
          assert.deepStrictEqual(
            rows.map(({ cost, estimated, status }) => [status, cost, estimated]),
            [
              ["abandoned", 100 + 12 * 200, 1],
              ["abandoned", 1_000, 1],
              ["abandoned", 5_000, 1],
              ["abandoned", 9_000, 1],
              ["settled", 700, 0]
            ]
          )
          assert.strictEqual(rows[1]!["baseline"], 1_000)
          assert.strictEqual(yield* journal.openWindow(today("key:key_a")), 2_500 + 1_000 + 5_000 + 9_000 + 700)
          assert.deepStrictEqual(yield* verifyLedger, [])
        })
        yield* Effect.provide(second, inFile(filename))
      })
  )

  it.effect("leaves a receipt of each request that a dead process left open, with its earlier attempts", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const first = Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const failed = reservation({
          id: 1,
          requestId: "req_a",
          deployment: "backup/b",
          provider: "backup",
          model: "b"
        })
        yield* journal.reserve(failed)
        yield* journal.settle(settlement(failed, { cost: 40, estimated: true, counts: "nothing" }))
        yield* journal.settle(settlement(reservation({ id: 2, requestId: "req_done" })))
        yield* journal.reserve(reservation({ id: 3, requestId: "req_a", attempt: 1, at: NOW + 5, tags: "x,y" }))
        yield* journal.reserve(reservation({ id: 4, requestId: "req_b", team: null, priceSource: null }))
      })
      yield* Effect.provide(first, inFile(filename))
      yield* Effect.provide(
        Effect.flatMap(LedgerJournal, (journal) => journal.abandonOpen(NOW + 99, "book")),
        inFile(filename)
      )
      const look = Effect.gen(function* () {
        const archive = yield* ReceiptArchive
        const receipt = Option.getOrThrow(yield* archive.find("rcpt_a"))
        assert.deepInclude(receipt, {
          status: "abandoned",
          at: NOW,
          durationMs: 99,
          deployment: "openai/gpt-5-mini",
          endpoint: "/v1/chat/completions",
          requestedModel: "openai/gpt-5-mini",
          tags: ["x", "y"],
          priced: true
        })
        assert.deepStrictEqual(
          receipt.attempts.map(({ cost, deployment, outcome, startedMs }) => [deployment, outcome, startedMs, cost]),
          [
            ["backup/b", "failed", 0, 40],
            ["openai/gpt-5-mini", "abandoned", 5, 900]
          ]
        )
        assert.deepInclude(Option.getOrThrow(yield* archive.find("req_b")), { team: null, priced: false })
        assert.isTrue(Option.isNone(yield* archive.find("req_done")))
      })
      const archive = ReceiptArchiveSqlite.layer.pipe(Layer.provide(Database.layer({ filename })))
      yield* Effect.provide(Effect.andThen(TestClock.setTime(NOW), look), archive)
    })
  )

  it.effect("finds a row that stayed open for thousands of others", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const busy = Effect.gen(function* () {
        const journal = yield* LedgerJournal
        yield* journal.abandonOpen(NOW, "book")
        yield* journal.reserve(reservation({ id: 1 }))
        yield* others(2, 5000)
        assert.strictEqual(yield* openFrom, 1)
        yield* journal.settle(settlement(reservation({ id: 1 })))
        yield* journal.reserve(reservation({ id: 5000 }))
        yield* others(5001, 10_000)
        assert.strictEqual(yield* openFrom, 5000)
      })
      yield* Effect.provide(busy, inFile(filename))
      const next = Effect.gen(function* () {
        const journal = yield* LedgerJournal
        assert.strictEqual(yield* journal.abandonOpen(NOW, "book"), 1)
        assert.deepStrictEqual(yield* verifyLedger, [])
      })
      yield* Effect.provide(next, inFile(filename))
    })
  )

  it.effect("in trouble refuses reservations, and settles what is reserved on disk once it is well again", () =>
    Effect.gen(function* () {
      const journal = yield* LedgerJournal
      const writer = yield* Writer
      const reserved = reservation({ id: 1 })
      yield* journal.reserve(reserved)
      yield* writer.write(() => {})
      writer.db.exec("PRAGMA query_only = 1")
      const late = reservation({ id: 2 })
      yield* journal.reserve(late)
      yield* journal.settle(settlement(reserved))
      const unsettled = yield* Effect.flip(journal.settle(settlement(late)))
      assert.strictEqual(unsettled.message, "The store is not available: the database is read-only.")
      const refused = yield* Effect.flip(journal.reserve(reservation({ id: 3 })))
      assert.strictEqual(refused._tag, "StoreUnavailable")
      writer.db.exec("PRAGMA query_only = 0")
      yield* TestClock.adjust("1 second")
      yield* journal.reserve(reservation({ id: 4 }))
      yield* writer.write(() => {})
      assert.deepStrictEqual(
        (yield* rowsOf("ledger")).map(({ id, status }) => [id, status]),
        [
          [1, "settled"],
          [2, "settled"],
          [4, "reserved"]
        ]
      )
      assert.deepStrictEqual(yield* verifyLedger, [])
    }).pipe(Effect.provide(file))
  )

  it.effect("an answer whose reservation came late to the disk goes out once it is there", () =>
    Effect.gen(function* () {
      const journal = yield* LedgerJournal
      const writer = yield* Writer
      writer.db.exec("PRAGMA query_only = 1")
      yield* journal.reserve(reservation({ id: 1 }))
      yield* Effect.flip(writer.write(() => {}))
      writer.db.exec("PRAGMA query_only = 0")
      yield* TestClock.adjust("1 second")
      writer.db.exec("PRAGMA query_only = 1")
      yield* journal.settle(settlement(reservation({ id: 1 })))
      writer.db.exec("PRAGMA query_only = 0")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* verifyLedger, [])
      assert.strictEqual((yield* rowsOf("ledger"))[0]!["status"], "settled")
    }).pipe(Effect.provide(file))
  )
})
