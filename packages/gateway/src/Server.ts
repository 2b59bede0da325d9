/** The composition root: settings in, a running gateway out. HTTP asks the rules, the rules ask providers and the store. */
import { Clock, Effect, Layer } from "effect"
import * as Alerts from "./core/admin/Alerts.ts"
import { About } from "./core/domain/About.ts"
import type { Settings, TokenIssuer } from "./core/domain/Settings.ts"
import { AbandonedRule } from "./core/domain/AbandonedRule.ts"
import { IdempotencyQuota } from "./core/kept/Idempotency.ts"
import { ResponseSettings } from "./core/responses/ResponseSettings.ts"
import { AnswerSizes } from "./core/domain/AnswerSizes.ts"
import { CatalogueState, CatalogueStates } from "./core/domain/models/CatalogueState.ts"
import { AdminOrigin } from "./http/admin/access/AdminOrigin.ts"
import { AdminSessions } from "./core/admin/AdminSessions.ts"
import { MachineSignIns } from "./core/admin/MachineSignIns.ts"
import { Principals } from "./core/admin/Principals.ts"
import { IdentityProviders } from "./core/admin/IdentityProviders.ts"
import { SignIns } from "./core/admin/SignIns.ts"
import { SignInSettings } from "./http/admin/access/SignInHandlers.ts"
import { SignInCodes } from "./core/admin/SignInCodes.ts"
import { AuthThrottle } from "./http/shared/AuthThrottle.ts"
import { systemAndAdmin } from "./http/server/AdminListener.ts"
import { GatewayHandler } from "./http/server/GatewayHandler.ts"
import { type CannotListen, HttpServer } from "./http/server/HttpServer.ts"
import { MasterKey } from "./http/shared/MasterKey.ts"
import { Readiness } from "./http/shared/Readiness.ts"
import * as IssuerKeys from "./providers/auth/IssuerKeys.ts"
import * as HttpWebhookSender from "./providers/transport/HttpWebhookSender.ts"
import { Transports } from "./providers/pool/Transports.ts"
import { fleet, openCore, rules } from "./GatewayCore.ts"
import * as Reload from "./Reload.ts"
import type { Gateway } from "./core/call/Gateway.ts"
import type { Fleet, FleetInForce } from "./core/domain/Fleet.ts"
import type { StoreUnavailable } from "./core/domain/Errors.ts"
import * as CallerTokens from "./core/keys/CallerTokens.ts"
import { KeyStore } from "./core/keys/KeyStore.ts"
import { SpendLedger } from "./core/ledger/SpendLedger.ts"
import { RateLimiter } from "./core/limits/RateLimiter.ts"
import { ProviderPool } from "./core/pool/ProviderPool.ts"
import type { Transport } from "./core/pool/Transport.ts"
import type { Classifier } from "./core/routing/Classifier.ts"
import type { ReceiptEvents } from "./core/receipts/ReceiptEvents.ts"
import { Router } from "./core/routing/Router.ts"
import type { ModelFileInvalid } from "./classifier/model/ModelFile.ts"
import type { StoreOpenError } from "./storage/records/OpenErrors.ts"
import type { Repositories } from "./storage/Repositories.ts"
import * as SqliteStore from "./storage/sqlite/file/SqliteStore.ts"
import { registryLayer } from "./telemetry/metrics/Meters.ts"
import * as GatewayTelemetry from "./telemetry/metrics/GatewayTelemetry.ts"

export const store = ({ receipts, store }: Settings): Layer.Layer<Repositories, StoreOpenError | StoreUnavailable> => {
  const { diskReserve, postgres, sqlite, synchronous } = store
  const keepReceiptsMs = receipts.keepMs
  if (postgres === undefined) return SqliteStore.layer({ filename: sqlite, synchronous, diskReserve, keepReceiptsMs })
  const load = Effect.promise(() => import("./storage/postgres/connection/PostgresStore.ts"))
  return Layer.unwrap(Effect.map(load, ({ layer }) => layer({ ...postgres, reserve: store.reserve, keepReceiptsMs })))
}

/** The client of identity providers is loaded only where there are some. */
const signIns = ({ identity }: Settings) => {
  if (identity === undefined) return Layer.merge(SignIns.none, IdentityProviders.none)
  const load = Effect.promise(() => import("./providers/transport/OpenIdProviders.ts"))
  const providers = Layer.unwrap(Effect.map(load, ({ layer }) => layer(identity.providers)))
  return Layer.provideMerge(SignIns.layer(identity), providers)
}

/** What `/admin` needs to know who asks. */
const doors = (settings: Settings) =>
  Layer.mergeAll(
    MasterKey.layer(settings.masterKey),
    AuthThrottle.layer(settings.server),
    AdminOrigin.layer(settings.server),
    AdminSessions.layer(settings.masterKey),
    Layer.succeed(SignInSettings, settings.identity),
    Layer.provideMerge(
      Layer.provideMerge(Principals.layer, MachineSignIns.layer(settings.identity?.secrets ?? [])),
      signIns(settings)
    )
  )

/** `issuers`: those in force, which a reload changes. */
const handler = (settings: Settings, issuers: () => ReadonlyArray<TokenIssuer>) =>
  GatewayHandler.layer(settings.server, systemAndAdmin(settings.server)).pipe(
    Layer.provideMerge(Layer.merge(Readiness.layer, SignInCodes.layer)),
    Layer.provide([doors(settings), Layer.provide(CallerTokens.layer, IssuerKeys.layer(issuers))])
  )

export const telemetry = Layer.provide(GatewayTelemetry.layer, registryLayer)

const aboutOf = ({ alerts, providers, receipts }: Settings, startedAt: number): About => ({
  startedAt,
  keepReceiptsMs: receipts.keepMs,
  isDemo: providers.length > 0 && providers.every(({ vendor }) => vendor === "demo"),
  alerts: alerts.length
})

/** Limits that the configuration sets for services which have defaults of their own. */
const limits = ({ idempotency, responses, server, store }: Settings) =>
  Layer.mergeAll(
    Layer.succeed(AbandonedRule, store.abandoned),
    Layer.succeed(ResponseSettings, responses),
    Layer.succeed(IdempotencyQuota, idempotency),
    Layer.succeed(AnswerSizes, server.answerSizes)
  )

/** The five services that an embedder may replace. */
export type Ports = RateLimiter | SpendLedger | KeyStore | Router | ProviderPool

/** What lies below them, and what the endpoints of administrators read. */
export type Foundation = Classifier | Fleet | FleetInForce | Transport | Repositories

/** The gateway over services that are given, without a port. `configuration`: how another one takes over. */
const handling = <A, E, R>(
  settings: Settings,
  configuration: Layer.Layer<A, E, R>,
  issuers = () => settings.issuers ?? []
) =>
  Layer.unwrap(
    Effect.map(Clock.currentTimeMillis, (startedAt) =>
      handler(settings, issuers).pipe(
        Layer.provide([telemetry, Layer.succeed(About, aboutOf(settings, startedAt))]),
        Layer.provideMerge(
          Layer.merge(configuration, Layer.provide(Alerts.layer(settings.alerts), HttpWebhookSender.layer))
        ),
        Layer.provideMerge(openCore),
        Layer.provide([limits(settings), Layer.sync(CatalogueState, () => new CatalogueStates())])
      )
    )
  )

/** `providers`: those in force, which a reload changes. */
const defaultsFor = (settings: Settings, providers: () => Settings["providers"]) =>
  rules.pipe(
    Layer.provideMerge(Layer.mergeAll(fleet(settings), Transports.layer(providers), store(settings))),
    Layer.provide(limits(settings))
  )

/** `GatewayHandler.handle` for a server of your own; drains when the scope closes. Needs the services of `layerOpen`. */
export const handlerOpen = (
  settings: Settings
): Layer.Layer<GatewayHandler | Gateway | ReceiptEvents, never, Ports | Foundation> => handling(settings, Layer.empty)

/**
 * A gateway that listens until the scope closes, then drains. `RateLimiter`, `SpendLedger`, `KeyStore`, `Router` and
 * `ProviderPool` are given, by Layers of your own or by `defaults`.
 */
export const layerOpen = (
  settings: Settings
): Layer.Layer<HttpServer | Gateway | ReceiptEvents, CannotListen, Ports | Foundation> =>
  Layer.provideMerge(HttpServer.layer(settings.server), handlerOpen(settings))

/** The five services as the product has them, over the store, the providers and the deployments of the settings. */
export const defaults = (settings: Settings): Layer.Layer<Ports | Foundation, DefaultsError> =>
  defaultsFor(settings, () => settings.providers)

/** The store can't be opened, or the file of the classifier's model can't be used. */
export type DefaultsError = StoreOpenError | StoreUnavailable | ModelFileInvalid

/** A gateway that listens until the scope closes, then drains. */
export const layer = (
  settings: Settings
): Layer.Layer<HttpServer | Gateway | ReceiptEvents | Ports | Foundation, CannotListen | DefaultsError> =>
  Layer.merge(unusedServices, Layer.provideMerge(layerOpen(settings), defaults(settings)))

/** A service that is provided to `layer` compiles, and nothing would say that it is not used. */
const unusedServices = Layer.effectDiscard(
  Effect.gen(function* () {
    const given = yield* Effect.all({
      KeyStore: Effect.serviceOption(KeyStore),
      ProviderPool: Effect.serviceOption(ProviderPool),
      RateLimiter: Effect.serviceOption(RateLimiter),
      Router: Effect.serviceOption(Router),
      SpendLedger: Effect.serviceOption(SpendLedger)
    })
    const names = Object.entries(given).flatMap(([name, service]) => (service._tag === "Some" ? [name] : []))
    if (names.length === 0) return
    yield* Effect.logWarning(
      `${names.join(", ")} of your own: layer(settings) does not use it. Use layerOpen(settings).pipe(Layer.provide(yours), Layer.provide(defaults(settings))).`
    )
  })
)

/** The same, able to take over another configuration. `load`: where that comes from, if from anywhere. */
export const reloadable = (settings: Settings, load?: Reload.Load, file?: Reload.Show) => {
  let { issuers = [], providers } = settings
  const applied = (next: Settings) => void ({ issuers = [], providers } = next)
  const configuration = load === undefined ? Layer.empty : Reload.layer(settings, load, applied, file)
  return HttpServer.layer(settings.server).pipe(
    Layer.provideMerge(handling(settings, configuration, () => issuers)),
    Layer.provideMerge(defaultsFor(settings, () => providers))
  )
}
