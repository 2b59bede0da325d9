/** An `effect/sql` client with the name and shape of `@effect/sql-sqlite-node`'s. The hot path uses `Writer`. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { Context, Effect, identity, Layer, Semaphore, Stream, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError, Statement, type SqlConnection } from "effect/sql"

interface SqliteClientConfig {
  /** A path, or `:memory:`. */
  readonly filename: string
  readonly readonly?: boolean | undefined
  /** Prepared statements to keep. Default 200. */
  readonly prepareCacheSize?: number | undefined
  readonly disableWAL?: boolean | undefined
  readonly spanAttributes?: { readonly [name: string]: unknown } | undefined
  readonly transformResultNames?: ((name: string) => string) | undefined
  readonly transformQueryNames?: ((name: string) => string) | undefined
}

export interface SqliteClient extends SqlClient.SqlClient {
  readonly config: SqliteClientConfig
  /** Not supported by SQLite. */
  readonly updateValues: never
}

export const SqliteClient = Context.Service<SqliteClient>("gateway/storage/SqliteClient")

type Transform = <A extends object>(rows: ReadonlyArray<A>) => ReadonlyArray<A>

/** A client on a connection that the caller opens and closes. */
export const fromDatabase = Effect.fnUntraced(function* (db: DatabaseSync, config: SqliteClientConfig) {
  const connection = makeConnection(db, config.prepareCacheSize ?? 200)
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(connection),
    semaphore: yield* Semaphore.make(1),
    isTransaction: () => db.isTransaction
  })
  const client = yield* SqlClient.make({
    ...acquirers,
    compiler: Statement.makeCompilerSqlite(config.transformQueryNames),
    driver: "sqlite-node",
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    prepareTransactionControls: true,
    spanAttributes: [...Object.entries(config.spanAttributes ?? {}), ["db.system.name", "sqlite"]],
    transformRows:
      config.transformResultNames === undefined
        ? undefined
        : Statement.defaultTransforms(config.transformResultNames).array
  })
  return Object.assign(client, { config }) as SqliteClient
})

/** A client on its own connection, which closes with the scope. */
export const make = (
  config: SqliteClientConfig
): Effect.Effect<SqliteClient, SqlError.SqlError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.acquireRelease(Effect.try({ try: () => open(config), catch: (cause) => sqlError(cause, "open") }), (db) =>
    Effect.sync(() => db.close())
  ).pipe(Effect.flatMap((db) => fromDatabase(db, config)))

export const layer = (config: SqliteClientConfig): Layer.Layer<SqliteClient | SqlClient.SqlClient, SqlError.SqlError> =>
  Layer.effectContext(
    Effect.map(make(config), (client) =>
      Context.make(SqliteClient, client).pipe(Context.add(SqlClient.SqlClient, client))
    )
  ).pipe(Layer.provide(Reactivity.layer))

const open = (config: SqliteClientConfig): DatabaseSync => {
  const db = new DatabaseSync(config.filename, { readOnly: config.readonly ?? false })
  if (config.readonly !== true && config.disableWAL !== true) db.exec("PRAGMA journal_mode = WAL")
  return db
}

const makeConnection = (db: DatabaseSync, cacheSize: number): SqlConnection.Connection => {
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
    if (cache.size > cacheSize) cache.delete(cache.keys().next().value!)
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
        catch: (cause) => sqlError(cause, "execute")
      })
    )

  const rows = (prepare: (sql: string) => StatementSync) => {
    return (sql: string, params: ReadonlyArray<unknown>, transform: Transform | undefined) =>
      Effect.map(
        run(prepare, sql, params, (statement, values) => statement.all(...values)),
        transform ?? identity<ReadonlyArray<object>>
      )
  }

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

const sqlError = (cause: unknown, operation: string): SqlError.SqlError => {
  // The classifier reads SQLite's result code from `errno`; `node:sqlite` calls it `errcode`.
  if (cause instanceof Error && "errcode" in cause) Object.assign(cause, { errno: cause.errcode })
  return new SqlError.SqlError({
    reason: SqlError.classifySqliteError(cause, {
      message: cause instanceof Error ? cause.message : String(cause),
      operation
    })
  })
}
