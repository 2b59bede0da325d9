/** Settles one row and leaves another open in the store given as argument, says so, and waits to be killed. */
import { Effect } from "effect"
import { LedgerJournal } from "../../../src/core/ledger/LedgerJournal.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { reservation, settlement } from "../Support.ts"

const work = Effect.gen(function* () {
  const journal = yield* LedgerJournal
  const [first, second] = [reservation({ id: 1 }), reservation({ id: 2 })]
  yield* journal.reserve(first)
  yield* journal.reserve(second)
  yield* journal.settle(settlement(first))
  process.stdout.write("settled\n")
  yield* Effect.sleep("1 hour")
})

await Effect.runPromise(Effect.provide(work, SqliteStore.layer({ filename: process.argv[2]! })))
