/** Everything behind the proxy: `/admin`, the system endpoints, and unknown paths. */
import { ServedApi } from "@model-gateway/protocol"
import { Layer } from "effect"
import { HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { authorizationLayer } from "../admin/access/Authorization.ts"
import { auditHandlers } from "../admin/access/AuditHandlers.ts"
import { budgetHandlers } from "../admin/reports/BudgetHandlers.ts"
import { cacheHandlers } from "../admin/CacheHandlers.ts"
import { configHandlers } from "../admin/ConfigHandlers.ts"
import { guardrailHandlers } from "../admin/GuardrailHandlers.ts"
import { deploymentHandlers } from "../admin/DeploymentHandlers.ts"
import { deviceHandlers, oauthHandlers } from "../admin/access/DeviceHandlers.ts"
import { endUserHandlers } from "../admin/EndUserHandlers.ts"
import { meHandlers, memberHandlers, tokenHandlers, userHandlers } from "../admin/access/IdentityHandlers.ts"
import { infoHandlers } from "../admin/InfoHandlers.ts"
import { invalidParametersLayer } from "../admin/InvalidParameters.ts"
import { keyHandlers } from "../admin/KeyHandlers.ts"
import { nodeHandlers } from "../admin/NodeHandlers.ts"
import { overviewHandlers } from "../admin/reports/OverviewHandlers.ts"
import { requestHandlers } from "../admin/requests/RequestHandlers.ts"
import { routingHandlers } from "../admin/RoutingHandlers.ts"
import { sessionHandlers, signInHandlers } from "../admin/access/SessionHandlers.ts"
import { providerSignInHandlers } from "../admin/access/SignInHandlers.ts"
import { spendHandlers } from "../admin/reports/SpendHandlers.ts"
import { teamHandlers } from "../admin/TeamHandlers.ts"
import { trafficHandlers } from "../admin/reports/TrafficHandlers.ts"
import { everyAnswer } from "./EveryAnswer.ts"
import { pagesLayer } from "../system/pages/Pages.ts"
import { systemHandlers } from "../system/SystemHandlers.ts"

const handlers = Layer.mergeAll(
  keyHandlers,
  teamHandlers,
  endUserHandlers,
  budgetHandlers,
  deploymentHandlers,
  overviewHandlers,
  spendHandlers,
  trafficHandlers,
  requestHandlers,
  routingHandlers,
  configHandlers,
  guardrailHandlers,
  infoHandlers,
  nodeHandlers,
  cacheHandlers,
  auditHandlers,
  sessionHandlers,
  signInHandlers,
  providerSignInHandlers,
  meHandlers,
  userHandlers,
  memberHandlers,
  tokenHandlers,
  oauthHandlers,
  deviceHandlers,
  systemHandlers
).pipe(Layer.provide([authorizationLayer, invalidParametersLayer]))

/** For `HttpRouter.toHttpEffect`. No endpoint here reads or serves files, so no platform's file services are needed. */
export const SystemAndAdmin = Layer.mergeAll(HttpApiBuilder.layer(ServedApi), pagesLayer, everyAnswer).pipe(
  Layer.provide(handlers),
  Layer.provide(HttpServer.layerServices)
)
