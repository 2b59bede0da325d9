/**
 * The composition root: settings in, a running gateway out. Read from the bottom: HTTP asks the rules, the rules ask providers and
 * the store.
 */
import { Clock, Effect, Layer } from "effect"
import * as Alerts from "./core/admin/Alerts.ts"
import { About } from "./core/domain/About.ts"
import type { Settings } from "./core/domain/Settings.ts"
import { AbandonedRule } from "./core/domain/AbandonedRule.ts"
import { IdempotencyQuota } from "./core/idempotency/Idempotency.ts"
import { ResponseSettings } from "./core/responses/ResponseSettings.ts"
import { AnswerSizes } from "./core/domain/AnswerSizes.ts"
import { CatalogueState, CatalogueStates } from "./core/domain/models/CatalogueState.ts"
import { AdminOrigin } from "./http/admin/access/AdminOrigin.ts"
import { AdminSessions } from "./core/admin/AdminSessions.ts"
import { SignInCodes } from "./core/admin/SignInCodes.ts"
import { AuthThrottle } from "./http/shared/AuthThrottle.ts"
import { systemAndAdmin } from "./http/server/AdminListener.ts"
import { HttpServer } from "./http/server/HttpServer.ts"
import { MasterKey } from "./http/shared/MasterKey.ts"
import { Readiness } from "./http/shared/Readiness.ts"
import * as WebhookSenderLive from "./providers/transport/HttpWebhookSender.ts"
import { Transports } from "./providers/pool/Transports.ts"
import { fleet, gatewayCore } from "./GatewayCore.ts"
import * as Reload from "./Reload.ts"
import type { StoreUnavailable } from "./core/domain/Errors.ts"
import type { StoreOpenError } from "./storage/records/OpenErrors.ts"
import type { Repositories } from "./storage/Repositories.ts"
import * as SqliteStore from "./storage/sqlite/file/SqliteStore.ts"
import { registryLayer } from "./telemetry/metrics/Meters.ts"
import * as TelemetryLive from "./telemetry/metrics/GatewayTelemetry.ts"

export const store = ({ receipts, store }: Settings): Layer.Layer<Repositories, StoreOpenError | StoreUnavailable> => {
  const { diskReserve, postgres, sqlite, synchronous } = store
  const keepReceiptsMs = receipts.keepMs
  if (postgres === undefined) return SqliteStore.layer({ filename: sqlite, synchronous, diskReserve, keepReceiptsMs })
  const load = Effect.promise(() => import("./storage/postgres/connection/PostgresStore.ts"))
  return Layer.unwrap(Effect.map(load, ({ layer }) => layer({ ...postgres, reserve: store.reserve, keepReceiptsMs })))
}

/** What `/admin` needs to know who asks. */
const doors = (settings: Settings) =>
  Layer.mergeAll(
    MasterKey.layer(settings.masterKey),
    AuthThrottle.layer(settings.server),
    AdminOrigin.layer(settings.server),
    AdminSessions.layer(settings.masterKey)
  )

const http = (settings: Settings) =>
  HttpServer.layer(settings.server, systemAndAdmin(settings.server)).pipe(
    Layer.provideMerge(Layer.merge(Readiness.layer, SignInCodes.layer)),
    Layer.provide(doors(settings))
  )

export const telemetry = Layer.provide(TelemetryLive.layer, registryLayer)

const aboutOf = ({ alerts, providers, receipts }: Settings, startedAt: number): About => ({
  startedAt,
  keepReceiptsMs: receipts.keepMs,
  isDemo: providers.length > 0 && providers.every(({ vendor }) => vendor === "demo"),
  alerts: alerts.length
})

/** A gateway that listens until the scope closes, then drains. `load`: where another configuration comes from, if from anywhere. */
export const layer = (settings: Settings, load?: Reload.Load, file?: Reload.Show) =>
  Layer.unwrap(
    Effect.map(Clock.currentTimeMillis, (startedAt) => {
      let { providers } = settings
      const applied = (next: Settings) => (providers = next.providers)
      const alerts = Alerts.layer(settings.alerts)
      const configuration = load === undefined ? Layer.empty : Reload.layer(settings, load, applied, file)
      return http(settings).pipe(
        Layer.provide([telemetry, Layer.succeed(About, aboutOf(settings, startedAt))]),
        Layer.provideMerge(Layer.merge(configuration, Layer.provide(alerts, WebhookSenderLive.layer))),
        Layer.provideMerge(gatewayCore),
        Layer.provide(
          Layer.mergeAll(
            fleet(settings),
            Transports.layer(() => providers),
            store(settings)
          )
        ),
        Layer.provide(Layer.succeed(AbandonedRule, settings.store.abandoned)),
        Layer.provide(Layer.succeed(ResponseSettings, settings.responses)),
        Layer.provide(Layer.succeed(IdempotencyQuota, settings.idempotency)),
        Layer.provide(Layer.succeed(AnswerSizes, settings.server.answerSizes)),
        Layer.provide(Layer.sync(CatalogueState, () => new CatalogueStates()))
      )
    })
  )
