/** Transactions whose connection breaks fail with the store's error. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { SqlError } from "effect/sql"
import { unavailable } from "../../../src/storage/postgres/connection/PostgresErrors.ts"
import { isSkipped, storeDatabase } from "../../support/postgres/Databases.ts"
import { administer } from "../../support/postgres/Queries.ts"
import { databaseAt } from "../../support/postgres/Stores.ts"

const storage = join(import.meta.dirname, "../../../src/storage")

describe("the store on Postgres", () => {
  it("makes every client in Client.ts, where the failures of its transactions are typed", () => {
    const files = readdirSync(storage, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
    assert.isAbove(files.length, 100)
    const makers = files.filter((name) =>
      /\bPg(Client|Connection)\.(make|layer)/.test(readFileSync(join(storage, name), "utf8"))
    )
    assert.deepStrictEqual(makers, ["postgres/connection/Client.ts"])
  })
})

describe.skipIf(isSkipped)("a transaction on Postgres", () => {
  const broken = (body: (sql: PgClient, pid: number, url: string) => Effect.Effect<unknown, SqlError.SqlError>) =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      const run = Effect.gen(function* () {
        const sql = yield* PgClient
        const statement = sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
        return yield* Effect.exit(sql.withTransaction(Effect.flatMap(statement, ([row]) => body(sql, row!.pid, url))))
      })
      return yield* Effect.provide(run, databaseAt(url))
    })
  const end = (pid: number, url: string) => administer(url, `SELECT pg_terminate_backend(${pid})`)
  const failureOf = (exit: Exit.Exit<unknown, unknown>) => {
    if (Exit.isSuccess(exit)) return assert.fail("it was committed")
    assert.deepStrictEqual(
      exit.cause.reasons.map(({ _tag }) => _tag),
      ["Fail"],
      Cause.pretty(exit.cause)
    )
    const error = Cause.squash(exit.cause)
    return SqlError.isSqlError(error) ? unavailable(error).message : assert.fail(String(error))
  }

  it.live("fails with the store's error when its connection breaks between two statements", () =>
    Effect.gen(function* () {
      const exit = yield* broken((sql, pid, url) => Effect.andThen(end(pid, url), sql`SELECT 1`))
      assert.include(failureOf(exit), "The store is not available: ")
    })
  )

  it.live("fails with the store's error when its connection breaks before the commit", () =>
    Effect.gen(function* () {
      const exit = yield* broken((_sql, pid, url) => end(pid, url))
      assert.include(failureOf(exit), "The store is not available: ")
    })
  )

  it.live("keeps a defect of its own that has nothing to do with the connection", () =>
    Effect.gen(function* () {
      const exit = yield* broken((_sql, pid, url) => Effect.andThen(end(pid, url), Effect.die("a mistake")))
      if (Exit.isSuccess(exit)) return assert.fail("it was committed")
      assert.strictEqual(Cause.squash(exit.cause), "a mistake")
    })
  )
})
