/** A file in which there is no store is never made one: what it held may lie beside it. And what is in the log moves to the file. */
import { copyFileSync, readdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"
import { eventually } from "../support/Patience.ts"
import { ledgerOf } from "../support/RunningGateway.ts"
import { reservation, settlement, temporaryFile } from "./Support.ts"

const refusal = (filename: string) =>
  Effect.map(
    Effect.flip(Effect.provide(Effect.void, Layer.fresh(SqliteStore.layer({ filename })))),
    ({ message }) => message
  )

describe("a store in a file", () => {
  it.effect("refuses an empty file, and says what lies beside it", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      writeFileSync(filename, "")
      writeFileSync(`${filename}-wal`, "four")
      writeFileSync(filename.replace("gateway.db", "gateway-backup.db"), "backup")
      const message = yield* refusal(filename)
      assert.include(message, "gateway.db is empty, so it is no store of the gateway: restore a backup, or remove it")
      assert.match(
        message,
        /Beside it: gateway-backup\.db \(6 bytes, changed .*\), gateway\.db-wal \(4 bytes, changed .*\)\.$/
      )
      assert.deepStrictEqual(readdirSync(dirname(filename)).sort(), [
        "gateway-backup.db",
        "gateway.db",
        "gateway.db-wal"
      ])
    })
  )

  it.effect("refuses a database without tables, as a copy without its log is", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const db = new DatabaseSync(filename)
      db.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (a); DROP TABLE t")
      db.close()
      assert.include(yield* refusal(filename), "gateway.db holds no tables, so it is no store of the gateway")
    })
  )

  it.effect("refuses to start anew beside the log of a database that is missing, and leaves it there", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      writeFileSync(`${filename}-wal`, "precious")
      assert.include(yield* refusal(filename), "gateway.db is missing, and its write-ahead log is there")
      assert.deepStrictEqual(readdirSync(dirname(filename)), ["gateway.db-wal"])
    })
  )

  it.effect("has all that was written in its file within a minute when little is written", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const use = Effect.gen(function* () {
        const journal = yield* LedgerJournal
        yield* journal.settle(settlement(reservation({ id: 1 })))
        yield* TestClock.adjust("60 seconds")
        // A long log is moved by a thread of its own.
        const copied = Effect.sync(() => copyFileSync(filename, `${filename}.copy`))
        const rows = Effect.orElseSucceed(
          Effect.try(() => ledgerOf(`${filename}.copy`)),
          () => []
        )
        yield* eventually(Effect.andThen(copied, rows), ({ length }) => length === 1)
      })
      yield* Effect.provide(use, SqliteStore.layer({ filename }))
      assert.lengthOf(ledgerOf(`${filename}.copy`), 1)
    })
  )
})
