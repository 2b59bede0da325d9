/** The configuration in force. A port: the composition root knows where it comes from. */
import { Context, Effect, Schema } from "effect"
import type { StoreUnavailable } from "./Errors.ts"

/** Nothing changed. `message` says why, as `model-gateway check` would. `no_file`: there is nothing to read again. */
export class ConfigurationRefused extends Schema.TaggedError<ConfigurationRefused>()("ConfigurationRefused", {
  why: Schema.Literals(["no_file", "invalid"]),
  message: Schema.String
}) {}

interface Reloaded {
  /** The fields whose new values wait for a restart: `server.port`. */
  readonly needsRestart: ReadonlyArray<string>
}

/** A field of the file, as the file has it: what stands in the environment is not filled in. */
export interface ShownField {
  readonly path: string
  /** Null: it is a secret, or nothing. */
  readonly value: string | number | boolean | null
  readonly isSecret: boolean
  readonly line: number
  readonly column: number
}

export interface ShownFile {
  readonly file: string
  readonly fields: ReadonlyArray<ShownField>
}

interface Shown extends ShownFile {
  /** When what is in force was read, epoch milliseconds. */
  readonly loadedAt: number
  readonly warnings: ReadonlyArray<string>
  /** What is wrong with the file as it is now. */
  readonly problems: string | undefined
  /** The sections that a reload would change. */
  readonly changes: ReadonlyArray<string>
  readonly needsRestart: ReadonlyArray<string>
}

export interface ConfigurationService {
  /** The value in force, and the value in the file. */
  readonly show: Effect.Effect<Shown, ConfigurationRefused>
  /** Reads it again. When this completes new requests are served by it; those in flight end as they began. */
  readonly reload: Effect.Effect<Reloaded, ConfigurationRefused | StoreUnavailable>
}

export const Configuration = Context.Reference<ConfigurationService>("gateway/core/Configuration", {
  defaultValue: () => ({ reload: noFile("so there is none to reload"), show: noFile("so there is none to show") })
})

const noFile = (so: string) =>
  Effect.fail(
    new ConfigurationRefused({
      why: "no_file",
      message: `This gateway was started without a configuration file, ${so}.`
    })
  )
