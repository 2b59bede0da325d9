/** An `effect/sql` client on `node:sqlite`. The hot path uses `Writer`. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { Effect, identity, Semaphore, Stream } from "effect"
import { SqlClient, SqlError, Statement, type SqlConnection } from "effect/sql"

/** Prepared statements to keep. */
const CACHED = 200

type Transform = <A extends object>(rows: ReadonlyArray<A>) => ReadonlyArray<A>

/** A client on a connection that the caller opens and closes. */
export const fromDatabase = Effect.fnUntraced(function* (db: DatabaseSync) {
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(makeConnection(db)),
    semaphore: yield* Semaphore.make(1),
    isTransaction: () => db.isTransaction
  })
  return yield* SqlClient.make({
    ...acquirers,
    compiler: Statement.makeCompilerSqlite(),
    driver: "sqlite-node",
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    prepareTransactionControls: true,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
})

const makeConnection = (db: DatabaseSync): SqlConnection.Connection => {
  const cache = new Map<string, StatementSync>()

  const prepared = (sql: string): StatementSync => {
    const known = cache.get(sql)
    if (known !== undefined) {
      // The oldest entry of the map is the least recently used one.
      cache.delete(sql)
      cache.set(sql, known)
      return known
    }
    const statement = db.prepare(sql)
    cache.set(sql, statement)
    if (cache.size > CACHED) cache.delete(cache.keys().next().value!)
    return statement
  }

  const run = <A>(
    prepare: (sql: string) => StatementSync,
    sql: string,
    params: ReadonlyArray<unknown>,
    use: (statement: StatementSync, params: Array<SQLInputValue>) => A
  ): Effect.Effect<A, SqlError.SqlError> =>
    Effect.withFiber((fiber) =>
      Effect.try({
        try: () => {
          const statement = prepare(sql)
          statement.setReadBigInts(fiber.getRef(SqlClient.SafeIntegers))
          return use(statement, params.map(bindable))
        },
        catch: sqlError
      })
    )

  const rows =
    (prepare: (sql: string) => StatementSync) =>
    (sql: string, params: ReadonlyArray<unknown>, transform: Transform | undefined) =>
      Effect.map(
        run(prepare, sql, params, (statement, values) => statement.all(...values)),
        transform ?? identity<ReadonlyArray<object>>
      )

  const arrays = (prepare: (sql: string) => StatementSync) => (sql: string, params: ReadonlyArray<unknown>) =>
    run(prepare, sql, params, (statement, values) => {
      statement.setReturnArrays(true)
      const found = statement.all(...values) as unknown as ReadonlyArray<ReadonlyArray<unknown>>
      statement.setReturnArrays(false)
      return found
    })

  const once = (sql: string) => db.prepare(sql)
  const execute = rows(prepared)

  return {
    execute,
    executeRaw: (sql, params) => run(prepared, sql, params, (statement, values) => statement.run(...values)),
    // SQLite returns all rows at once. An open cursor would block the checkpoints of the whole store.
    executeStream: (sql, params, transform) => Stream.fromIterableEffect(execute(sql, params, transform)),
    executeValues: arrays(prepared),
    executeValuesUnprepared: arrays(once),
    executeUnprepared: rows(once)
  }
}

const bindable = (value: unknown): SQLInputValue => {
  if (value === undefined) return null
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  return value as SQLInputValue
}

const sqlError = (cause: unknown): SqlError.SqlError => {
  // The classifier reads SQLite's result code from `errno`; `node:sqlite` calls it `errcode`.
  if (cause instanceof Error && "errcode" in cause) Object.assign(cause, { errno: cause.errcode })
  return new SqlError.SqlError({
    reason: SqlError.classifySqliteError(cause, {
      message: cause instanceof Error ? cause.message : String(cause),
      operation: "execute"
    })
  })
}
