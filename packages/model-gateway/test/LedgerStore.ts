/** A store with a few rows, for the `ledger` commands. */
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { LedgerJournal } from "../../gateway/src/core/ledger/LedgerJournal.ts"
import * as SqliteStore from "../../gateway/src/storage/sqlite/file/SqliteStore.ts"
import { HOUR, NOW, reservation, settlement, today } from "../../gateway/test/storage/Support.ts"
import { folder, run } from "./Support.ts"

/**
 * Rows 1 to 3 are closed: at 10:20, one with all that needs quoting at 11:20 and one that cost nothing at 12:20; each of the first
 * two cost 700 nano-USD, the first was for `auto`. Row 4 is open. The journal ends with the scope of `use`.
 */
export const withRows = <A, E, R>(filename: string, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const journal = yield* LedgerJournal
    const charges = [today("key:key_a"), today("team:red")]
    yield* journal.openWindow(charges[0]!)
    yield* journal.settle(settlement(reservation({ id: 1, isAuto: true }), { charges, baseline: 2100 }))
    const odd = {
      deployment: 'a "b"',
      model: "line\nbreak",
      tags: "one,two",
      at: NOW + HOUR,
      attempt: 1,
      operation: "rerank"
    }
    yield* journal.settle(settlement(reservation({ id: 2, ...odd }), { charges, estimated: true, counts: "nothing" }))
    const free = reservation({ id: 3, at: NOW + 2 * HOUR, team: null, priceSource: null, priceVersion: null })
    yield* journal.settle(settlement(free, { status: "void", cost: 0, counts: "failed_request" }))
    yield* journal.reserve(reservation({ id: 4, at: NOW + 2 * HOUR }))
    return yield* use
  }).pipe(Effect.provide(Layer.fresh(SqliteStore.layer({ filename }))))

/** A store that nobody runs on, and the command line in its folder. */
export const stopped = Effect.gen(function* () {
  const cwd = yield* folder
  const store = join(cwd, "gateway.db")
  yield* withRows(store, Effect.void)
  const change = (sql: string) => {
    const db = new DatabaseSync(store)
    db.exec(sql)
    db.close()
  }
  return { cwd, store, change, ledger: (...args: ReadonlyArray<string>) => run(["ledger", ...args], { cwd }) }
})
