/**
 * A gateway with its telemetry: log lines on stderr and OTLP export. Loaded on demand: other commands start in
 * half the time without it.
 */
import { Effect, Layer } from "effect"
import type { LogFormat, Settings } from "@model-gateway/gateway/internal/core/domain/Settings"
import type { Load, Show } from "@model-gateway/gateway/internal/Reload"
import * as Server from "@model-gateway/gateway/internal/Server"
import * as GatewayLogger from "../telemetry/logs/GatewayLogger.ts"
import { LogWriter } from "../telemetry/logs/LogWriter.ts"
import * as RequestLines from "../telemetry/logs/RequestLines.ts"
import { secretsOf } from "../telemetry/logs/StrikeSecrets.ts"
import * as Stderr from "../telemetry/logs/Stderr.ts"
import { registryLayer } from "@model-gateway/gateway/internal/telemetry/metrics/Meters"
import { type OtlpEnvironment, readOtlp } from "../telemetry/otlp/OtlpSettings.ts"

interface Observing {
  /** Instead of the configuration's. */
  readonly format: LogFormat | undefined
  /** Where another configuration comes from. */
  readonly load: Load | undefined
  /** How it is shown. */
  readonly file: Show | undefined
  /** Where OpenTelemetry's variables are. */
  readonly environment: OtlpEnvironment
}

/** Telemetry closes after the server, so that requests that end while it drains are reported. */
export const layer = (settings: Settings, options: Observing) => {
  let secrets = secretsOf(settings)
  const load = options.load?.pipe(Effect.tap((next) => Effect.sync(() => (secrets = [...secrets, ...secretsOf(next)]))))
  const logs = { ...settings.logs, format: options.format ?? settings.logs.format }
  const exported = otlp(options.environment)
  return Layer.mergeAll(RequestLines.layer(logs), exported.listening).pipe(
    Layer.provideMerge(Server.reloadable({ ...settings, logs }, load, options.file)),
    Layer.provideMerge(contentLog(settings, options.environment)),
    Layer.provideMerge(exported.exporters),
    Layer.provideMerge(GatewayLogger.layer({ format: logs.format, secrets: () => secrets })),
    Layer.provide(LogWriter.layer.pipe(Layer.provide(Stderr.layer))),
    Layer.provide(registryLayer)
  )
}

/** Closes after the server, and is loaded where content may be logged. */
const contentLog = ({ content, guardrails }: Settings, environment: OtlpEnvironment) => {
  if (content === undefined) return Layer.empty
  return Layer.unwrap(
    Effect.gen(function* () {
      const { layer } = yield* Effect.promise(() => import("../content/ContentLogLive.ts"))
      const { processResource } = yield* Effect.promise(() => import("../telemetry/otlp/Otlp.ts"))
      return layer(content, guardrails, yield* processResource(readOtlp(environment)))
    })
  )
}

/** The modules that export are loaded where there is something to export, or to say about it. */
const otlp = (environment: OtlpEnvironment) => {
  const settings = readOtlp(environment)
  const { metrics, problems, traces } = settings
  if (traces === undefined && metrics === undefined && problems.length === 0) {
    return { exporters: Layer.empty, listening: Layer.empty }
  }
  const loaded = Effect.promise(() => import("../telemetry/otlp/Otlp.ts"))
  return {
    exporters: Layer.unwrap(Effect.map(loaded, ({ layer }) => layer(settings))),
    listening: Layer.unwrap(Effect.map(loaded, ({ listening }) => listening))
  }
}
