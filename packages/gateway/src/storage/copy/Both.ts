/** A store in a file and one in Postgres, opened to be copied or compared. */
import type { DatabaseSync } from "node:sqlite"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlError } from "effect/sql"
import { placeOf } from "../../core/domain/StorePlace.ts"
import { makeClient } from "../postgres/connection/Client.ts"
import { defaults, type PostgresOptions } from "../postgres/connection/PostgresOptions.ts"
import { cantBeUsed } from "../postgres/connection/Prepare.ts"
import type { StoreOpenError } from "../records/OpenErrors.ts"
import { connect } from "../sqlite/file/SqliteDatabase.ts"
import { lock } from "../sqlite/file/Lock.ts"
import * as ReadOnly from "../sqlite/file/SqliteReadOnly.ts"

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
