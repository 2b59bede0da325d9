/** A store to look into: beside a gateway that runs on it, and without changing anything. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError } from "effect/sql"
import { placeOf } from "@model-gateway/gateway/internal/core/domain/StorePlace"
import { type StoreTooNew, StoreUnusable } from "@model-gateway/gateway/internal/storage/records/OpenErrors"
import * as Migrations from "@model-gateway/gateway/internal/storage/migrations/PostgresMigrations"
import { makeClient } from "@model-gateway/gateway/internal/storage/postgres/connection/Client"
import { mayRead } from "@model-gateway/gateway/internal/storage/postgres/connection/Cluster"
import {
  defaults,
  type PostgresOptions
} from "@model-gateway/gateway/internal/storage/postgres/connection/PostgresOptions"
import { cantBeUsed, checkSchema } from "@model-gateway/gateway/internal/storage/postgres/connection/Prepare"

/** A client for reads, which take as long as they take. */
export const layer = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient, StoreUnusable | StoreTooNew> =>
  Layer.effect(SqlClient.SqlClient, open(options)).pipe(Layer.provide(Reactivity.layer))

const open = Effect.fnUntraced(
  function* (options: PostgresOptions) {
    const sql = yield* makeClient({ ...options, statementTimeoutMs: 0 }, 1, { isReadOnly: true })
    yield* isStore(sql, options)
    return sql
  },
  (effect, options) =>
    Effect.catchIf(effect, SqlError.isSqlError, (error) =>
      Effect.fail(cantBeUsed(placeOf(options.url), options.schema ?? defaults.schema, error))
    )
)

/** Fails unless the schema holds a store as this version writes it, of the cluster that is named, if one is. */
export const isStore = Effect.fnUntraced(function* (sql: PgClient, options: PostgresOptions) {
  const { cluster, schema = defaults.schema } = options
  const place = placeOf(options.url)
  const known = yield* checkSchema(sql, place, schema)
  if (known === Migrations.LATEST) return yield* mayRead(sql, { place, schema, cluster })
  const what = known === 0 ? "holds no store of the gateway" : "was written by an older version: start the gateway once"
  return yield* new StoreUnusable({ message: `The schema ${schema} of ${place} ${what}.` })
})
