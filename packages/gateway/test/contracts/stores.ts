/** The stores that there are: every contract of what is remembered is run on each. */
import { Context, Effect, Layer, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { StoreUnavailable } from "../../src/core/domain/Errors.ts"
import type { KeyImports } from "../../src/core/keys/KeyImports.ts"
import type { KeyRepository } from "../../src/core/keys/KeyRepository.ts"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as SqliteClient from "../../src/storage/sqlite/file/SqliteClient.ts"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"
import { KeyChanges } from "../../src/storage/sqlite/keys/KeyChanges.ts"
import * as KeyImportsSqlite from "../../src/storage/sqlite/keys/KeyImportsSqlite.ts"
import * as KeyRepositorySqlite from "../../src/storage/sqlite/keys/KeyRepositorySqlite.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { temporaryFile } from "../storage/Support.ts"
import { isSkipped } from "../support/postgres/Databases.ts"
import * as OnPostgres from "../support/postgres/Stores.ts"

const file = Effect.map(temporaryFile, (filename) => SqliteStore.layer({ filename }))

/** The ports are made anew each time the layer is provided; what they remember stays. */
const memory = Effect.map(Layer.build(Database.layerMemory), (database) =>
  Layer.fresh(Layer.provide(SqliteStore.repositories, Layer.succeedContext(database)))
)

/** Another program that writes to the file of a store: it does not ask for the lock. */
const program = (filename: string) =>
  Effect.gen(function* () {
    const db = yield* Database.connect(filename, false)
    const client = yield* SqliteClient.fromDatabase(db, { filename })
    return Context.make(Writer, yield* Writer.make(db, "each")).pipe(
      Context.add(SqlClient.SqlClient, client),
      Context.add(KeyChanges, KeyChanges.ofFile(db))
    )
  }).pipe(Layer.effectContext, Layer.provide(Reactivity.layer))

const besideFile = Effect.map(temporaryFile, (filename) => ({
  ours: SqliteStore.layer({ filename }),
  theirs: Layer.provide(KeyRepositorySqlite.layer, program(filename))
}))

type Store = Layer.Success<typeof SqliteStore.layerMemory>
type Trouble = Layer.Error<typeof SqliteStore.layerMemory>

interface Shared {
  readonly ours: Layer.Layer<KeyRepository, Trouble>
  readonly theirs: Layer.Layer<KeyRepository, Trouble>
}

/**
 * `reopened`: a store that is there again each time the layer is provided, as after a restart. `shared`: two repositories of keys on
 * one store, to be made in this order.
 */
export const stores: {
  readonly [name: string]: {
    readonly layer: Layer.Layer<Store, Trouble>
    readonly reopened: Effect.Effect<Layer.Layer<Store, Trouble>, Trouble, Scope.Scope>
    readonly shared: Effect.Effect<Shared, Trouble, Scope.Scope>
  }
} = {
  "SQLite in memory": {
    layer: SqliteStore.layerMemory,
    reopened: memory,
    shared: Effect.map(memory, (layer) => ({ ours: layer, theirs: layer }))
  },
  "SQLite in a file": { layer: Layer.unwrap(file), reopened: file, shared: besideFile },
  ...(isSkipped
    ? {}
    : {
        Postgres: {
          layer: Layer.unwrap(OnPostgres.reopened),
          reopened: OnPostgres.reopened,
          shared: OnPostgres.shared
        }
      })
}

/** Those that keys of another gateway can be brought to. */
export const importing: { readonly [name: string]: Layer.Layer<Store | KeyImports, Trouble> } = {
  "SQLite in memory": Layer.provide(
    Layer.merge(SqliteStore.repositories, KeyImportsSqlite.layer),
    Database.layerMemory
  ),
  "SQLite in a file": Layer.unwrap(Effect.map(temporaryFile, (filename) => SqliteStore.layerForImport({ filename }))),
  ...(isSkipped ? {} : { Postgres: Layer.unwrap(OnPostgres.importing) })
}

/** A store that can't be asked is no answer of the contract: it ends the test. */
export const inTime = <A, E, R>(effect: Effect.Effect<A, E | StoreUnavailable, R>) =>
  Effect.catchIf(
    effect,
    (error): error is StoreUnavailable => error instanceof StoreUnavailable,
    (error) => Effect.die(error)
  )
