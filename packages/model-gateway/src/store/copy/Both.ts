/** A store in a file and one in Postgres, opened to be copied or compared. */
import type { DatabaseSync } from "node:sqlite"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlError } from "effect/sql"
import { placeOf } from "@model-gateway/gateway/internal/core/domain/StorePlace"
import { makeClient } from "@model-gateway/gateway/internal/storage/postgres/connection/Client"
import {
  defaults,
  type PostgresOptions
} from "@model-gateway/gateway/internal/storage/postgres/connection/PostgresOptions"
import { cantBeUsed } from "@model-gateway/gateway/internal/storage/postgres/connection/Prepare"
import type { StoreOpenError } from "@model-gateway/gateway/internal/storage/records/OpenErrors"
import { connect } from "@model-gateway/gateway/internal/storage/sqlite/file/SqliteDatabase"
import { lock } from "@model-gateway/gateway/internal/storage/sqlite/file/Lock"
import * as ReadOnly from "../reading/SqliteReadOnly.ts"

interface Both {
  readonly db: DatabaseSync
  readonly sql: PgClient
  /** The one in Postgres, as messages name it. */
  readonly place: string
}

/** No gateway works on the file meanwhile. Both are closed when `use` has ended. */
export const withBoth = <A, E>(
  filename: string,
  options: PostgresOptions,
  use: (both: Both) => Effect.Effect<A, E | SqlError.SqlError, Scope.Scope | Reactivity.Reactivity>
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | StoreOpenError | ReadOnly.StoreTooOld> => {
  const place = placeOf(options.url)
  const { schema = defaults.schema } = options
  return Effect.gen(function* () {
    // Is it a store, and of this version?
    yield* Layer.build(ReadOnly.layer({ filename, snapshot: false }))
    yield* lock(filename)
    const db = yield* connect(filename, true)
    const sql = yield* makeClient({ ...options, statementTimeoutMs: 0 }, 1)
    return yield* use({ db, sql, place })
  }).pipe(
    Effect.catchIf(SqlError.isSqlError, (error) => Effect.fail(cantBeUsed(place, schema, error))),
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )
}
