import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { fromDatabase } from "../../src/storage/sqlite/file/SqliteClient.ts"
import { connect } from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import { temporaryFile } from "./Support.ts"

const client = (filename: string, readOnly: boolean) =>
  Layer.effect(SqlClient.SqlClient, Effect.flatMap(connect(filename, readOnly), fromDatabase)).pipe(
    Layer.provide(Reactivity.layer)
  )

const memory = client(":memory:", false)

const table = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE)`
  return sql
})

const names = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ name: string }>`SELECT name FROM things ORDER BY id`, (rows) => rows.map((row) => row.name))

describe("SqliteClient", () => {
  it.effect("reads back what it wrote, with true, undefined and dates as SQLite has them", () =>
    Effect.gen(function* () {
      const sql = yield* table
      yield* sql`INSERT INTO things ${sql.insert([
        { id: 1, name: "one" },
        { id: 2, name: "two" }
      ])}`
      assert.deepStrictEqual(yield* names(sql), ["one", "two"])
      const values = yield* sql`SELECT ${true}, ${new Date(0)}, ${null}`.values
      assert.deepStrictEqual(values, [[1, "1970-01-01T00:00:00.000Z", null]])
    }).pipe(Effect.provide(memory))
  )

  it.effect("rolls a failed transaction back, and a failed inner one to its savepoint", () =>
    Effect.gen(function* () {
      const sql = yield* table
      const add = (name: string) => sql`INSERT INTO things (name) VALUES (${name})`
      yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* add("kept")
            yield* Effect.ignore(sql.withTransaction(Effect.andThen(add("inner"), Effect.fail("no"))))
          })
        )
        .pipe(Effect.andThen(Effect.ignore(sql.withTransaction(Effect.andThen(add("outer"), Effect.fail("no"))))))
      assert.deepStrictEqual(yield* names(sql), ["kept"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("says what kind of error it is", () =>
    Effect.gen(function* () {
      const sql = yield* table
      yield* sql`INSERT INTO things (name) VALUES ('a')`
      const unique = yield* Effect.flip(sql`INSERT INTO things (name) VALUES ('a')`)
      assert.strictEqual(unique.reason._tag, "UniqueViolation")
      const other = yield* Effect.flip(sql`INSERT INTO things (id) VALUES (1)`)
      assert.strictEqual(other.reason._tag, "ConstraintError")
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives integers beyond 2^53 exactly when asked for, else an error rather than a wrong number", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const query = sql<{ n: bigint }>`SELECT 9007199254740993 AS n`
      const exact = yield* Effect.provideService(query, SqlClient.SafeIntegers, true)
      assert.strictEqual(exact[0]!.n, 9007199254740993n)
      assert.include((yield* Effect.flip(query)).message, "too large")
    }).pipe(Effect.provide(memory))
  )

  it.effect("does not write when it is read-only", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      yield* Effect.scoped(Effect.provide(table, client(filename, false)))
      const write = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* names(sql), [])
        return yield* sql`INSERT INTO things (name) VALUES ('a')`
      })
      const refused = yield* Effect.flip(Effect.provide(write, client(filename, true)))
      assert.include(refused.message, "readonly")
    })
  )

  it.effect("forgets the statement that was not used for longest, and prepares it again", () =>
    Effect.gen(function* () {
      const sql = yield* table
      for (let i = 0; i < 500; i++) yield* sql.unsafe(`SELECT ${i % 250} AS n`)
      assert.deepStrictEqual(yield* sql.unsafe("SELECT 1 AS n").values, [[1]])
    }).pipe(Effect.provide(memory))
  )
})
