/**
 * Which store a `ledger` command looks into.
 */
import { Effect, Layer, Option } from "effect"
import { Flag } from "effect/cli"
import type { SqlClient } from "effect/sql"
import { loadSettings } from "../../config/LoadSettings.ts"
import { knownVendors } from "../../providers/vendors/Vendors.ts"
import * as ReadOnly from "../../storage/sqlite/file/ReadOnly.ts"
import { Environment } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"

export const storeFlags = {
  config: Flag.String("config").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("the configuration file that names the store (default: gateway.yaml)"),
    Flag.withDefault("gateway.yaml")
  ),
  store: Flag.String("store").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("the store itself; no configuration is read then"),
    Flag.optional
  )
}

interface StoreFlags {
  readonly config: string
  readonly store: Option.Option<string>
}

/** The path of the store, as it was given. */
export const findStore = Effect.fnUntraced(function* ({ config, store }: StoreFlags) {
  if (Option.isSome(store)) return store.value
  const environment = yield* Environment
  const settings = yield* loadSettings({ file: config, vendors: knownVendors, environment })
  return settings.store.sqlite
})

/** Runs `use` on a store that it can read and nothing else. What is wrong with the store is the user's to put right. */
export const inStore = <A, E extends { readonly message: string }, R>(
  options: ReadOnly.ReadOnlyOptions,
  use: Effect.Effect<A, E, R>
): Effect.Effect<A, CommandFailed, Exclude<R, SqlClient.SqlClient>> =>
  use.pipe(
    Effect.provide(Layer.fresh(ReadOnly.layer(options))),
    Effect.mapError((error) => (error instanceof CommandFailed ? error : new CommandFailed({ message: error.message })))
  )
