/** Keys and teams of another gateway into the store: with their spending and the audit log's entries, all or none. */
import { Effect, Layer } from "effect"
import { type Imported, KeyImports } from "./KeyImports.ts"
import { columns, toRow } from "@model-gateway/gateway/internal/storage/records/KeyRows"
import { ofKey, ofTeam, spendingRow } from "./ImportedSpend.ts"
import { entryWriter } from "@model-gateway/gateway/internal/storage/sqlite/administration/StatementsSqlite"
import { LedgerWrites } from "@model-gateway/gateway/internal/storage/sqlite/ledger/LedgerWrites"
import * as Database from "@model-gateway/gateway/internal/storage/sqlite/file/SqliteDatabase"
import * as SqliteStore from "@model-gateway/gateway/internal/storage/sqlite/file/SqliteStore"
import { Writer } from "@model-gateway/gateway/internal/storage/sqlite/writer/Writer"

const insertKey = `INSERT INTO keys (${columns.join(", ")}) VALUES (${columns.map((name) => `:${name}`).join(", ")})
  ON CONFLICT (id) DO NOTHING`
const insertTeam = `INSERT INTO teams (name, limits, budgets, updated_at, rules) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`

export const layer = Layer.effect(
  KeyImports,
  Effect.gen(function* () {
    const writer = yield* Writer
    const keyInsert = writer.db.prepare(insertKey)
    const teamInsert = writer.db.prepare(insertTeam)
    const lastId = writer.db.prepare("SELECT coalesce(max(id), 0) AS id FROM ledger")
    const note = entryWriter(writer.db)
    // Its own, and written at once: sums of an import that fails must not be left for the next commit.
    const ledger = new LedgerWrites(writer.db)

    const add = Effect.fn("KeyImports.add")(({ keys, teams }: Imported, at: number) =>
      writer.write(() => {
        const added = { keys: new Set<string>(), teams: new Set<string>() }
        ledger.begin()
        let id = Number(lastId.get()?.["id"])
        const book = (spending: ReturnType<typeof ofKey>) => {
          if (spending.spent === 0) return
          ledger.settle(spendingRow(++id, spending, at))
          ledger.settled(id)
        }
        for (const one of teams) {
          const { budgets, limits, name, rules, updatedAt } = one.team
          const texts = [limits, budgets].map((value) => JSON.stringify(value))
          const inserted = teamInsert.run(name, ...texts, updatedAt, JSON.stringify(rules ?? null))
          if (inserted.changes === 0) continue
          added.teams.add(name)
          note(one.entry)
          book(ofTeam(one))
        }
        for (const one of keys) {
          if (keyInsert.run(toRow(one.key)).changes === 0) continue
          added.keys.add(one.key.id)
          note(one.entry)
          book(ofKey(one))
        }
        ledger.beforeCommit()
        return added
      })
    )
    return { add }
  })
)

/** A store in a file with it, for a process that brings keys and serves nobody. */
export const storeWith = (options: Parameters<typeof Database.layer>[0]) =>
  Layer.provide(Layer.merge(SqliteStore.repositories, layer), Database.layer(options))
