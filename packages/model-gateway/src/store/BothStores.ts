/** Which two stores a command is about: a file, and one on Postgres. */
import { Effect, Option, Redacted } from "effect"
import { fileToRead } from "../ConfigurationFile.ts"
import { loadSettings } from "@model-gateway/gateway/internal/config/LoadSettings"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"
import { Environment } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"
import { optionalText, textFlag } from "../Flags.ts"

export const bothStores = {
  from: textFlag("from", "FILE", "the store in a file; it stays as it is"),
  to: optionalText(
    "to",
    "URL",
    "postgres://…, without a password that others on this machine must not see (default: store.postgres of --config)"
  ),
  config: fileToRead("the configuration file that names the store on Postgres")
}

/** The target: the address of the flag, or the store of the configuration. */
export const targetOf = Effect.fnUntraced(function* (config: string, to: Option.Option<string>) {
  if (Option.isSome(to)) return { url: Redacted.make(to.value) }
  const environment = yield* Environment
  const { postgres } = (yield* loadSettings({ file: config, vendors: knownVendors, environment })).store
  if (postgres !== undefined) return postgres
  return yield* new CommandFailed({
    message: `${config} names no store on Postgres: write store.postgres.url there, or give the address with --to.`
  })
})
