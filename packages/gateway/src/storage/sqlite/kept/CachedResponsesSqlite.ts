/**
 * Cached responses, in a database of their own beside the store: they add nothing to the ledger's commits, and no backup has them. It is
 * made at the first use, and made anew if it is damaged. Losing it loses nothing but hits.
 */
import * as fs from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Clock, Effect, Layer } from "effect"
import { CachedResponses, type Erasure, type NewRecord } from "../../../core/kept/KeptResponses.ts"
import type { Quota } from "../../../core/domain/Quota.ts"
import { keptAnswers } from "../../migrations/0013Holdings.ts"
import { DiskReserve } from "../file/DiskReserve.ts"
import { companions } from "../file/Files.ts"
import { sqliteCode, unavailable } from "../file/SqliteErrors.ts"
import { Writer } from "../writer/Writer.ts"
import { type KeptTable, keptTable, PRUNED_AT_ONCE } from "./KeptTable.ts"

/** Result codes of a file that is corrupt or no database. */
const DAMAGED: ReadonlySet<number | undefined> = new Set([11, 26])

export const layer = Layer.effect(
  CachedResponses,
  Effect.gen(function* () {
    const store = (yield* Writer).db.location()
    const path = store === null ? ":memory:" : `${store}.cache`
    const clock = yield* Clock.Clock
    const hasRoom = yield* DiskReserve
    let db: DatabaseSync | undefined
    let table: KeptTable | undefined

    const close = () => {
      db?.close()
      db = table = undefined
    }
    yield* Effect.addFinalizer(() => Effect.sync(close))

    const open = (): KeptTable => {
      // Only for the owner of the store, as the store itself.
      if (store !== null) fs.closeSync(fs.openSync(path, "a", 0o600))
      db = new DatabaseSync(path)
      // A rollback journal keeps no copy of what was deleted, as a log would. After a crash of the process it is complete.
      db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF")
      db.exec("PRAGMA secure_delete = ON")
      if (db.prepare("SELECT 1 FROM sqlite_master").get() === undefined) db.exec(keptAnswers.join(";\n"))
      return (table = keptTable(db, hasRoom))
    }
    const anew = () => {
      close()
      if (store !== null) for (const suffix of companions) fs.rmSync(path + suffix, { force: true })
    }
    const opened = (): KeptTable => {
      if (table !== undefined) return table
      try {
        return open()
      } catch (cause) {
        if (sqliteCode(cause) === undefined) throw cause
        anew()
        return open()
      }
    }
    const use = <A>(step: (table: KeptTable) => A) =>
      Effect.try({
        try: () => step(opened()),
        catch: (cause) => {
          if (DAMAGED.has(sqliteCode(cause))) anew()
          return unavailable(cause)
        }
      })
    /** In one transaction. */
    const change = <A>(step: (table: KeptTable) => A) =>
      use((table) => {
        db!.exec("BEGIN IMMEDIATE")
        try {
          const result = step(table)
          db!.exec("COMMIT")
          return result
        } catch (cause) {
          if (db!.isTransaction) db!.exec("ROLLBACK")
          throw cause
        }
      })
    const repeatedly = Effect.fnUntraced(function* (some: (table: KeptTable) => number) {
      while ((yield* change(some)) === PRUNED_AT_ONCE) yield* Effect.yieldNow
    })
    /** Without a file there is nothing to erase. */
    const isUsed = () => table !== undefined || (store !== null && fs.existsSync(path))
    const now = () => clock.currentTimeMillisUnsafe()

    return {
      claim: (id: string, _: string, since: number) =>
        use((table) => table.find(id, since) ?? ({ kind: "first", at: now() } as const)),
      release: () => Effect.void,
      keep: (id: string, record: NewRecord, at: number, quota: Quota) =>
        change((table) => table.keep(id, record, at, quota)),
      erase: Effect.fn("CachedResponses.erase")(function* (what: Erasure) {
        if (!isUsed()) return
        yield* change((table) => table.refuseOlder(what, now()))
        yield* repeatedly((table) => table.eraseSome(what))
      }),
      prune: Effect.fn("CachedResponses.prune")(function* (before: number) {
        if (!isUsed()) return false
        yield* repeatedly((table) => table.pruneSome(before))
        return (yield* use((table) => table.held())).length > 0
      }),
      held: Effect.suspend(() => (isUsed() ? use((table) => table.held()) : Effect.succeed([])))
    }
  })
)
