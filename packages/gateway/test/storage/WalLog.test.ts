/** A log that is long moves into its database in a thread of its own, whose end the test waits for. */
import { copyFileSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { LONG, moveWhenLong, tellsLength, WalLog } from "../../src/storage/sqlite/writer/WalLog.ts"
import { databaseFile } from "../../src/storage/sqlite/writer/WalThread.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { child, temporaryFile } from "./Support.ts"

/** In the log: a page and 24 bytes. */
const FRAME = 4096 + 24

const setup = Effect.gen(function* () {
  const path = yield* temporaryFile
  const file = yield* databaseFile(path)
  const db = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(path)),
    (db) => Effect.sync(() => db.close())
  )
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE things (name TEXT)")
  const log = WalLog.of(db)!
  const writer = yield* Writer.make(db, "turn", undefined, log)
  /** A page or more for each. */
  const insert = (count: number) =>
    writer.write((db) => {
      const statement = db.prepare("INSERT INTO things VALUES (?)")
      for (let one = 0; one < count; one++) statement.run("x".repeat(3_000))
    })
  return { db, file, insert, log, path }
})

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

const until = (isSo: () => boolean) => Effect.whileLoop({ while: () => !isSo(), body: () => turn, step: () => {} })

describe.skipIf(!tellsLength)("a long write-ahead log", () => {
  it.effect("is in the database, and written from its beginning again", () =>
    Effect.gen(function* () {
      const { file, insert, log, path } = yield* setup
      yield* moveWhenLong(log, file)
      yield* insert(LONG / 2)
      yield* turn
      assert.isAbove(log.pages, LONG / 2)
      for (let part = 0; part < 6; part++) yield* insert(LONG / 10)
      yield* until(() => log.pages === 0)

      const copy = join(dirname(path), "copy.db")
      copyFileSync(path, copy)
      const moved = new DatabaseSync(copy)
      assert.deepStrictEqual({ ...moved.prepare("SELECT count(*) AS count FROM things").get() }, { count: LONG * 1.1 })
      moved.close()

      const { size } = statSync(`${path}-wal`)
      yield* insert(LONG / 10)
      assert.strictEqual(statSync(`${path}-wal`).size, size)
      assert.isAbove(log.pages, LONG / 10)
      assert.isBelow(log.pages, LONG / 5)

      // The thread is still there.
      yield* TestClock.adjust("100 millis")
      for (let part = 0; part < 10; part++) yield* insert(LONG / 10)
      yield* until(() => log.pages < LONG / 2)
      assert.isBelow(statSync(`${path}-wal`).size, 2 * LONG * FRAME)
    })
  )

  it.live("loses nothing of what was acknowledged when the process is killed while it is moved", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const progress = `${path}-progress`
      let acknowledged = 0
      for (let kill = 0; kill < 3; kill++) {
        const filling = yield* child("fill", path, progress)
        yield* filling.kill
        acknowledged += Number(readFileSync(progress, "utf8"))
        const db = new DatabaseSync(path)
        assert.deepStrictEqual({ ...db.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" })
        const { count } = db.prepare("SELECT count(*) AS count FROM pages").get()!
        db.close()
        assert.isAtLeast(Number(count), acknowledged)
        // The one whose acknowledgement was on its way.
        assert.isAtMost(Number(count) - acknowledged, 100)
        acknowledged = Number(count)
      }
    })
  )

  it.effect("is moved later when its thread can't, and the store goes on", () =>
    Effect.gen(function* () {
      const { db, file, insert, log } = yield* setup
      const said: Array<string> = []
      const heard = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const logger = Logger.make(({ message }) => {
        Deferred.doneUnsafe(heard[said.push(String(message)) - 1]!, Effect.void)
      })
      yield* moveWhenLong(log, { ...file, path: `${file.path}/nowhere` }).pipe(Effect.provide(Logger.layer([logger])))
      yield* insert(LONG)
      yield* Deferred.await(heard[0]!)
      assert.match(said[0]!, /write-ahead log was not checkpointed; next attempt in a minute: .*unable to open/)
      yield* TestClock.adjust("1 minute")
      yield* Deferred.await(heard[1]!)
      // SQLite does it by itself in the end, the loop of events waiting for it.
      for (let part = 0; part < 15; part++) yield* insert(LONG / 10)
      assert.isBelow(log.pages, LONG)
      assert.deepStrictEqual({ ...db.prepare("SELECT count(*) AS count FROM things").get() }, { count: LONG * 2.5 })
    })
  )
})
