import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { KeptPrompt } from "../../src/core/receipts/KeptPrompt.ts"
import { ReceiptArchive } from "../../src/core/receipts/ReceiptArchive.ts"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as ReceiptArchiveSqlite from "../../src/storage/sqlite/receipts/ReceiptArchiveSqlite.ts"
import { WaitingPrompts } from "../../src/storage/records/receipts/WaitingPrompts.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { receipt, temporaryFile } from "./Support.ts"

const file = Layer.unwrap(
  Effect.map(temporaryFile, (filename) => Layer.provideMerge(ReceiptArchiveSqlite.layer, Database.layer({ filename })))
)

const text = (body: string): KeptPrompt => ({ featureSet: null, body: JSON.stringify(body) })

const written = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string }>`SELECT kept_prompts.request_id || ' ' || kept_prompts.body AS name
    FROM kept_prompts JOIN receipts ON receipts.id = page AND instr(receipts.body, kept_prompts.request_id) > 0
    ORDER BY kept_prompts.request_id`
  return rows.map(({ name }) => name)
})

describe("prompts that wait with their receipts", () => {
  it.effect("are written on the same page, with their own request", () =>
    Effect.gen(function* () {
      const { add } = yield* ReceiptArchive
      const writer = yield* Writer
      add(receipt({ requestId: "req_a" }), text("one"))
      add(receipt({ requestId: "req_b" }))
      add(receipt({ requestId: "req_c" }), text("three"))
      yield* TestClock.adjust("1 second")
      yield* writer.write(() => {})
      add(receipt({ requestId: "req_d" }), text("four"))
      yield* TestClock.adjust("1 second")
      yield* writer.write(() => {})
      assert.deepStrictEqual(yield* written, ['req_a "one"', 'req_c "three"', 'req_d "four"'])
    }).pipe(Effect.provide(file))
  )

  it.effect("wait for a store that is down, and are written once when it is back", () =>
    Effect.gen(function* () {
      const archive = yield* ReceiptArchive
      const { db } = yield* Writer
      db.exec("PRAGMA query_only = 1")
      archive.add(receipt({ requestId: "req_a" }), text("one"))
      yield* TestClock.adjust("1 second")
      // A score has to be on the disk; this one can't be.
      assert.strictEqual((yield* Effect.flip(archive.rate("req_a", 1)))._tag, "StoreUnavailable")
      db.exec("PRAGMA query_only = 0")
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* archive.rate("rcpt_a", 1))._tag, "Some")
      assert.deepStrictEqual(yield* written, ['req_a "one"'])
    }).pipe(Effect.provide(file))
  )

  it("take no more memory than they may: what is more is not kept, its receipt is", () => {
    const waiting = new WaitingPrompts()
    const large = text("x".repeat(6_000))
    for (let n = 0; n < 4_000; n++) waiting.add(`req_${n}`, large)
    const most = waiting.byRequest.size
    assert.isAbove(most, 2_000)
    assert.isBelow(most, 2_700)
    waiting.drop(["req_0", "req_3999"])
    waiting.add("req_new", large)
    waiting.add("req_newer", large)
    assert.deepStrictEqual([waiting.byRequest.has("req_new"), waiting.byRequest.has("req_newer")], [true, false])
  })
})
