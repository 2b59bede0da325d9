/** Rows of several processes in one store: each process names them by its own numbers. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { LedgerJournal } from "../../../src/core/ledger/LedgerJournal.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { everything, NOW, reservation, settlement, today } from "../../storage/Support.ts"
import { ownership } from "../grants/Nodes.ts"

it.effect("rows that settle together say in their order why one did not, whatever was closed before", () =>
  Effect.gen(function* () {
    const { books, join } = yield* ownership
    const [one, other] = [yield* join, yield* join]
    const journal = books.journalOf(one.member)
    yield* books.journalOf(other.member).reserve(reservation({ id: 1, keyId: "key_b" }))
    const rows = [1, 2, 3].map((id) => reservation({ id }))
    for (const row of rows) yield* journal.reserve(row)
    const [first, second, third] = rows.map((row) => settlement(row, { charges: [today("key:key_a")] }))
    assert.deepStrictEqual(yield* journal.settleAll([first!]), [])

    const failures = yield* journal.settleAll([first!, { ...second!, cost: 1.5 }, third!])
    assert.deepStrictEqual(
      failures.map((failure) => failure?._tag),
      [undefined, "StoreUnavailable", undefined]
    )
    const spend = yield* (yield* LedgerJournal).spend(everything)
    assert.strictEqual(spend[0]?.cost, 2 * 700)
    assert.strictEqual(yield* books.buried(other.member, NOW + 1_000, "book"), 1)
  }).pipe(Effect.provide(SqliteStore.layerMemory))
)
