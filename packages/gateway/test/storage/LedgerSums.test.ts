import { DatabaseSync } from "node:sqlite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"
import { LedgerWrites } from "../../src/storage/sqlite/ledger/LedgerWrites.ts"
import { NOW, reservation, settlement, temporaryFile } from "./Support.ts"

it.effect("adds to the rollup of its own scope after the transaction that made it was rolled back", () =>
  Effect.gen(function* () {
    const filename = yield* temporaryFile
    yield* Effect.scoped(Layer.build(SqliteStore.layer({ filename })))
    const db = new DatabaseSync(filename)
    const writes = new LedgerWrites(db)
    let id = 0
    const settle = (user: string, end: "COMMIT" | "ROLLBACK", at = NOW, model = "m") => {
      db.exec("BEGIN")
      writes.begin()
      writes.settle(
        settlement(reservation({ id: ++id, at, model, subjects: [`end_user:o/${user}`] }), { cost: 10 ** id })
      )
      writes.beforeCommit()
      db.exec(end)
    }
    settle("ann", "ROLLBACK")
    settle("bob", "COMMIT")
    settle("ann", "COMMIT")
    settle("ann", "COMMIT")
    settle("bob", "COMMIT")
    settle("bob", "COMMIT", NOW, "other")
    settle("bob", "COMMIT", NOW - 3_600_000)
    settle("bob", "COMMIT")
    const rows = db.prepare("SELECT scope, model, requests, cost FROM scope_rollup ORDER BY scope, slot, model").all()
    db.close()
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
