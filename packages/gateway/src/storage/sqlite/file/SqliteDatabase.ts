/** Opens a store: checked, locked, migrated, with its single writer and a read-only connection. */
import { DatabaseSync } from "node:sqlite"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import * as Migrations from "../../migrations/SqliteMigrations.ts"
import { type StoreOpenError, StoreTooNew, StoreUnusable } from "../../records/OpenErrors.ts"
import { unusable } from "./SqliteErrors.ts"
import { checkHeader, checkNoLog, keepPrivate, noStore, type StorePlace, prepare, undo } from "./Files.ts"
import { lock } from "./Lock.ts"
import * as SqliteClient from "./SqliteClient.ts"
import { LONG, moveWhenLong, moveWhenQuiet, WalLog } from "../writer/WalLog.ts"
import { databaseFile } from "../writer/WalThread.ts"
import { walSync } from "../writer/WalSync.ts"
import { Writer } from "../writer/Writer.ts"

export interface DatabaseOptions {
  /** A path. Its folder is created if it is missing. */
  readonly filename: string
  /** `full` survives a power cut, `normal` may lose the last commits in one, but not in a crash. Default `full`. */
  readonly synchronous?: "full" | "normal" | undefined
}

/** KiB of pages kept in memory: enough for the inner pages of a large ledger's indexes. */
const CACHE_KIB = 8192

/** Milliseconds that a write waits for another program on the same file. The event loop waits with it. */
const BUSY_MS = 5

export type SqliteServices = Writer | SqlClient.SqlClient

/** The services of a store in a file. */
export const layer = (options: DatabaseOptions): Layer.Layer<SqliteServices, StoreOpenError> =>
  Layer.effectContext(openFile(options)).pipe(Layer.provide(Reactivity.layer))

/** The services of a store in memory, where every write commits immediately. */
export const layerMemory: Layer.Layer<SqliteServices, StoreOpenError> = Layer.effectContext(
  Effect.suspend(() => openMemory)
).pipe(Layer.provide(Reactivity.layer))

const openFile = Effect.fn("Store.open")(function* (options: DatabaseOptions) {
  const place = yield* attempt(options.filename, () => prepare(options.filename))
  // Must come first: a failed opening removes what it created, and this log belongs to another store.
  yield* attempt(options.filename, () => checkNoLog(place))
  // After a failed opening, connections must close before files are removed. A running store that closes removes nothing.
  const scope = yield* Scope.fork(yield* Effect.scope)
  return yield* openPlace(place, options).pipe(
    Scope.provide(scope),
    Effect.onError((cause) =>
      Effect.andThen(
        Scope.close(scope, Exit.failCause(cause)),
        // A failed removal must not hide the first error.
        Effect.ignore(Effect.try({ try: () => undo(place), catch: (cause) => unusable(place.path, cause) }))
      )
    )
  )
}, Effect.uninterruptible)

const openPlace = Effect.fnUntraced(function* (place: StorePlace, { synchronous = "full" }: DatabaseOptions) {
  const { path } = place
  yield* lock(path)
  yield* attempt(path, () => checkHeader(place))
  const file = yield* databaseFile(path)
  const db = yield* connect(path, false)
  yield* attempt(path, () => keepPrivate(place))
  const schema = yield* checkVersion(db, path)
  if (schema === 0 && !place.isNew) return yield* noStore(path, "holds no tables")
  yield* attempt(path, () =>
    // The writer syncs commits to disk, because SQLite would block the event loop.
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      PRAGMA wal_autocheckpoint = ${LONG}; PRAGMA busy_timeout = ${BUSY_MS};
      PRAGMA cache_size = -${CACHE_KIB}`)
  )
  yield* migrate(db, path)
  const reader = yield* connect(path, true)
  const disk = synchronous === "full" ? yield* walSync(path) : undefined
  const log = WalLog.of(db)
  const writer = yield* Writer.make(db, "turn", disk, log)
  if (log !== undefined) yield* moveWhenLong(log, file)
  yield* moveWhenQuiet(db, writer, log)
  return yield* services(reader, writer)
})

const openMemory = Effect.gen(function* () {
  const db = yield* connect(":memory:", false)
  yield* migrate(db, ":memory:")
  return yield* services(db, yield* Writer.make(db, "each"))
})

const services = Effect.fnUntraced(function* (reader: DatabaseSync, writer: Writer["Service"]) {
  const client = yield* SqliteClient.fromDatabase(reader)
  return Context.make(Writer, writer).pipe(Context.add(SqlClient.SqlClient, client))
})

export const connect = (
  filename: string | URL,
  readOnly: boolean
): Effect.Effect<DatabaseSync, StoreUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(String(filename), () => new DatabaseSync(filename, { readOnly })),
    (db) => Effect.sync(() => db.close())
  )

/** Checks before any write that the database is a store. Returns its schema, 0 for an empty database. */
export const checkVersion = Effect.fnUntraced(function* (db: DatabaseSync, filename: string) {
  const names = yield* attempt(filename, () => db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all())
  if (names.length === 0) return 0
  if (!names.some(({ name }) => name === Migrations.TABLE)) {
    return yield* new StoreUnusable({
      message: `${filename} is the database of another program: choose another file for the store.`
    })
  }
  const latest = yield* attempt(filename, () =>
    db.prepare(`SELECT coalesce(max(migration_id), 0) AS id FROM ${Migrations.TABLE}`).get()
  )
  const schema = Number(latest?.["id"])
  if (schema > Migrations.LATEST) {
    return yield* new StoreTooNew({
      message: `${filename} was written by a newer version of the gateway (schema ${schema}, this one knows ${Migrations.LATEST}): start that version, or choose another store.`
    })
  }
  return schema
})

const migrate = Effect.fnUntraced(function* (db: DatabaseSync, filename: string) {
  const client = yield* SqliteClient.fromDatabase(db)
  yield* Migrations.migrate.pipe(
    Effect.provideService(SqlClient.SqlClient, client),
    Effect.mapError((error) => unusable(filename, innermost(error)))
  )
})

/** SQLite's own error, inside those of client and migrator. */
const innermost = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? innermost(error.cause) : error

export const attempt = <A>(filename: string, run: () => A): Effect.Effect<A, StoreUnusable> =>
  Effect.try({ try: run, catch: (cause) => unusable(filename, cause) })
