import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Random } from "effect"
import { SqlClient } from "effect/sql"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as LedgerJournalSqlite from "../../src/storage/sqlite/ledger/LedgerJournalSqlite.ts"
import { verifyLedger } from "../../../model-gateway/src/store/reading/SqliteVerify.ts"
import { HOUR, NOW, reservation, settlement, temporaryFile, today, everything } from "./Support.ts"

const memory = Layer.provideMerge(LedgerJournalSqlite.layer, Database.layerMemory)
const file = Layer.unwrap(
  Effect.map(temporaryFile, (filename) => Layer.provideMerge(LedgerJournalSqlite.layer, Database.layer({ filename })))
)

const rowsOf = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql<Record<string, unknown>>`SELECT * FROM ${sql(table)}`)

for (const [where, layer] of Object.entries({ "in memory": memory, "in a file": file })) {
  describe(`LedgerJournalSqlite ${where}`, () => {
    it.effect("a row opens as reserved and closes with its cost, its rollup and its windows", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        assert.strictEqual(yield* journal.lastId, 0)
        const row = reservation({ id: 5 })
        yield* journal.reserve(row)
        yield* journal.settle(settlement(row, { estimated: true, charges: [today("key:key_a"), today("team:red")] }))
        assert.strictEqual(yield* journal.lastId, 5)
        assert.deepInclude((yield* rowsOf("ledger"))[0], {
          request_id: "request_5",
          status: "settled",
          reserved: 900,
          cost: 700,
          estimated: 1,
          settled_at: NOW + 1000,
          cached_input: 20,
          price_source: "test"
        })
        const [rollup] = yield* rowsOf("rollup")
        assert.deepInclude(rollup, { hour: NOW / HOUR - 1 / 3, requests: 1, failed_requests: 0, cost: 700, output: 50 })
        assert.strictEqual(yield* journal.openWindow(today("key:key_a")), 700)
        assert.strictEqual(yield* journal.openWindow(today("team:red")), 700)
      }).pipe(Effect.provide(layer))
    )

    it.effect("settling twice changes nothing, in one commit or in two", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const row = reservation({ id: 1 })
        const settled = settlement(row, { charges: [today("key:key_a")] })
        yield* journal.reserve(row)
        yield* Effect.all([journal.settle(settled), journal.settle({ ...settled, cost: 5 })], {
          concurrency: "unbounded"
        })
        yield* journal.settle({ ...settled, status: "void", cost: 0 })
        assert.deepInclude((yield* rowsOf("ledger"))[0], { status: "settled", cost: 700 })
        assert.deepInclude((yield* rowsOf("rollup"))[0], { requests: 1, cost: 700 })
        assert.strictEqual(yield* journal.openWindow(today("key:key_a")), 700)
      }).pipe(Effect.provide(layer))
    )

    it.effect("counts requests, failed requests and attempts that another followed", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        for (const [id, counts] of (["request", "failed_request", "nothing"] as const).entries()) {
          yield* journal.settle(settlement(reservation({ id }), { counts, status: "void", cost: 0 }))
        }
        assert.deepInclude((yield* rowsOf("rollup"))[0], { requests: 2, failed_requests: 1, cost: 0 })
      }).pipe(Effect.provide(layer))
    )

    it.effect("a row whose reservation was lost is written whole when it settles", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        yield* journal.settle(settlement(reservation({ id: 3 }), { charges: [today("key:key_a")] }))
        assert.deepInclude((yield* rowsOf("ledger"))[0], {
          id: 3,
          status: "settled",
          cost: 700,
          deployment: "openai/gpt-5-mini"
        })
        assert.strictEqual(yield* journal.openWindow(today("key:key_a")), 700)
        assert.deepStrictEqual(yield* verifyLedger, [])
      }).pipe(Effect.provide(layer))
    )

    it.effect("a budget that was gone for a while counts what was spent without it", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const window = today("key:key_a")
        yield* journal.settle(settlement(reservation({ id: 1 }), { charges: [window] }))
        yield* journal.settle(settlement(reservation({ id: 2 }), { charges: [] }))
        assert.deepStrictEqual(yield* verifyLedger, [])
        assert.strictEqual(yield* journal.openWindow(window), 1400)
      }).pipe(Effect.provide(layer))
    )

    it.effect("sums beyond 2^53 are exact in the store and never an error", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const large = Number.MAX_SAFE_INTEGER
        yield* Effect.forEach(
          [1, 2, 3],
          (id) => journal.settle(settlement(reservation({ id }), { cost: large, charges: [today("key:key_a")] })),
          { concurrency: "unbounded" }
        )
        const sql = yield* SqlClient.SqlClient
        const exact = yield* Effect.provideService(
          sql`SELECT cost, (SELECT spent FROM budget_windows) AS spent FROM rollup`,
          SqlClient.SafeIntegers,
          true
        )
        const expected = 3n * BigInt(large)
        assert.deepStrictEqual({ ...exact[0] }, { cost: expected, spent: expected })
        assert.strictEqual(yield* journal.openWindow(today("key:key_a")), Number(expected))
        assert.deepStrictEqual(yield* verifyLedger, [])
      }).pipe(Effect.provide(layer))
    )

    it.effect("rollups and windows add up to the rows, whatever the mix", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const pick = <A>(values: ReadonlyArray<A>) =>
          Effect.map(Random.nextIntBetween(0, values.length - 1), (index) => values[index]!)
        const rows = yield* Effect.forEach([...Array(400).keys()], (index) =>
          Effect.gen(function* () {
            const row = reservation({
              id: index + 1,
              at: NOW + (yield* Random.nextIntBetween(0, 50 * HOUR)),
              keyId: yield* pick(["key_a", "key_b"]),
              team: yield* pick(["red", null]),
              model: yield* pick(["m1", "m2"]),
              tags: yield* pick(["", "x", "x,y"])
            })
            const scopes = row.team === null ? [`key:${row.keyId}`] : [`key:${row.keyId}`, `team:${row.team}`]
            return settlement(row, {
              cost: yield* Random.nextIntBetween(1, 1_000_000),
              estimated: yield* Random.nextBoolean,
              counts: yield* pick(["request", "failed_request", "nothing"] as const),
              charges: scopes.map((scope) => today(scope, row.at))
            })
          })
        )
        yield* Effect.forEach(rows, (row) => Effect.andThen(journal.reserve(row.reservation), journal.settle(row)), {
          concurrency: 16,
          discard: true
        })
        assert.deepStrictEqual(yield* verifyLedger, [])
        const sum = rows.reduce((total, row) => total + row.cost, 0)
        const [found] = yield* journal.spend({ ...everything, groupBy: [] })
        assert.strictEqual(found?.cost, sum)
        const spans = Map.groupBy(rows, (row) => today("key:key_b", row.reservation.at).start)
        for (const [start, group] of spans) {
          const mine = group.filter((row) => row.reservation.keyId === "key_b")
          const spent = yield* journal.openWindow({ scope: "key:key_b", window: "day@UTC", start })
          assert.strictEqual(
            spent,
            mine.reduce((total, row) => total + row.cost, 0)
          )
        }
      }).pipe(Random.withSeed("ledger"), Effect.provide(layer))
    )

    it.effect("a settlement that is refused fails alone, and leaves its reservation for the next start", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const broken = settlement(reservation({ id: 2 }), { cost: 0.5 })
        const exits = yield* Effect.forEach(
          [settlement(reservation({ id: 1 })), broken, settlement(reservation({ id: 3 }))],
          (row) => Effect.exit(journal.settle(row)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          exits.map((exit) => exit._tag),
          ["Success", "Failure", "Success"]
        )
        assert.deepStrictEqual(
          (yield* rowsOf("ledger")).map(({ id, status }) => [id, status]),
          [
            [1, "settled"],
            [2, "reserved"],
            [3, "settled"]
          ]
        )
        assert.deepStrictEqual(yield* verifyLedger, [])
      }).pipe(Effect.provide(layer))
    )
  })
}
