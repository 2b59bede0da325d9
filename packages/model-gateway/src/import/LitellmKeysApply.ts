/** Keys and teams into the store that was found, of whichever kind. */
import { Effect, FileSystem, type Layer, Option } from "effect"
import type { EndUserRepository } from "@model-gateway/gateway/internal/core/keys/EndUserRepository"
import type { LedgerJournal } from "@model-gateway/gateway/internal/core/ledger/LedgerJournal"
import type { KeyImports } from "@model-gateway/import-litellm/store/KeyImports"
import { KeyRepository } from "@model-gateway/gateway/internal/core/keys/KeyRepository"
import * as KeyImportsSqlite from "@model-gateway/import-litellm/store/KeyImportsSqlite"
import { CommandFailed } from "../Failure.ts"
import type { FoundStore } from "../ledger/StoreFlags.ts"
import { reasonNotWritten } from "../NotWritten.ts"
import { commit, prepare, secretsAsCsv } from "@model-gateway/import-litellm/keys/ImportKeys"
import { commitEndUsers } from "@model-gateway/import-litellm/keys/ImportEndUsers"
import type { Imports } from "@model-gateway/import-litellm/keys/ReadKeys"

const OWNER_ONLY = 0o600

/** How many were added; of end users, records. */
export const apply = Effect.fnUntraced(function* (
  imports: Imports,
  store: FoundStore,
  now: number,
  newSecrets: Option.Option<string>
) {
  const layer: Layer.Layer<
    KeyRepository | EndUserRepository | LedgerJournal | KeyImports,
    { readonly message: string }
  > =
    "file" in store
      ? KeyImportsSqlite.storeWith({ filename: store.file })
      : (yield* Effect.promise(() => import("@model-gateway/import-litellm/store/KeyImportsPostgres"))).storeWith(
          store.postgres
        )
  return yield* write(imports, now, newSecrets).pipe(
    Effect.provide(layer),
    Effect.mapError((error) =>
      error instanceof CommandFailed ? error : new CommandFailed({ message: `Nothing is imported: ${error.message}` })
    )
  )
})

/** New secrets are on the disk before their keys are, and go again if those can't be written. */
const write = Effect.fnUntraced(function* (
  { candidates, endUsers, teams }: Imports,
  now: number,
  newSecrets: Option.Option<string>
) {
  const fileSystem = yield* FileSystem.FileSystem
  const prepared = yield* prepare(candidates, Option.isNone(newSecrets))
  const { pepper } = yield* KeyRepository
  const add = Effect.gen(function* () {
    const records = yield* commitEndUsers(endUsers, candidates, yield* pepper, now)
    const added = yield* commit(prepared, teams, now)
    return { keys: added.keys.size, teams: added.teams.size, endUsers: records }
  })
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
