/** Classes of usage that are rare: in rows, sums, receipts and spend, also of a store that knew nothing of them. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { gunzipSync } from "node:zlib"
import { ReceiptUsage } from "@model-gateway/protocol"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { ReceiptArchive } from "../../src/core/receipts/ReceiptArchive.ts"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import { noUsage, rareClasses, usageClasses, wireName } from "../../src/core/domain/Usage.ts"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as LedgerJournalSqlite from "../../src/storage/sqlite/ledger/LedgerJournalSqlite.ts"
import { PageDraft } from "../../src/storage/records/receipts/PageDraft.ts"
import { decodePage } from "../../src/storage/records/receipts/ReceiptPages.ts"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"
import { verifyLedger } from "../../../model-gateway/src/store/reading/SqliteVerify.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { HOUR, NOW, receipt, reservation, settlement, temporaryFile, usage } from "./Support.ts"

const searching = { ...usage, webSearches: 3, imageInput: 40, requestFees: 1 }

const all = { from: 0, to: NOW + 100 * HOUR, timeZone: "UTC", groupBy: [] } as const
const query = {
  visibility: "all" as const,
  ...all,
  key: undefined,
  team: undefined,
  model: undefined,
  provider: undefined
}

describe("rare classes of usage", () => {
  it.effect("are in a store that an earlier version wrote, beside all that it had", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      writeFileSync(filename, gunzipSync(readFileSync(join(import.meta.dirname, "fixtures/store-of-schema-5.db.gz"))))
      yield* TestClock.setTime(NOW + 9 * HOUR)
      const use = Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const archive = yield* ReceiptArchive
        // Three rows that were settled, and one whose process died.
        yield* journal.abandonOpen(NOW + 9 * HOUR, "book")
        const [old] = yield* journal.spend(query)
        assert.deepInclude(old, { requests: 4, cost: 3 * 700 + 900, inputTokens: 3 * 127, outputTokens: 3 * 55 })
        assert.isUndefined(old?.units)
        assert.deepInclude(Option.getOrThrow(yield* archive.find("req_old")), { status: "ok" })
        const row = reservation({ id: 5, at: NOW + HOUR, tags: "old", operation: "rerank" })
        yield* journal.settle(settlement(row, { usage: searching }))
        const [now] = yield* journal.spend(query)
        assert.deepInclude(now, { requests: 5, inputTokens: 3 * 127 + 160, units: { webSearches: 3, requestFees: 1 } })
      })
      yield* Effect.provide(use, SqliteStore.layer({ filename }))
      assert.deepStrictEqual(
        yield* Effect.scoped(Effect.provide(verifyLedger, Layer.fresh(Database.layer({ filename })))),
        []
      )
      // Opening it again changes nothing.
      const db = new DatabaseSync(filename, { readOnly: true })
      const details = db.prepare("SELECT details, operation FROM ledger ORDER BY id").all()
      db.close()
      // All that earlier versions had was chat.
      assert.deepStrictEqual(
        details.map(({ operation }) => operation),
        ["chat", "chat", "chat", "chat", "rerank"]
      )
      assert.deepStrictEqual(
        details.map((row) => (row["details"] === null ? null : JSON.parse(String(row["details"])))),
        [null, null, null, null, { image_input: 40, request_fees: 1, web_searches: 3 }]
      )
    })
  )

  it.effect("are added up with those of the same hour, and verified", () =>
    Effect.gen(function* () {
      const journal = yield* LedgerJournal
      for (const id of [1, 2, 3]) {
        const row = reservation({ id })
        yield* journal.settle(settlement(row, { usage: id === 2 ? usage : searching, serviceTier: "flex" }))
      }
      const [spend] = yield* journal.spend(query)
      assert.deepStrictEqual(spend?.units, { requestFees: 2, webSearches: 6 })
      // A part of an hour is read from rows, not from sums.
      const [part] = yield* journal.spend({ ...query, from: NOW - 1, to: NOW + 1 })
      assert.deepStrictEqual(part?.units, spend?.units)
      assert.deepStrictEqual(yield* verifyLedger, [])
      const writer = yield* Writer
      yield* writer.write((db) => db.exec("UPDATE rollup SET web_searches = 5"))
      const differences = (yield* verifyLedger).map(({ expected, found, sum }) => `${sum} ${expected} ${found}`)
      assert.deepStrictEqual(differences, ["web_searches 6 5"])
    }).pipe(Effect.provide(Layer.provideMerge(LedgerJournalSqlite.layer, Database.layerMemory)))
  )

  it.effect("of rows without a price leave no price behind", () =>
    Effect.gen(function* () {
      const journal = yield* LedgerJournal
      yield* journal.reserve(reservation({ id: 1 }))
      yield* journal.settle(settlement(reservation({ id: 1 }), { isUnpriced: true }))
      // Its reservation was lost: it is written whole.
      yield* journal.settle(settlement(reservation({ id: 2 }), { isUnpriced: true, usage: searching }))
      yield* journal.settle(settlement(reservation({ id: 3 })))
      const writer = yield* Writer
      const rows = yield* writer.write((db) => db.prepare("SELECT price_source AS price FROM ledger ORDER BY id").all())
      assert.deepStrictEqual(
        rows.map(({ price }) => price),
        [null, null, "test"]
      )
    }).pipe(Effect.provide(Layer.provideMerge(LedgerJournalSqlite.layer, Database.layerMemory)))
  )

  it("come back from the pages of receipts as they went in", () => {
    const plain = receipt({ requestId: "req_1" })
    const [first, second] = plain.attempts
    const full = { ...second!, usage: Object.fromEntries(usageClasses.map(({ name }, at) => [name, at + 1])) }
    const told = [
      plain,
      { ...plain, attempts: [first!, { ...second!, usage: { ...noUsage, webSearches: 2 }, serviceTier: "priority" }] },
      { ...plain, attempts: [full as typeof first & object] }
    ]
    assert.deepStrictEqual(decodePage(PageDraft.of(told).body), told)
  })

  it("have their names on the wire", () => {
    assert.sameMembers(
      Object.keys(ReceiptUsage.fields),
      usageClasses.map(({ name }) => wireName(name))
    )
    assert.deepStrictEqual(wireName("cacheWrite1h"), "cache_write_1h")
    assert.isAbove(rareClasses.length, 0)
  })
})
