/** A store to look into: without its lock, so also beside a gateway that runs on it, and without changing a byte. */
import * as fs from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { Effect, Layer, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import * as Migrations from "@model-gateway/gateway/internal/storage/migrations/SqliteMigrations"
import { attempt, checkVersion, connect } from "@model-gateway/gateway/internal/storage/sqlite/file/SqliteDatabase"
import { type StoreTooNew, StoreUnusable } from "@model-gateway/gateway/internal/storage/records/OpenErrors"
import { sqliteCode, unusable } from "@model-gateway/gateway/internal/storage/sqlite/file/SqliteErrors"
import { besideInWords } from "@model-gateway/gateway/internal/storage/sqlite/file/Files"
import * as SqliteClient from "@model-gateway/gateway/internal/storage/sqlite/file/SqliteClient"

/** The store was written by an older version of the gateway, and only a start brings it up to date. */
export class StoreTooOld extends Schema.TaggedError<StoreTooOld>()("StoreTooOld", { message: Schema.String }) {}

/** Milliseconds to wait for whoever opens or closes the store at the same moment. */
const BUSY_MS = 5_000

export interface ReadOnlyOptions {
  readonly filename: string
  /** All reads see the store as it was at the first one. While it is held a running gateway's write-ahead log only grows. */
  readonly snapshot: boolean
}

/** A client for reads. */
export const layer = (
  options: ReadOnlyOptions
): Layer.Layer<SqlClient.SqlClient, StoreUnusable | StoreTooNew | StoreTooOld> =>
  Layer.effect(SqlClient.SqlClient, open(options)).pipe(Layer.provide(Reactivity.layer))

/** A store in a file, and the number of its schema, which this version knows. */
export const openReadable = Effect.fnUntraced(function* (filename: string) {
  const stat = yield* attempt(filename, () => fs.statSync(filename, { throwIfNoEntry: false }))
  if (stat === undefined) return yield* new StoreUnusable({ message: `${filename}: no such file.` })
  if (stat.isDirectory()) return yield* new StoreUnusable({ message: `${filename} is a folder: name a file in it.` })
  const db = yield* connectReadable(filename)
  const schema = yield* checkVersion(db, filename)
  if (schema === 0) {
    return yield* new StoreUnusable({ message: `${filename} is not a store of the gateway.${besideInWords(filename)}` })
  }
  return { db, schema }
})

const open = Effect.fnUntraced(function* ({ filename, snapshot }: ReadOnlyOptions) {
  const { db, schema } = yield* openReadable(filename)
  if (schema < Migrations.LATEST) {
    return yield* new StoreTooOld({
      message: `${filename} was written by an older version of the gateway (schema ${schema}, this one needs ${Migrations.LATEST}): start the gateway on it once.`
    })
  }
  if (snapshot) yield* attempt(filename, () => db.exec("BEGIN"))
  return yield* SqliteClient.fromDatabase(db)
})

/**
 * The write-ahead log needs two files beside the database, which can't be made on a read-only file system. Without a log there is
 * nothing that could change, and the file is all there is.
 */
const connectReadable = Effect.fnUntraced(function* (filename: string) {
  const db = yield* connect(filename, true)
  const cause = yield* Effect.sync(() => obstacle(db))
  if (cause === undefined) return db
  if (!isClosedToUs(cause) || fs.existsSync(`${filename}-wal`)) return yield* unusable(filename, cause)
  return yield* connect(immutable(filename), true)
})

/** Why a database can't be read. */
const obstacle = (db: DatabaseSync): unknown => {
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    db.prepare("SELECT count(*) FROM sqlite_master").get()
    return undefined
  } catch (cause) {
    return cause
  }
}

const CANT_OPEN = 14
const READ_ONLY = 8

const isClosedToUs = (cause: unknown): boolean => {
  const code = sqliteCode(cause)
  return code === CANT_OPEN || code === READ_ONLY
}

const immutable = (filename: string): URL => new URL(`${pathToFileURL(filename).href}?immutable=1`)
