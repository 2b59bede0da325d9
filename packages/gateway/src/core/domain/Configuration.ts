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

export interface ConfigurationService {
  /** Reads it again. When this completes new requests are served by it; those in flight end as they began. */
  readonly reload: Effect.Effect<Reloaded, ConfigurationRefused | StoreUnavailable>
}

export const Configuration = Context.Reference<ConfigurationService>("gateway/core/Configuration", {
  defaultValue: () => ({
    reload: Effect.fail(
      new ConfigurationRefused({
        why: "no_file",
        message: "This gateway was started without a configuration file, so there is none to read again."
      })
    )
  })
})
