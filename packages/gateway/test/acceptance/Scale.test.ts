/** The store that `npm run bench:pages` measures on is one that the gateway could have written. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { credentialOf, keyIdOf, seed } from "../../../../bench/Seed.ts"
import { KeyStore } from "../../src/core/keys/KeyStore.ts"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"
import { verifyLedger } from "../../../model-gateway/src/store/reading/SqliteVerify.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-scale-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const store = (filename: string) =>
  KeyStore.layer.pipe(
    Layer.provideMerge(SqliteStore.repositories),
    Layer.provideMerge(Database.layer({ filename, synchronous: "normal" }))
  )

it.live("a seeded store has sound books, blocks of a year, and keys that work", () =>
  Effect.gen(function* () {
    const filename = join(yield* folder, "seeded.db")
    yield* Effect.promise(() => seed(filename, { keys: 300, rows: 10_000, callers: 200 }, Date.UTC(2026, 10, 20, 12)))
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* verifyLedger, [])
      const keys = yield* KeyStore
      assert.strictEqual((yield* keys.authenticate(credentialOf(299))).key.id, keyIdOf(299))

      const sql = yield* SqlClient.SqlClient
      const [blocks] = yield* sql<{ days: number; months: number }>`SELECT
        sum(hours <= 24) AS days, sum(hours > 24) AS months FROM blocks WHERE listed`
      assert.isAtLeast(blocks!.days, 364)
      assert.strictEqual(blocks!.months, 13)
      const [from, to] = [Date.UTC(2026, 5, 1), Date.UTC(2026, 6, 1)]
      const [june] = yield* sql<{ cost: number; requests: number }>`SELECT
        sum(cost) AS cost, sum(requests) AS requests FROM booked WHERE at >= ${from} AND at < ${to}`
      const journal = yield* LedgerJournal
      const whole = {
        from,
        to,
        timeZone: "UTC",
        key: undefined,
        team: undefined,
        model: undefined,
        provider: undefined
      }
      for (const groupBy of [["key"], ["team"], ["model"], ["day"]] as const) {
        const rows = yield* journal.spend({ visibility: "all", ...whole, groupBy })
        assert.strictEqual(
          rows.reduce((sum, row) => sum + row.cost, 0),
          june!.cost
        )
        assert.strictEqual(
          rows.reduce((sum, row) => sum + row.requests, 0),
          june!.requests
        )
      }
    }).pipe(Effect.provide(store(filename)))
  })
)
