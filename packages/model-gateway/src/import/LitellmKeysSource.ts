/** Where LiteLLM's keys are read: an exported table, or its database. */
import { Effect, FileSystem, Option, Redacted, Result } from "effect"
import { placeOf } from "@model-gateway/gateway/internal/core/domain/StorePlace"
import { matchesGlob } from "@model-gateway/gateway/internal/core/collections/Glob"
import { loadSettings } from "@model-gateway/gateway/internal/config/LoadSettings"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"
import type { StoreFlags } from "../ledger/StoreFlags.ts"
import { Environment } from "../Environment.ts"
import { CommandFailed, wrongUsage } from "../Failure.ts"
import { readTable } from "@model-gateway/import-litellm/keys/File"
import type { Imports, ReadOptions } from "@model-gateway/import-litellm/keys/ReadKeys"
import { problemsAsText } from "@model-gateway/import-litellm/keys/Report"
import { textOf } from "@model-gateway/import-litellm/keys/DecodeText"

interface SourceFlags {
  readonly file: Option.Option<string>
  readonly databaseUrl: Option.Option<string>
  readonly databaseUrlEnv: Option.Option<string>
}

/** What names of models call here, where there is a configuration that can be read. */
export const modelsIn = Effect.fnUntraced(function* ({ config, store }: StoreFlags) {
  if (Option.isSome(store)) return undefined
  const environment = yield* Environment
  const settings = yield* Effect.option(loadSettings({ file: config, vendors: knownVendors, environment }))
  if (Option.isNone(settings)) return undefined
  const { aliasRules, deployments, models } = settings.value
  const called = ({ model, provider }: (typeof deployments)[number]) => `${provider}/${model}`
  return (name: string): ReadonlyArray<string> => {
    // What falls back to another model has only its own limits.
    const fallbacks = aliasRules?.get(name)?.fallbacks ?? []
    const ids = models.get(name)?.filter((id) => !fallbacks.includes(id))
    const found =
      ids === undefined
        ? deployments.filter((one) => matchesGlob(one.model, name) || matchesGlob(called(one), name))
        : deployments.filter(({ id }) => ids.includes(id))
    return ids === undefined && found.length > 0 ? [name] : [...new Set(found.map(called))]
  }
})

/** Exactly one of them. */
export const importsFrom = Effect.fnUntraced(function* (flags: SourceFlags, options: ReadOptions) {
  const { databaseUrl, databaseUrlEnv, file } = flags
  const given = [file, databaseUrl, databaseUrlEnv].filter(Option.isSome)
  if (given.length !== 1) return yield* wrongUsage(given.length === 0 ? WHICH : `One of them: ${WHICH}`)
  if (Option.isSome(file)) return yield* inFile(file.value, options)
  const url = Option.isSome(databaseUrl)
    ? databaseUrl.value
    : yield* fromEnvironment(Option.getOrElse(databaseUrlEnv, () => ""))
  return yield* inDatabase(Redacted.make(url), options)
})

const WHICH =
  "Give the export of LiteLLM's table of keys, such as keys.csv, or its database: --database-url URL, or --database-url-env NAME where a variable has it."

const fromEnvironment = Effect.fnUntraced(function* (name: string) {
  const value = (yield* Environment)[name]
  if (value !== undefined && value !== "") return value
  return yield* wrongUsage(`The variable ${name} is not set: it should hold the URL of LiteLLM's database.`)
})

const inFile = Effect.fnUntraced(function* (file: string, options: ReadOptions) {
  const fileSystem = yield* FileSystem.FileSystem
  const bytes = yield* fileSystem.readFile(file).pipe(
    Effect.mapError(
      ({ reason }) =>
        new CommandFailed({
          message: `${file} can't be read: ${reason._tag === "NotFound" ? "no such file" : reason.message}`
        })
    )
  )
  const text = textOf(bytes)
  if (Result.isFailure(text)) return yield* new CommandFailed({ message: `${file} can't be read: ${text.failure}.` })
  const table = readTable(text.success, options)
  if (Result.isFailure(table)) return yield* new CommandFailed({ message: problemsAsText(file, table.failure) })
  return table.success
})

const inDatabase = Effect.fnUntraced(function* (url: Redacted.Redacted, options: ReadOptions) {
  const { readDatabase } = yield* Effect.promise(
    () => import("@model-gateway/import-litellm/keys/database/LitellmDatabase")
  )
  const imports: Imports = yield* Effect.mapError(readDatabase(url, options), (error) =>
    error._tag === "DatabaseUrlInvalid" ? wrongUsage(error.message) : new CommandFailed({ message: error.message })
  )
  if (imports.problems.length > 0) {
    return yield* new CommandFailed({ message: problemsAsText(placeOf(url), imports.problems) })
  }
  return imports
})
