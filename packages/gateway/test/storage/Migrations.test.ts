import { DatabaseSync } from "node:sqlite"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Reactivity } from "effect/reactivity"
import { Migrator, SqlClient } from "effect/sql"
import { ReceiptArchive } from "../../src/core/receipts/ReceiptArchive.ts"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import { history, TABLE } from "../../src/storage/migrations/SqliteMigrations.ts"
import { usageColumns } from "../../src/storage/migrations/UsageColumns.ts"
import * as SqliteClient from "../../src/storage/sqlite/file/SqliteClient.ts"
import { connect } from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"
import { NOW, receipt, temporaryFile } from "./Support.ts"

/** A store as the first version left it, with one open row. */
const firstVersion = Effect.fnUntraced(function* (filename: string) {
  const migrate = Migrator.make({})({
    loader: Migrator.fromRecord({ "0001_start": history["0001_start"]! }),
    table: TABLE
  })
  const client = yield* SqliteClient.fromDatabase(yield* connect(filename, false))
  yield* Effect.provideService(migrate, SqlClient.SqlClient, client)
  const sql = client
  yield* sql`INSERT INTO ledger (id, request_id, attempt, at, key_id, team, provider, model, deployment, tags, reserved, status)
    VALUES (7, 'req_old', 0, ${NOW}, 'key_a', '', 'p', 'm', 'p/m', '', 5, 'reserved')`
}, Effect.provide(Reactivity.layer))

it.effect("a store of the first version is brought up to date, and keeps what it has", () =>
  Effect.gen(function* () {
    const filename = yield* temporaryFile
    yield* Effect.scoped(firstVersion(filename))
    const use = Effect.gen(function* () {
      const journal = yield* LedgerJournal
      const archive = yield* ReceiptArchive
      assert.strictEqual(yield* journal.lastId, 7)
      assert.strictEqual(yield* journal.abandonOpen(NOW + 8, "book"), 1)
      const old = Option.getOrThrow(yield* archive.find("req_old"))
      assert.deepInclude(old, { status: "abandoned", durationMs: 8 })
      archive.add(receipt({ requestId: "req_new" }))
    })
    yield* Effect.provide(use, SqliteStore.layer({ filename }))
    const db = new DatabaseSync(filename, { readOnly: true })
    const names = db.prepare(`SELECT name FROM ${TABLE} ORDER BY migration_id`).all()
    const rows = db.prepare("SELECT first_request FROM receipts ORDER BY id").all()
    db.close()
    assert.deepStrictEqual(
      [names.map(({ name }) => name), rows.map((row) => row["first_request"])],
      [
        [
          "start",
          "receipts",
          "scale",
          "savings",
          "learning",
          "details",
          "operation",
          "responses",
          "idempotency",
          "sessions",
          "traffic",
          "audit",
          "holdings",
          "growth",
          "unknown_fields",
          "identity",
          "scopes",
          "require",
          "people",
          "scopes",
          "scope_sums"
        ],
        ["req_old", "req_new"]
      ]
    )
  })
)

it.effect("migration 0025 keeps all sums of end users and sessions", () =>
  Effect.gen(function* () {
    const filename = yield* temporaryFile
    const before = Object.fromEntries(Object.entries(history).filter(([name]) => name < "0025"))
    const migrate = Migrator.make({})({ loader: Migrator.fromRecord(before), table: TABLE })
    const columns =
      "scope, slot, key_id, team, provider, model, tags, last_at, requests, failed_requests, cost, estimated_cost, auto_requests, auto_cost, auto_baseline, input, cached_input, cache_write, cache_write_1h, output, reasoning, audio_input, audio_output, images"
    const rows = `SELECT ${columns} FROM scope_rollup ORDER BY scope, slot`
    const read = () => {
      const db = new DatabaseSync(filename)
      const found = db.prepare(rows).all()
      db.close()
      return found
    }
    yield* Effect.gen(function* () {
      const sql = yield* SqliteClient.fromDatabase(yield* connect(filename, false))
      yield* Effect.provideService(Effect.andThen(migrate, usageColumns), SqlClient.SqlClient, sql)
      for (const [n, scope] of ["session:key_a/s", "end_user:team%3Ared/ann", "end_user:team%3Ared/ann"].entries()) {
        const numbers = Array.from({ length: 17 }, (_, column) => n * 100 + column).join(", ")
        yield* sql.unsafe(
          `INSERT INTO scope_rollup (${columns}) VALUES ('${scope}', ${n}, 'key_a', 'red', 'p', 'm', 't', ${numbers})`
        )
      }
    }).pipe(Effect.provide(Reactivity.layer), Effect.scoped)
    const stored = read()
    assert.lengthOf(stored, 3)
    yield* Effect.void.pipe(Effect.provide(SqliteStore.layer({ filename })))
    assert.deepStrictEqual(read(), stored)
  })
)
