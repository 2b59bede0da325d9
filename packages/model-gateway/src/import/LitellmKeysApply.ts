/** Keys and teams into the store that was found, of whichever kind. */
import { Effect, FileSystem, type Layer, Option } from "effect"
import type { KeyImports } from "@model-gateway/gateway/internal/core/keys/KeyImports"
import type { KeyRepository } from "@model-gateway/gateway/internal/core/keys/KeyRepository"
import * as SqliteStore from "@model-gateway/gateway/internal/storage/sqlite/file/SqliteStore"
import { CommandFailed } from "../Failure.ts"
import type { FoundStore } from "../ledger/StoreFlags.ts"
import { reasonNotWritten } from "../NotWritten.ts"
import { commit, prepare, secretsAsCsv } from "@model-gateway/import-litellm/keys/ImportKeys"
import type { Imports } from "@model-gateway/import-litellm/keys/ReadKeys"

const OWNER_ONLY = 0o600

/** How many were added. */
export const apply = Effect.fnUntraced(function* (
  imports: Imports,
  store: FoundStore,
  now: number,
  newSecrets: Option.Option<string>
) {
  const layer: Layer.Layer<KeyRepository | KeyImports, { readonly message: string }> =
    "file" in store
      ? SqliteStore.layerForImport({ filename: store.file })
      : (yield* Effect.promise(
          () => import("@model-gateway/gateway/internal/storage/postgres/connection/PostgresStore")
        )).layerForImport(store.postgres)
  return yield* write(imports, now, newSecrets).pipe(
    Effect.provide(layer),
    Effect.mapError((error) =>
      error instanceof CommandFailed ? error : new CommandFailed({ message: `Nothing is imported: ${error.message}` })
    )
  )
})

/** New secrets are on the disk before their keys are, and go again if those can't be written. */
const write = Effect.fnUntraced(function* (
  { candidates, teams }: Imports,
  now: number,
  newSecrets: Option.Option<string>
) {
  const fileSystem = yield* FileSystem.FileSystem
  const prepared = yield* prepare(candidates, Option.isNone(newSecrets))
  const add = Effect.map(commit(prepared, teams, now), (added) => ({ keys: added.keys.size, teams: added.teams.size }))
  if (Option.isNone(newSecrets) || prepared.length === 0) return yield* add
  const out = newSecrets.value
  yield* fileSystem.writeFileString(out, secretsAsCsv(prepared), { flag: "wx", mode: OWNER_ONLY }).pipe(
    Effect.mapError(
      (error) =>
        new CommandFailed({
          message:
            error.reason._tag === "AlreadyExists"
              ? `Nothing is imported: ${out} is there already; name another file.`
              : `Nothing is imported: ${out} can't be written: ${reasonNotWritten(error, "--new-secrets")}`
        })
    )
  )
  return yield* Effect.tapError(add, () => Effect.ignore(fileSystem.remove(out)))
})
