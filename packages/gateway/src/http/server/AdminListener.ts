/** `/admin`, the system endpoints and the dashboard, as what answers behind the proxy. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { metricsAccessOf, type Settings } from "../../core/domain/Settings.ts"
import { SystemAndAdmin } from "./SystemAndAdmin.ts"
import { MetricsAccess } from "../system/MetricsHandler.ts"
import { uiPages } from "../system/pages/Ui.ts"
import { routerConfig } from "./EveryAnswer.ts"

export const systemAndAdmin = Effect.fnUntraced(function* (settings: Settings["server"]) {
  const scope = yield* Effect.scope
  const router = yield* HttpRouter.toHttpEffect(
    Layer.provide(SystemAndAdmin, [Layer.succeed(MetricsAccess, metricsAccessOf(settings)), uiPages(settings)])
  ).pipe(Effect.provideService(HttpRouter.RouterConfig, routerConfig))
  return yield* NodeHttpServer.makeHandler(router, { scope })
})
