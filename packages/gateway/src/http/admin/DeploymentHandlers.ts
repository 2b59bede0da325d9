/** `/admin/deployments`. */
import { DeploymentSelection, ServedApi } from "@model-gateway/protocol"
import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { type DeploymentStatus, ProviderPool } from "../../core/pool/ProviderPool.ts"
import { Router } from "../../core/routing/Router.ts"
import { answering } from "../Answer.ts"
import { wireDeployment } from "./DeploymentRecords.ts"
import { bodyReader } from "./RequestBody.ts"

const readSelection = bodyReader(DeploymentSelection)

export const deploymentHandlers = HttpApiBuilder.group(
  ServedApi,
  "deployments",
  Effect.fnUntraced(function* (handlers) {
    const pool = yield* ProviderPool
    const router = yield* Router

    const shown = (deployments: ReadonlyArray<DeploymentStatus>) =>
      Effect.map(Clock.currentTimeMillis, (now) => ({
        object: "list" as const,
        data: deployments.map((one) => wireDeployment(one, router.bucketsOf(one.deployment.id), now))
      }))

    const rotate = (inRotation: boolean) => (options: { readonly request: HttpServerRequest.HttpServerRequest }) =>
      readSelection(options.request).pipe(
        Effect.flatMap(({ deployment, deployments = [] }) =>
          pool.setRotation(deployment === undefined ? [...new Set(deployments)] : [deployment], inRotation)
        ),
        Effect.flatMap(shown),
        answering
      )

    return handlers
      .handle("listDeployments", () => Effect.flatMap(pool.status, shown))
      .handleRaw("disableDeployments", rotate(false))
      .handleRaw("enableDeployments", rotate(true))
  })
)
