/** Keys of another gateway into the store: with their spending and the audit log's entries, all or none. */
import { Effect, Layer } from "effect"
import { type ImportedKey, KeyImports } from "../../../core/keys/KeyImports.ts"
import type { StoredKey } from "../../../core/keys/KeyRepository.ts"
import type { ReservationRow } from "../../../core/ledger/LedgerJournal.ts"
import type { NanoUsd } from "../../../core/domain/Money.ts"
import { noUsage } from "../../../core/domain/Usage.ts"
import { entryWriter } from "../administration/AuditRepositorySqlite.ts"
import { LedgerWrites } from "../ledger/LedgerWrites.ts"
import { Writer } from "../writer/Writer.ts"
import { KeyChanges } from "./KeyChanges.ts"
import { columns, toRow } from "../../records/KeyRows.ts"

const insertKey = `INSERT INTO keys (${columns.join(", ")}) VALUES (${columns.map((name) => `:${name}`).join(", ")})
  ON CONFLICT (id) DO NOTHING`

export const layer = Layer.effect(
  KeyImports,
  Effect.gen(function* () {
    const writer = yield* Writer
    const { tell } = yield* Effect.flatMap(KeyChanges, ({ join }) => join)
    const insert = writer.db.prepare(insertKey)
    const lastId = writer.db.prepare("SELECT coalesce(max(id), 0) AS id FROM ledger")
    const note = entryWriter(writer.db)
    // Its own, and written at once: sums of an import that fails must not be left for the next commit.
    const ledger = new LedgerWrites(writer.db)

    const add = Effect.fn("KeyImports.add")((keys: ReadonlyArray<ImportedKey>, at: number) =>
      writer
        .write(() => {
          const added = new Set<string>()
          ledger.begin()
          let id = Number(lastId.get()?.["id"])
          for (const { entry, key, spent } of keys) {
            if (insert.run(toRow(key)).changes === 0) continue
            added.add(key.id)
            note(entry)
            if (spent > 0) book(ledger, spending(++id, key, spent, at))
          }
          ledger.beforeCommit()
          return added
        })
        .pipe(Effect.tap((added) => (added.size === 0 ? Effect.void : tell({ what: "all" }))))
    )
    return { add }
  })
)

/** What was spent elsewhere, as a row: of no provider here, and exact as far as the other gateway counted. */
const spending = (id: number, key: StoredKey, spent: NanoUsd, at: number): ReservationRow => ({
  id,
  requestId: `import_${key.id}`,
  attempt: 0,
  at,
  keyId: key.id,
  team: key.team,
  provider: "litellm",
  model: "imported",
  deployment: "litellm/imported",
  operation: "chat",
  tags: key.tags.toSorted().join(","),
  reserved: spent,
  priceSource: "import",
  priceVersion: "litellm",
  isAuto: false
})

const book = (ledger: LedgerWrites, row: ReservationRow): void => {
  ledger.settle({
    reservation: row,
    settledAt: row.at,
    cost: row.reserved,
    baseline: 0,
    usage: noUsage,
    estimated: false,
    status: "settled",
    counts: "nothing",
    charges: []
  })
  ledger.settled(row.id)
}
