import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Scope } from "effect"
import { KeyRepository } from "../../src/core/keys/KeyRepository.ts"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"
import { child, key, reservation, settlement, temporaryFile, temporaryFolder, everything } from "./Support.ts"

const open = (filename: string) => Layer.build(SqliteStore.layer({ filename }))

const failureToOpen = (filename: string) => Effect.flip(Effect.scoped(open(filename)))

/** Runs with a store that is closed afterwards. */
const within = <A, E>(
  filename: string,
  use: Effect.Effect<A, E, KeyRepository | LedgerJournal>,
  synchronous?: "full" | "normal"
) => Effect.provide(use, SqliteStore.layer({ filename, synchronous }))

const pepper = Effect.flatMap(KeyRepository, (keys) => keys.pepper)

/** A file system without permissions for root can be had only by other means: a folder that the kernel keeps as it is. */
const frozen = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => spawnSync("chattr", ["+i", folder]).status === 0),
    () => Effect.sync(() => spawnSync("chattr", ["-i", folder]))
  )

describe("SqliteStore", () => {
  it.effect("makes the folder, keeps what was written, and leaves one file when it closes", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const filename = join(folder, "deep", "er", "gateway.db")
      yield* within(
        filename,
        Effect.flatMap(KeyRepository, (keys) => keys.insert(key({ id: "key_a" })))
      )
      assert.deepStrictEqual(fs.readdirSync(dirname(filename)), ["gateway.db"])
      const found = yield* within(
        filename,
        Effect.flatMap(KeyRepository, (keys) => keys.find("key_a")),
        "normal"
      )
      assert.deepStrictEqual(Option.getOrThrow(found), key({ id: "key_a" }))
    })
  )

  it.effect("the pepper is made once per store", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* temporaryFile, yield* temporaryFile]
      const first = yield* within(a, pepper)
      assert.strictEqual(first.length, 32)
      assert.deepStrictEqual(yield* within(a, pepper), first)
      assert.notDeepEqual(yield* within(b, pepper), first)
    })
  )

  it.effect("two stores in memory share nothing", () =>
    Effect.gen(function* () {
      const fresh = Effect.provide(pepper, Layer.fresh(SqliteStore.layerMemory))
      assert.notDeepEqual(yield* fresh, yield* fresh)
    })
  )

  it.effect("a settlement outlives kill -9; what was open is closed at its worst case", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const killed = yield* child("settle", filename)
      assert.strictEqual(killed.line, "settled")
      yield* killed.kill

      yield* within(
        filename,
        Effect.gen(function* () {
          const journal = yield* LedgerJournal
          assert.strictEqual(yield* journal.lastId, 2)
          assert.strictEqual(yield* journal.abandonOpen(0, "book"), 1)
          const [row] = yield* journal.spend({ ...everything, groupBy: ["key"] })
          assert.deepInclude(row, { cost: 1600, estimatedCost: 900, requests: 2, failedRequests: 1 })
        })
      )
    })
  )

  it.live("one process at a time: the second is told who has it, and gets it when that one was killed", () =>
    Effect.gen(function* () {
      const filename = fs.realpathSync(dirname(yield* temporaryFile)) + "/gateway.db"
      const holder = yield* child("hold", filename)
      assert.strictEqual(holder.line, "open")

      const refused = yield* failureToOpen(filename)
      assert.strictEqual(refused._tag, "StoreLocked")
      assert.match(
        refused.message,
        new RegExp(
          `^${filename} is in use by process ${holder.pid} on \\S+ since \\d{4}-\\d\\d-\\d\\dT\\S+Z: stop it or choose another store\\.$`
        )
      )
      const second = yield* child("hold", filename)
      assert.include(second.line, "StoreLocked")

      yield* holder.kill
      assert.strictEqual((yield* child("hold", filename)).line, "open")
    }).pipe(Effect.scoped)
  )

  it.live("a second opening in the same process is refused too, by any name, and does not break the lock", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const scope = yield* Scope.make()
      yield* Scope.provide(open(filename), scope)
      const alias = `${filename}.link`
      fs.symlinkSync(filename, alias)
      assert.include((yield* failureToOpen(filename)).message, `process ${process.pid} `)
      assert.include((yield* failureToOpen(alias)).message, `process ${process.pid} `)
      assert.include((yield* child("hold", filename)).line, "StoreLocked")
    }).pipe(Effect.scoped)
  )

  it.effect("a store of a newer version is refused and stays as it was", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      yield* within(filename, pepper)
      const db = new DatabaseSync(filename)
      db.exec(
        "INSERT INTO effect_sql_migrations (migration_id, name) VALUES (9000, 'future'); PRAGMA wal_checkpoint(TRUNCATE)"
      )
      db.close()
      const before = fs.readFileSync(filename)
      const refused = yield* failureToOpen(filename)
      assert.strictEqual(refused._tag, "StoreTooNew")
      assert.match(refused.message, /was written by a newer version .*: start that version, or choose another store\.$/)
      assert.deepStrictEqual(fs.readFileSync(filename), before)
      assert.deepStrictEqual(fs.readdirSync(dirname(filename)), ["gateway.db"])
    })
  )

  it.effect("says in one sentence why a path can't be a store, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      fs.writeFileSync(join(folder, "file"), "x")
      fs.writeFileSync(join(folder, "text.db"), "this is no database, whatever its name says")
      const foreign = new DatabaseSync(join(folder, "foreign.db"))
      foreign.exec("CREATE TABLE songs (name TEXT)")
      foreign.close()
      const torn = Buffer.alloc(8192, 7)
      torn.write("SQLite format 3\0", "latin1")
      fs.writeFileSync(join(folder, "torn.db"), torn)
      const before = fs.readdirSync(folder)

      const reasons = {
        "file/gateway.db": "a part of its path is a file, not a folder",
        "text.db": "is not a SQLite database",
        "foreign.db": "is the database of another program",
        "torn.db": "the file is not a database",
        ".": "is a folder",
        [`new/${"x".repeat(300)}`]: "its name is too long"
      }
      for (const [name, reason] of Object.entries(reasons)) {
        const refused = yield* failureToOpen(join(folder, name))
        assert.strictEqual(refused._tag, "StoreUnusable")
        assert.include(refused.message, reason)
        assert.deepStrictEqual(fs.readdirSync(folder), before)
      }
    })
  )

  it.effect("a folder that can't be written is named, and nothing is made in it", (context) =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      if (process.getuid?.() === 0) {
        if (!(yield* frozen(folder))) return context.skip("root may write everywhere here, and chattr does not work")
      } else fs.chmodSync(folder, 0o555)
      const refused = yield* failureToOpen(join(folder, "sub", "gateway.db"))
      assert.strictEqual(refused._tag, "StoreUnusable")
      assert.include(refused.message, "this user has no permission to write there")
      assert.include((yield* failureToOpen(join(folder, "gateway.db"))).message, "no permission")
      assert.deepStrictEqual(fs.readdirSync(folder), [])
    })
  )

  it.effect("a store that was open stays when its scope closes with a failure", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const failed = within(filename, Effect.andThen(pepper, Effect.fail("something else")))
      assert.strictEqual(yield* Effect.flip(failed), "something else")
      assert.isTrue(fs.existsSync(filename))
    })
  )

  it.effect("a settlement in flight is on disk when the scope has closed", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      yield* within(
        filename,
        Effect.flatMap(LedgerJournal, (journal) => journal.reserve(reservation({ id: 7 })))
      )
      const last = yield* within(
        filename,
        Effect.flatMap(LedgerJournal, (journal) => journal.lastId)
      )
      assert.strictEqual(last, 7)
      yield* within(
        filename,
        Effect.flatMap(LedgerJournal, (journal) => journal.settle(settlement(reservation({ id: 7 }))))
      )
    })
  )
})
