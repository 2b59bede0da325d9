/** Taking over another configuration without a restart: what it changes, and what has to wait for one. */
import { isDeepStrictEqual } from "node:util"
import { Clock, Effect, Layer, Redacted, Semaphore } from "effect"
import { Configuration, ConfigurationRefused, type ShownFile } from "./core/domain/Configuration.ts"
import { type Fleet, FleetInForce } from "./core/domain/Fleet.ts"
import type { CatalogueSettings, Settings } from "./core/domain/Settings.ts"
import { watchCatalogue } from "./CatalogueWatch.ts"
import { fleetOf } from "./GatewayCore.ts"
import { Generations } from "./Generations.ts"
import { strayNames } from "./providers/catalogue/facts/Layers.ts"
import { ProviderRegistry } from "./providers/catalogue/ProviderRegistry.ts"

/** Reads the configuration as it is now. */
export type Load = Effect.Effect<Settings, { readonly message: string }>

/** Shows the configuration file as it is now. */
export type Show = Effect.Effect<ShownFile, { readonly message: string }>

/** `apply` gets settings that came into force. The watched catalogue applies to the configuration in force. */
export const layer = (running: Settings, load: Load, apply: (settings: Settings) => void, file?: Show) =>
  Layer.effect(
    Configuration,
    Effect.gen(function* () {
      const generations = yield* Generations
      const { vendors } = yield* ProviderRegistry
      let inForce = running
      let loadedAt = yield* Clock.currentTimeMillis
      const { follow } = yield* FleetInForce
      let warnings: ReadonlyArray<string> = []
      follow((fleet) => (warnings = [...(inForce.warnings ?? []), ...warningsOf(fleet)]))
      const refused = ({ message }: { readonly message: string }) =>
        new ConfigurationRefused({ why: "invalid", message })
      const oneChange = Semaphore.makeUnsafe(1)

      const take = Effect.fnUntraced(function* (next: Settings) {
        yield* Effect.catchTag(generations.replace(fleetOf(next, vendors)), "ModelFileInvalid", (error) =>
          Effect.fail(refused(error))
        )
        apply(next)
        inForce = next
      })
      const reload = Effect.gen(function* () {
        const next = yield* Effect.mapError(load, refused)
        yield* take(withFiles(next, (catalogue) => withLoaded(catalogue, inForce.catalogue)))
        loadedAt = yield* Clock.currentTimeMillis
        const needsRestart = waiting(running, next)
        const but = needsRestart.length === 0 ? "" : `; these fields need a restart: ${needsRestart.join(", ")}`
        yield* Effect.logInfo(`the configuration was reloaded${but}`)
        yield* Effect.forEach([...(next.warnings ?? []), ...strayNames(next.catalogue)], Effect.logWarning)
        return { needsRestart }
      })
      yield* Effect.forkScoped(
        watchCatalogue(
          () => inForce.catalogue,
          (change) => oneChange.withPermit(Effect.suspend(() => take(withFiles(inForce, change))))
        )
      )
      const show = Effect.gen(function* () {
        if (file === undefined) return yield* refused({ message: "This gateway can't show its configuration file." })
        const shown = yield* Effect.mapError(file, refused)
        const next = yield* Effect.result(load)
        if (next._tag === "Failure") {
          return { ...shown, loadedAt, warnings, problems: next.failure.message, changes: [], needsRestart: [] }
        }
        const changes = reloaded.filter(
          (name) => !isDeepStrictEqual(revealed(inForce[name]), revealed(next.success[name]))
        )
        return {
          ...shown,
          loadedAt,
          warnings,
          problems: undefined,
          changes,
          needsRestart: waiting(running, next.success)
        }
      })
      return { reload: oneChange.withPermit(reload), show }
    })
  )

const withFiles = (settings: Settings, change: (catalogue: CatalogueSettings) => CatalogueSettings): Settings =>
  settings.catalogue === undefined ? settings : { ...settings, catalogue: change(settings.catalogue) }

/** What files held stays in force. */
const withLoaded = (next: CatalogueSettings, before: CatalogueSettings | undefined): CatalogueSettings => ({
  ...next,
  loaded: before?.loaded,
  learnt: { ...next.learnt, loaded: before?.learnt.loaded }
})

/** The sections that a reload takes over. */
const reloaded = ["providers", "deployments", "models", "router", "failover", "guardrails", "cache", "issuers"] as const

/** The same for the documents. The catalogue is taken over, too, but compared by its file. */
export const reloadedSections = [...reloaded, "catalogue"] as const

/** Redacted values are equal where their texts are. */
const revealed = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return Redacted.value(value)
  if (value instanceof Map) return Array.from(value, revealed)
  if (Array.isArray(value)) return value.map(revealed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, revealed(field)]))
}

const warningsOf = ({ deployments }: Fleet["Service"]): ReadonlyArray<string> =>
  deployments.flatMap(({ id, price }) =>
    price === undefined ? [`${id}: no price is known, so keys with a budget are refused it`] : []
  )

/** What a running gateway can't change, by its name in the file. */
const fixed: { readonly [Field in Exclude<keyof Settings["server"], "answerSizes">]: string } = {
  host: "host",
  port: "port",
  adminPort: "admin_port",
  maxBodyBytes: "max_body_mb",
  maxBodyValues: "max_body_values",
  maxBytesInFlight: "max_bytes_in_flight_mb",
  maxUploadBytes: "max_upload_mb",
  shutdownDelayMs: "shutdown_delay",
  shutdownGraceMs: "shutdown_grace",
  stalledClientMs: "stalled_client",
  earlyKeepaliveMs: "early_keepalive",
  headersTimeoutMs: "headers_timeout",
  requestTimeoutMs: "request_timeout",
  trustedProxies: "trusted_proxies",
  authFailuresPerMinute: "auth_failures_per_minute",
  corsOrigins: "cors.origins",
  publicPath: "public_path",
  publicUrl: "public_url",
  reusePort: "reuse_port",
  ui: "ui",
  metrics: "metrics"
}

const fixedIn = ({
  alerts,
  content,
  idempotency,
  identity,
  logs,
  masterKey,
  receipts,
  responses,
  server,
  store
}: Settings): ReadonlyArray<readonly [string, unknown]> => [
  ...Object.entries(fixed).map(([field, name]) => [`server.${name}`, server[field as keyof typeof fixed]] as const),
  ["server.max_event_mb", server.answerSizes.event],
  ["server.max_image_event_mb", server.answerSizes.imageEvent],
  ["server.max_answer_mb", server.answerSizes.answer],
  ["server.max_embeddings_answer_mb", server.answerSizes.embeddingsAnswer],
  ["logs.requests", logs.requests],
  ["logs.format", logs.format],
  ["master_key", Redacted.value(masterKey)],
  ["store.sqlite", store.sqlite],
  ["store.synchronous", store.synchronous],
  ["store.abandoned", store.abandoned],
  ["store.disk_reserve_mb", store.diskReserve],
  ["store.postgres", store.postgres && { ...store.postgres, url: Redacted.value(store.postgres.url) }],
  ["receipts.keep", receipts.keepMs],
  ["alerts", revealed(alerts)],
  ["content", revealed(content)],
  ["identity", revealed(identity)],
  ["responses.store", responses.isStored],
  ["responses.lifetime", responses.lifetimeMs],
  ["responses.max_mb", responses.quota.all],
  ["responses.max_mb_per_key", responses.quota.perKey],
  ["idempotency.max_mb", idempotency.all],
  ["idempotency.max_mb_per_key", idempotency.perKey]
]

const waiting = (running: Settings, next: Settings): ReadonlyArray<string> => {
  const known = new Map(fixedIn(running))
  return fixedIn(next).flatMap(([name, value]) => (isDeepStrictEqual(known.get(name), value) ? [] : [name]))
}
