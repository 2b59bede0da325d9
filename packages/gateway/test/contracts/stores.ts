/** The stores that there are: every contract of what is remembered is run on each. */
import { Effect, Layer, type Scope } from "effect"
import { StoreUnavailable } from "../../src/core/domain/Errors.ts"
import type { KeyImports } from "../../../import-litellm/src/store/KeyImports.ts"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"
import * as KeyImportsSqlite from "../../../import-litellm/src/store/KeyImportsSqlite.ts"
import { temporaryFile } from "../storage/Support.ts"
import { isSkipped } from "../support/postgres/Databases.ts"
import * as OnPostgres from "../support/postgres/Stores.ts"

const file = Effect.map(temporaryFile, (filename) => SqliteStore.layer({ filename }))

/** The ports are made anew each time the layer is provided; what they remember stays. */
const memory = Effect.map(Layer.build(Database.layerMemory), (database) =>
  Layer.fresh(Layer.provide(SqliteStore.repositories, Layer.succeedContext(database)))
)

type Store = Layer.Success<typeof SqliteStore.layerMemory>
type Trouble = Layer.Error<typeof SqliteStore.layerMemory>

/**
 * `reopened`: a store that is there again each time the layer is provided, as after a restart.
 */
export const stores: {
  readonly [name: string]: {
    readonly layer: Layer.Layer<Store, Trouble>
    readonly reopened: Effect.Effect<Layer.Layer<Store, Trouble>, Trouble, Scope.Scope>
  }
} = {
  "SQLite in memory": {
    layer: SqliteStore.layerMemory,
    reopened: memory
  },
  "SQLite in a file": { layer: Layer.unwrap(file), reopened: file },
  ...(isSkipped
    ? {}
    : {
        Postgres: {
          layer: Layer.unwrap(OnPostgres.reopened),
          reopened: OnPostgres.reopened
        }
      })
}

/** Those that keys of another gateway can be brought to. */
export const importing: { readonly [name: string]: Layer.Layer<Store | KeyImports, Trouble> } = {
  "SQLite in memory": Layer.provide(
    Layer.merge(SqliteStore.repositories, KeyImportsSqlite.layer),
    Database.layerMemory
  ),
  "SQLite in a file": Layer.unwrap(Effect.map(temporaryFile, (filename) => KeyImportsSqlite.storeWith({ filename }))),
  ...(isSkipped ? {} : { Postgres: Layer.unwrap(OnPostgres.importing) })
}

/** A store that can't be asked is no answer of the contract: it ends the test. */
export const inTime = <A, E, R>(effect: Effect.Effect<A, E | StoreUnavailable, R>) =>
  Effect.catchIf(
    effect,
    (error): error is StoreUnavailable => error instanceof StoreUnavailable,
    (error) => Effect.die(error)
  )
