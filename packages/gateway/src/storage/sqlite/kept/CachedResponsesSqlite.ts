/** Cached responses in a database of their own, in no backup. Made at the first use, and again if damaged. */
import * as fs from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Clock, Effect, Layer } from "effect"
import { CachedResponses, CacheVitals, type Erasure } from "../../../core/kept/KeptResponses.ts"
import { DiskReserve } from "../file/DiskReserve.ts"
import { companions } from "../file/Files.ts"
import { sqliteCode, unavailable } from "../file/SqliteErrors.ts"
import { Writer } from "../writer/Writer.ts"
import { type KeptTable, keptStore, keptTable } from "./KeptTable.ts"

class OtherVersion extends Error {}

/** Result codes of a file that is corrupt or no database. */
const DAMAGED: ReadonlySet<number | undefined> = new Set([11, 26])

/** Of the tables. A file of another version is removed, too. */
const VERSION = 3

/** A rollback journal keeps no copy of what was deleted, as a log would. It is complete after a crash of the process. */
const PRAGMAS = `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF;
  PRAGMA secure_delete = ON`

/** The tables of the store that it is like. `used`: a number that each use makes larger. */
const TABLES = `SELECT sql FROM sqlite_master WHERE tbl_name IN ('kept_answers', 'holdings') AND name <> 'kept_answers_by_key'`
const MORE = `ALTER TABLE kept_answers ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX kept_answers_by_use ON kept_answers (key_id, used);
  INSERT INTO holdings VALUES ('all', 'answer', 0); PRAGMA user_version = ${VERSION}`

export const layer = Layer.effect(
  CachedResponses,
  Effect.gen(function* () {
    const { db: store } = yield* Writer
    const path = store.location() === null ? undefined : `${store.location()}.cache`
    const clock = yield* Clock.Clock
    const hasRoom = yield* DiskReserve
    const vitals = new CacheVitals()
    let open: { readonly db: DatabaseSync; readonly table: KeptTable } | undefined

    const close = () => {
      open?.db.close()
      open = undefined
    }
    yield* Effect.addFinalizer(() => Effect.sync(close))
    const opened = () => {
      if (open !== undefined) return open
      // Its owner's alone, like the store.
      if (path !== undefined) fs.closeSync(fs.openSync(path, "a", 0o600))
      const db = new DatabaseSync(path ?? ":memory:")
      try {
        db.exec(PRAGMAS)
        if (db.prepare("SELECT 1 FROM sqlite_master").get() === undefined) {
          for (const { sql } of store.prepare(TABLES).all()) if (sql !== null) db.exec(String(sql))
          db.exec(MORE)
        }
        if (db.prepare("PRAGMA user_version").get()!["user_version"] !== VERSION) throw new OtherVersion()
        return (open = { db, table: keptTable(db, hasRoom, undefined, vitals) })
      } catch (cause) {
        db.close()
        throw cause
      }
    }
    /** A damaged file is removed, and made anew by the next use. */
    const read = <A>(step: (table: KeptTable) => A) =>
      Effect.try({
        try: () => step(opened().table),
        catch: (cause) => {
          if ((cause instanceof OtherVersion || DAMAGED.has(sqliteCode(cause))) && path !== undefined) {
            close()
            for (const suffix of companions) fs.rmSync(path + suffix, { force: true })
          }
          return unavailable(cause)
        }
      })
    const change = <A>(step: (table: KeptTable) => A) =>
      read((table) => {
        const { db } = opened()
        db.exec("BEGIN IMMEDIATE")
        try {
          const result = step(table)
          db.exec("COMMIT")
          return result
        } catch (cause) {
          if (db.isTransaction) db.exec("ROLLBACK")
          throw cause
        }
      })
    const all = keptStore(read, change, () => clock.currentTimeMillisUnsafe())
    /** Without a file there is nothing to erase. */
    const ifUsed = <A>(otherwise: A, use: Effect.Effect<A, ReturnType<typeof unavailable>>) =>
      Effect.suspend(() =>
        open !== undefined || (path !== undefined && fs.existsSync(path)) ? use : Effect.succeed(otherwise)
      )
    return {
      ...all,
      vitals,
      touch: (ids: ReadonlyArray<string>) => change((table) => table.touch(ids)),
      erase: (what: Erasure) => ifUsed(undefined, all.erase(what)),
      prune: (before: number) => ifUsed(false, all.prune(before)),
      held: ifUsed([], all.held)
    }
  })
)
