import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { walSync } from "../../src/storage/sqlite/writer/WalSync.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { temporaryFile } from "./Support.ts"

/** A disk whose syncs end when the test says so. */
class HeldDisk {
  now = 0
  private readonly waiting: Array<(error: Error | null) => void> = []

  get syncs(): number {
    return this.waiting.length
  }

  readonly sync = (done: (error: Error | null) => void): void => void this.waiting.push(done)

  readonly syncNow = (): void => void this.now++

  end(error: Error | null = null): void {
    this.waiting.shift()!(error)
  }
}

const connect = (filename: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const db = new DatabaseSync(filename)
      db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE IF NOT EXISTS things (name TEXT)")
      return db
    }),
    (db) => Effect.sync(() => db.close())
  )

const setup = Effect.gen(function* () {
  const db = yield* connect(yield* temporaryFile)
  const disk = new HeldDisk()
  const names = () =>
    db
      .prepare("SELECT name FROM things ORDER BY rowid")
      .all()
      .map(({ name }) => name)
  const insert = (name: string) => (db: DatabaseSync) => void db.prepare("INSERT INTO things VALUES (?)").run(name)
  const turns = Effect.promise(async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  })
  return { db, disk, names, insert, turns }
})

describe("a writer with a disk", () => {
  it.effect("tells nobody of a commit before it is on disk; what came meanwhile goes there together", () =>
    Effect.gen(function* () {
      const { db, disk, insert, names, turns } = yield* setup
      const writer = yield* Writer.make(db, "turn", disk)
      const first = yield* Effect.forkChild(writer.write(insert("a")))
      yield* turns
      const second = yield* Effect.forkChild(writer.write(insert("b")))
      yield* turns
      const third = yield* Effect.forkChild(writer.write(insert("c")))
      yield* turns
      assert.deepStrictEqual(names(), ["a"])
      assert.strictEqual(disk.syncs, 1)
      assert.isUndefined(first.pollUnsafe())
      disk.end()
      yield* Fiber.join(first)
      yield* turns
      assert.deepStrictEqual(names(), ["a", "b", "c"])
      assert.strictEqual(writer.commits, 2)
      assert.isUndefined(second.pollUnsafe())
      disk.end()
      yield* Fiber.join(second)
      yield* Fiber.join(third)
      assert.strictEqual(disk.syncs, 0)
    })
  )

  it.effect("what is owed and nobody waits for goes there a moment later, once, or with what somebody waits for", () =>
    Effect.gen(function* () {
      const { db, disk, insert, turns } = yield* setup
      const writer = yield* Writer.make(db, "turn", disk)
      let committed = 0
      const add = (isRequired: boolean) => {
        const run = () => insert("a")(db)
        writer.add({ isRequired, isAwaited: false, run, committed: () => committed++, refused: () => {} })
      }
      const pass = (time: Duration.Input) => Effect.andThen(TestClock.adjust(time), turns)
      add(true)
      yield* turns
      assert.deepStrictEqual([committed, disk.syncs], [0, 0])
      yield* pass("5 millis")
      assert.deepStrictEqual([committed, disk.syncs], [1, 0])
      yield* pass("50 millis")
      assert.deepStrictEqual([committed, disk.syncs], [1, 1])
      // What comes while a sync is under way is not in it.
      add(true)
      yield* pass("200 millis")
      assert.strictEqual(disk.syncs, 1)
      disk.end()
      yield* turns
      yield* pass("55 millis")
      assert.deepStrictEqual([committed, disk.syncs], [2, 1])
      disk.end()
      yield* pass("1 second")
      assert.strictEqual(disk.syncs, 0)
      // Taken along.
      add(true)
      const write = yield* Effect.forkChild(writer.write(insert("b")))
      yield* turns
      disk.end()
      yield* Fiber.join(write)
      yield* pass("1 second")
      assert.strictEqual(disk.syncs, 0)
      // Receipts and the like may be lost.
      add(false)
      yield* pass("1 second")
      assert.deepStrictEqual([committed, disk.syncs], [4, 0])
    })
  )

  it.effect("what nobody waits for has all of its time again after a commit took along what was there", () =>
    Effect.gen(function* () {
      const { db, disk, insert, turns } = yield* setup
      const writer = yield* Writer.make(db, "turn", disk)
      let committed = 0
      const add = () => {
        const run = () => insert("a")(db)
        writer.add({ isRequired: true, isAwaited: false, run, committed: () => committed++, refused: () => {} })
      }
      const pass = (time: Duration.Input) => Effect.andThen(TestClock.adjust(time), turns)
      add()
      yield* pass("3 millis")
      const write = yield* Effect.forkChild(writer.write(insert("b")))
      yield* turns
      disk.end()
      yield* Fiber.join(write)
      assert.deepStrictEqual([committed, writer.commits], [1, 1])
      add()
      yield* pass("3 millis")
      assert.deepStrictEqual([committed, writer.commits], [1, 1])
      yield* pass("2 millis")
      assert.deepStrictEqual([committed, writer.commits], [2, 2])
    })
  )

  it.effect("what nobody waits for and the disk does not take is trouble like all else", () =>
    Effect.gen(function* () {
      const { db, disk, insert, turns } = yield* setup
      const writer = yield* Writer.make(db, "turn", disk)
      const run = () => insert("a")(db)
      writer.add({ isRequired: true, isAwaited: false, run, committed: () => {}, refused: () => {} })
      yield* TestClock.adjust("5 millis")
      yield* turns
      yield* TestClock.adjust("50 millis")
      disk.end(new Error("EIO"))
      assert.isDefined(writer.trouble)
      yield* TestClock.adjust("1 second")
      assert.isUndefined(writer.trouble)
    })
  )

  it.effect("what nobody waits for is committed however long the disk takes: it survives the process", () =>
    Effect.gen(function* () {
      const { db, disk, insert, names, turns } = yield* setup
      const writer = yield* Writer.make(db, "turn", disk)
      const first = yield* Effect.forkChild(writer.write(insert("a")))
      yield* turns
      const run = () => insert("reservation")(db)
      writer.add({ isRequired: true, isAwaited: false, run, committed: () => {}, refused: () => {} })
      yield* TestClock.adjust("5 millis")
      assert.deepStrictEqual(names(), ["a", "reservation"])
      assert.isUndefined(first.pollUnsafe())
    })
  )

  it.effect("a disk that fails is trouble, until everything was written once more", () =>
    Effect.gen(function* () {
      const { db, disk, insert, names, turns } = yield* setup
      const writer = yield* Writer.make(db, "turn", disk)
      const first = yield* Effect.forkChild(Effect.flip(writer.write(insert("a"))))
      yield* turns
      disk.end(new Error("EIO"))
      assert.strictEqual((yield* Fiber.join(first)).message, "The store is not available: EIO.")
      assert.isDefined(writer.trouble)
      yield* TestClock.adjust("1 second")
      assert.isUndefined(writer.trouble)
      const second = yield* Effect.forkChild(writer.write(insert("b")))
      yield* turns
      disk.end()
      yield* turns
      disk.end()
      yield* Fiber.join(second)
      assert.deepStrictEqual(names(), ["a", "b"])
    })
  )

  it.effect("closing brings to the disk what is still on its way", () =>
    Effect.gen(function* () {
      const { db, disk, insert, turns } = yield* setup
      const scope = yield* Scope.make()
      const writer = yield* Scope.provide(Writer.make(db, "turn", disk), scope)
      const write = yield* Effect.forkChild(writer.write(insert("a")))
      yield* turns
      yield* Scope.close(scope, yield* Effect.exit(Effect.void))
      yield* Fiber.join(write)
      assert.strictEqual(disk.now, 1)
      // The sync that was under way ends too late to matter.
      disk.end(new Error("EBADF"))
      assert.isUndefined(writer.trouble)
    })
  )

  it.live("the log of a real database", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const db = yield* connect(filename)
      const writer = yield* Writer.make(db, "turn", yield* walSync(filename))
      yield* writer.write((db) => void db.exec("INSERT INTO things VALUES ('a')"))
      assert.isUndefined(writer.trouble)
    })
  )
})
