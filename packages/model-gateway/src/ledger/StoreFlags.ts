/** Which store a `ledger` command looks into. */
import { Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { fileToRead } from "../ConfigurationFile.ts"
import { loadSettings } from "@model-gateway/gateway/internal/config/LoadSettings"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"
import type { PostgresSettings } from "@model-gateway/gateway/internal/core/domain/Settings"
import { placeOf } from "@model-gateway/gateway/internal/core/domain/StorePlace"
import * as ReadOnly from "../store/reading/SqliteReadOnly.ts"
import { closedRows } from "../store/reading/SqliteClosedRows.ts"
import { checkFile, ledgerTotals } from "../store/reading/Totals.ts"
import { verifyLedger } from "../store/reading/SqliteVerify.ts"
import { routedRequests } from "../store/reading/SqliteRoutedRequests.ts"
import { Environment } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"
import { optionalText } from "../Flags.ts"

export const storeFlags = {
  config: fileToRead("the configuration file that names the store"),
  store: optionalText("store", "FILE", "the SQLite file of the store; no configuration is read")
}

export interface StoreFlags {
  readonly config: string
  readonly store: Option.Option<string>
}

/** A store, as people name it. */
export type FoundStore =
  | { readonly name: string; readonly file: string }
  | { readonly name: string; readonly postgres: PostgresSettings }

/** The store of the flag, or that of the configuration. */
export const findStore = Effect.fnUntraced(function* ({ config, store }: StoreFlags) {
  if (Option.isSome(store)) return fileOf(store.value)
  const environment = yield* Environment
  const settings = yield* loadSettings({ file: config, vendors: knownVendors, environment })
  const { postgres, sqlite } = settings.store
  return postgres === undefined ? fileOf(sqlite) : databaseOf(postgres)
})

const fileOf = (file: string): FoundStore => ({ name: file, file })

const databaseOf = (postgres: PostgresSettings): FoundStore => ({ name: placeOf(postgres.url), postgres })

/** What can be read of either kind of store. */
const readsOfFile = {
  inspection: Effect.gen(function* () {
    yield* checkFile
    return { totals: yield* ledgerTotals, differences: yield* verifyLedger }
  }),
  closedRows,
  routedRequests
}

const readsOfPostgres = Effect.promise(async () => {
  const [readOnly, verify, rows, routed] = await Promise.all([
    import("../store/reading/PostgresReadOnly.ts"),
    import("../store/reading/PostgresVerify.ts"),
    import("../store/reading/PostgresClosedRows.ts"),
    import("../store/reading/PostgresRoutedRequests.ts")
  ])
  return {
    layer: readOnly.layer,
    reads: { inspection: verify.inspection, closedRows: rows.closedRows, routedRequests: routed.routedRequests }
  }
})

/** Runs `use` on a store that it can read and nothing else. What is wrong with the store is the user's to put right. */
export const inStore = <A, E extends { readonly message: string }, R>(
  store: FoundStore,
  snapshot: boolean,
  use: (reads: typeof readsOfFile) => Effect.Effect<A, E, R>
): Effect.Effect<A, CommandFailed, Exclude<R, SqlClient.SqlClient>> => {
  const run =
    "file" in store
      ? Effect.provide(use(readsOfFile), Layer.fresh(ReadOnly.layer({ filename: store.file, snapshot })))
      : Effect.flatMap(readsOfPostgres, ({ layer, reads }) =>
          Effect.provide(use(reads), Layer.fresh(layer(store.postgres)))
        )
  return Effect.mapError(run, (error) =>
    error instanceof CommandFailed ? error : new CommandFailed({ message: error.message })
  )
}
