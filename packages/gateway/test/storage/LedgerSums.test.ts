import { DatabaseSync } from "node:sqlite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"
import { scopeSums } from "../../src/storage/sqlite/ledger/ScopeRollups.ts"
import { LedgerWrites } from "../../src/storage/sqlite/ledger/LedgerWrites.ts"
import { Chance } from "../support/Mutate.ts"
import { NOW, reservation, settlement, temporaryFile } from "./Support.ts"

const store = Effect.gen(function* () {
  const filename = yield* temporaryFile
  yield* Effect.scoped(Layer.build(SqliteStore.layer({ filename })))
  const db = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(filename)),
    (db) => Effect.sync(() => db.close())
  )
  db.exec("PRAGMA synchronous = OFF")
  return db
})

it.effect("writes the sums of scopes by cell, and none of a transaction that was rolled back", () =>
  Effect.gen(function* () {
    const db = yield* store
    const writes = new LedgerWrites(db)
    let id = 0
    const transaction = (end: "COMMIT" | "ROLLBACK", run: () => void) => {
      db.exec("BEGIN")
      writes.begin()
      run()
      writes.beforeCommit()
      db.exec(end)
      if (end === "COMMIT") writes.committed()
    }
    const settle = (user: string, end: "COMMIT" | "ROLLBACK", at = NOW, model = "m") =>
      transaction(end, () => {
        const row = reservation({ id: ++id, at, model, subjects: [`end_user:o/${user}`] })
        writes.settle(settlement(row, { cost: 10 ** id }))
      })
    const write = () => transaction("COMMIT", () => writes.scopes.write())
    settle("ann", "ROLLBACK")
    settle("bob", "COMMIT")
    write()
    settle("ann", "COMMIT")
    settle("ann", "COMMIT")
    settle("bob", "COMMIT")
    transaction("ROLLBACK", () => writes.scopes.write())
    settle("bob", "COMMIT", NOW, "other")
    write()
    settle("bob", "COMMIT", NOW - 3_600_000)
    settle("bob", "COMMIT")
    write()
    const rows = db.prepare("SELECT scope, model, requests, cost FROM scope_rollup ORDER BY scope, slot, model").all()
    assert.deepStrictEqual(
      rows.map((row) => Object.values(row)),
      [
        ["end_user:o/ann", "m", 2, 11_000],
        ["end_user:o/bob", "m", 1, 10_000_000],
        ["end_user:o/bob", "m", 3, 100_100_100],
        ["end_user:o/bob", "other", 1, 1_000_000]
      ]
    )
  })
)

it.effect("counts each row once under each scope, whenever transactions fail and processes die", () =>
  Effect.gen(function* () {
    const db = yield* store
    for (let seed = 1; seed <= 20; seed++) {
      db.exec(
        "DELETE FROM ledger; DELETE FROM rollup; DELETE FROM scope_rollup; DELETE FROM meta WHERE name LIKE 'scopes%'"
      )
      const chance = new Chance(seed)
      const below = (most: number) => chance.below(most)
      // Half of the teams are named beyond U+FFFF, where texts and their bytes are in another order.
      const scopes = Array.from(
        { length: 400 },
        (_, index) => `rule:0/team:${index % 2 === 0 ? "\u{1f600}" : "\uff71"}${index}`
      )
      let [id, failed] = [0, 0]
      let open: Array<ReturnType<typeof reservation>> = []
      let writes = new LedgerWrites(db)
      /** One in eight is rolled back, and tried again unless the process dies. */
      const transaction = (run: () => void) => {
        while (true) {
          const fails = below(8) === 0
          db.exec("BEGIN")
          writes.begin()
          run()
          writes.beforeCommit()
          db.exec(fails ? "ROLLBACK" : "COMMIT")
          if (!fails) return writes.committed()
          failed++
        }
      }
      const reserved = () => {
        const subjects = Array.from({ length: below(60) }, () => scopes[below(scopes.length)]!)
        return reservation({ id: ++id, at: NOW + below(4) * 900_000, subjects: [...new Set(subjects)] })
      }
      const settle = (row: (typeof open)[number]) => writes.settle(settlement(row, { cost: row.id }))
      const start = () => {
        writes = new LedgerWrites(db)
        transaction(() => writes.scopes.addUnsummed())
        const last = id
        transaction(() => {
          writes.abandon(last, NOW, "book")
          writes.scopes.addUnsummed()
        })
        writes.abandoned(last)
        open = []
      }
      start()
      for (let step = 0; step < 120; step++) {
        const made = Array.from({ length: below(4) }, reserved)
        // Some are reserved later than those with higher IDs, or only when they are settled.
        const [now, later] = [made.filter(() => below(4) > 0), made]
        transaction(() => now.forEach((row) => writes.reserve(row)))
        open.push(...later)
        const ended = open.filter(() => below(6) === 0)
        open = open.filter((row) => !ended.includes(row))
        transaction(() => ended.forEach(settle))
        for (const row of ended) writes.settled(row.id)
        if (below(3) === 0) transaction(() => writes.scopes.write())
        if (below(25) === 0) start()
        const totals = (from: string) =>
          db
            .prepare(
              `SELECT scope, slot, sum(requests) AS requests, sum(cost) AS cost FROM ${from} GROUP BY scope, slot ORDER BY scope, slot`
            )
            .all()
        const rows = totals(`(SELECT value AS scope, at / 900000 AS slot, counts > 0 AS requests, cost FROM ledger,
          json_each(iif(subjects = '', '[]', subjects)) WHERE status <> 'reserved')`)
        assert.deepStrictEqual(totals(`(${scopeSums})`), rows, `seed ${seed}, step ${step}`)
        const scope = scopes[below(scopes.length)]!
        const cost = rows.reduce((sum, row) => sum + (row["scope"] === scope ? BigInt(row["cost"] as number) : 0n), 0n)
        assert.strictEqual(writes.scopes.costIn(scope, { first: 0, last: 2 ** 31 }), cost)
      }
      assert.isAbove(failed, 0)
      transaction(() => {
        while (writes.scopes.write());
      })
      const [counted] = db.prepare("SELECT sum(requests) AS requests FROM scope_rollup").all()
      const [all] = db
        .prepare(
          "SELECT sum(json_array_length(iif(subjects = '', '[]', subjects))) AS requests FROM ledger WHERE status <> 'reserved'"
        )
        .all()
      assert.deepStrictEqual(counted, all)
    }
  })
)
