/** A store in trouble: nothing waits for it but what is owed, and it goes on by itself. */
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { WriteOperation } from "../../src/storage/sqlite/writer/WriteOperation.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { temporaryFile } from "./Support.ts"

const connect = (filename: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(filename)),
    (db) => Effect.sync(() => db.close())
  )

/** A writer on a file with one table, and another program that can lock it. */
const setup = Effect.gen(function* () {
  const filename = yield* temporaryFile
  const db = yield* connect(filename)
  db.exec("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5; CREATE TABLE things (name TEXT UNIQUE)")
  const outside = yield* connect(filename)
  const names = () =>
    outside
      .prepare("SELECT name FROM things ORDER BY rowid")
      .all()
      .map(({ name }) => name)
  const writer = yield* Writer.make(db)
  const insert = (name: string) => (db: DatabaseSync) => void db.prepare("INSERT INTO things VALUES (?)").run(name)
  /** What each owed write was told, in order. */
  const told: Array<string> = []
  const owe = (name: string): WriteOperation => ({
    isRequired: true,
    isAwaited: true,
    run: () => insert(name)(db),
    committed: () => void told.push(`${name} written`),
    refused: (_, isKept) => void told.push(`${name} ${isKept ? "kept" : "lost"}`)
  })
  return { db, filename, insert, names, outside, owe, told, writer }
})

const lock = (outside: DatabaseSync) => outside.exec("BEGIN EXCLUSIVE")

describe("Writer, in trouble", () => {
  it.effect("keeps what is owed, refuses the rest at once, and goes on by itself in the old order", () =>
    Effect.gen(function* () {
      const { insert, names, outside, owe, told, writer } = yield* setup
      lock(outside)
      writer.add(owe("a"))
      const failure = yield* Effect.flip(writer.write(insert("lost")))
      assert.strictEqual(failure.message, "The store is not available: another program has locked the database.")
      assert.deepStrictEqual(told, ["a kept"])
      const { commits } = writer
      writer.add(owe("b"))
      yield* Effect.flip(writer.write(insert("lost too")))
      assert.strictEqual(writer.commits, commits, "nothing was tried")
      yield* TestClock.adjust("100 millis")
      assert.isAbove(writer.commits, commits)
      assert.isDefined(writer.trouble)
      outside.exec("ROLLBACK")
      yield* TestClock.adjust("1 second")
      assert.isUndefined(writer.trouble)
      yield* writer.write(insert("c"))
      assert.deepStrictEqual(names(), ["a", "b", "c"])
      assert.deepStrictEqual(told, ["a kept", "b kept", "a written", "b written"])
    })
  )

  it.effect("tries less and less often, and not at all once it is over", () =>
    Effect.gen(function* () {
      const { insert, outside, writer } = yield* setup
      lock(outside)
      yield* Effect.flip(writer.write(insert("a")))
      const { commits } = writer
      yield* TestClock.adjust("1 minute")
      assert.isAtLeast(writer.commits - commits, 60)
      assert.isAtMost(writer.commits - commits, 68)
      outside.exec("ROLLBACK")
      yield* TestClock.adjust("1 second")
      const after = writer.commits
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(writer.commits, after)
    })
  )

  it.effect("does not take an empty transaction for room on the disk", () =>
    Effect.gen(function* () {
      const { db, insert, writer } = yield* setup
      yield* writer.write(insert("a"))
      db.exec("PRAGMA query_only = 1")
      const failure = yield* Effect.flip(writer.write(insert("b")))
      assert.strictEqual(failure.message, "The store is not available: the database is read-only.")
      yield* TestClock.adjust("1 minute")
      assert.isDefined(writer.trouble)
      db.exec("PRAGMA query_only = 0")
      yield* TestClock.adjust("1 second")
      yield* writer.write(insert("b"))
    })
  )

  it.effect("owes at most 10,000 writes, and writes them in several transactions", () =>
    Effect.gen(function* () {
      const { insert, names, outside, owe, told, writer } = yield* setup
      lock(outside)
      for (let i = 0; i < 10_002; i++) writer.add(owe(`n${i}`))
      yield* Effect.flip(writer.write(insert("last")))
      assert.strictEqual(writer.waiting, 10_000)
      assert.deepStrictEqual(told.slice(9_999), ["n9999 kept", "n10000 lost", "n10001 lost"])
      outside.exec("ROLLBACK")
      const { commits } = writer
      yield* TestClock.adjust("1 second")
      yield* writer.write(insert("next"))
      assert.strictEqual(writer.commits - commits, 11)
      assert.lengthOf(names(), 10_001)
      assert.strictEqual(names().at(-1), "next")
    })
  )

  it.live("closing waits a little for a lock that goes away", () =>
    Effect.gen(function* () {
      const { filename, names, outside, owe, told } = yield* setup
      const owed = yield* Deferred.make<void>()
      const closing = Effect.gen(function* () {
        const db = yield* connect(filename)
        const writer = yield* Writer.make(db)
        lock(outside)
        writer.add({ ...owe("a"), run: () => db.exec("INSERT INTO things VALUES ('a')") })
        yield* Deferred.succeed(owed, undefined)
      })
      const closed = yield* Effect.forkChild(Effect.scoped(closing))
      yield* Deferred.await(owed)
      yield* Effect.sleep("100 millis")
      outside.exec("ROLLBACK")
      yield* Fiber.join(closed)
      assert.deepStrictEqual(names(), ["a"])
      assert.deepStrictEqual(told, ["a kept", "a written"])
    })
  )
})
