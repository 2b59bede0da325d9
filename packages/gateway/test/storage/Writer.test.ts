import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { temporaryFile } from "./Support.ts"

/** A writer on a file with one table, and a second connection to look from outside. */
const setup = Effect.gen(function* () {
  const filename = yield* temporaryFile
  const open = Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(filename)),
    (db) => Effect.sync(() => db.close())
  )
  const db = yield* open
  db.exec("PRAGMA journal_mode = WAL; CREATE TABLE things (name TEXT UNIQUE)")
  const outside = yield* open
  const names = () =>
    outside
      .prepare("SELECT name FROM things ORDER BY name")
      .all()
      .map(({ name }) => name)
  return { db, outside, names, writer: yield* Writer.make(db) }
})

const insert = (name: string) => (db: DatabaseSync) => {
  db.prepare("INSERT INTO things VALUES (?)").run(name)
}

describe("Writer", () => {
  it.effect("commits the writes of one turn together, and completes them when others can see them", () =>
    Effect.gen(function* () {
      const { names, writer } = yield* setup
      const seen = yield* Effect.forEach(
        ["a", "b", "c"],
        (name) => Effect.map(writer.write(insert(name)), () => names()),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        seen,
        [0, 1, 2].map(() => ["a", "b", "c"])
      )
      assert.strictEqual(writer.commits, 1)
    })
  )

  it.effect("a write that throws fails alone and leaves nothing", () =>
    Effect.gen(function* () {
      const { names, writer } = yield* setup
      const half = (db: DatabaseSync) => {
        insert("half")(db)
        insert("a")(db)
      }
      const exits = yield* Effect.forEach(
        [insert("a"), half, insert("b")],
        (change) => Effect.exit(writer.write(change)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
      assert.deepStrictEqual(names(), ["a", "b"])
      assert.strictEqual(writer.commits, 1)
    })
  )

  it.effect("a full disk refuses every write of the commit, and the writer goes on when there is room", () =>
    Effect.gen(function* () {
      const { db, names, writer } = yield* setup
      const pages = Number(db.prepare("PRAGMA page_count").get()!["page_count"])
      db.exec(`PRAGMA max_page_count = ${pages}`)
      const failures = yield* Effect.forEach(
        ["a", "x".repeat(100_000)],
        (name) => Effect.flip(writer.write(insert(name))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        failures.map((failure) => failure.message),
        Array(2).fill("The store is not available: the disk is full.")
      )
      assert.deepStrictEqual(names(), [])
      assert.isDefined(writer.trouble)

      db.exec("PRAGMA max_page_count = 1000000")
      yield* TestClock.adjust("10 millis")
      yield* writer.write(insert("b"))
      assert.deepStrictEqual(names(), ["b"])
      assert.isUndefined(writer.trouble)
    })
  )

  it.effect("a read-only database refuses writes in words", () =>
    Effect.gen(function* () {
      const { db, writer } = yield* setup
      db.exec("PRAGMA query_only = 1")
      const failure = yield* Effect.flip(writer.write(insert("a")))
      assert.strictEqual(failure.message, "The store is not available: the database is read-only.")
    })
  )

  it.effect("closing the scope commits what is queued, and later writes are refused", () =>
    Effect.gen(function* () {
      const { db, names } = yield* setup
      const writer = yield* Effect.scoped(
        Effect.gen(function* () {
          const writer = yield* Writer.make(db)
          writer.add({
            isRequired: false,
            isAwaited: true,
            run: () => insert("last")(db),
            committed: () => {},
            refused: () => {}
          })
          return writer
        })
      )
      assert.deepStrictEqual(names(), ["last"])
      assert.strictEqual((yield* Effect.flip(writer.write(insert("late")))).message, "The store is closed.")
    })
  )

  it.effect("more writes than one transaction should hold take several, in order", () =>
    Effect.gen(function* () {
      const { names, writer } = yield* setup
      const many = Array.from({ length: 4500 }, (_, index) => String(index).padStart(4, "0"))
      yield* Effect.forEach(many, (name) => writer.write(insert(name)), { concurrency: "unbounded", discard: true })
      assert.strictEqual(writer.commits, 5)
      assert.deepStrictEqual(names(), many)
    })
  )

  it.effect("in memory each write commits at once", () =>
    Effect.gen(function* () {
      const { db, names } = yield* setup
      const writer = yield* Writer.make(db, "each")
      let done = false
      writer.add({
        isRequired: false,
        isAwaited: true,
        run: () => insert("now")(db),
        committed: () => (done = true),
        refused: () => {}
      })
      assert.isTrue(done)
      assert.deepStrictEqual(names(), ["now"])
    })
  )
})
