import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StoreHealth } from "../../src/core/domain/StoreHealth.ts"
import * as StoreHealthSqlite from "../../src/storage/sqlite/file/StoreHealthSqlite.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"

/** A writer, and its database that can be made read-only. */
const setup = Effect.gen(function* () {
  const db = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(":memory:")),
    (db) => Effect.sync(() => db.close())
  )
  db.exec("CREATE TABLE things (name TEXT)")
  const writer = yield* Writer.make(db, "each")
  const layer = Layer.provide(StoreHealthSqlite.layer, Layer.succeed(Writer, writer))
  const health = yield* Effect.provide(StoreHealth, layer)
  const insert = (name: string) => void db.prepare("INSERT INTO things VALUES (?)").run(name)
  const freeze = (frozen: boolean) => db.exec(`PRAGMA query_only = ${frozen ? 1 : 0}`)
  return { freeze, health, insert, writer }
})

describe("StoreHealth", () => {
  it.effect("counts commits and says how long the last one took", () =>
    Effect.gen(function* () {
      const { health, insert, writer } = yield* setup
      assert.strictEqual(health.lastCommitMs(), 0)
      yield* writer.write(() => insert("a"))
      yield* writer.write(() => insert("b"))
      assert.strictEqual(health.commits(), 2)
      assert.isAbove(health.lastCommitMs(), 0)
      assert.isUndefined(health.trouble())
      assert.strictEqual(health.lagMs(), 0)
    })
  )

  it.effect("a store in trouble says what is wrong and since when, until it goes on", () =>
    Effect.gen(function* () {
      const { freeze, health, insert, writer } = yield* setup
      yield* TestClock.adjust("10 seconds")
      freeze(true)
      yield* Effect.flip(writer.write(() => insert("a")))
      yield* TestClock.adjust("5 seconds")
      yield* Effect.flip(writer.write(() => insert("a")))
      assert.deepStrictEqual(health.trouble(), {
        message: "The store is not available: the database is read-only.",
        since: 10_000,
        reason: "refused"
      })
      freeze(false)
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(health.trouble())
    })
  )

  it.effect("the lag is the age of the oldest write that a failed commit owes", () =>
    Effect.gen(function* () {
      const { freeze, health, insert, writer } = yield* setup
      const owe = () =>
        writer.add({
          isRequired: true,
          isAwaited: true,
          run: () => insert("a"),
          committed: () => {},
          refused: () => {}
        })
      yield* TestClock.adjust("1 second")
      freeze(true)
      owe()
      assert.strictEqual(health.lagMs(), 0)
      yield* TestClock.adjust("7 seconds")
      owe()
      assert.strictEqual(health.lagMs(), 7_000)
      freeze(false)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(health.lagMs(), 0)
    })
  )
})
