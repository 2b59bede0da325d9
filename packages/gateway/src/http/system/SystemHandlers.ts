/** `/healthz`, `/readyz`, `/metrics`, `/openapi.json`. */
import { openApiJson, ServedApi } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeMetricsHandler } from "./MetricsHandler.ts"
import { makeReadyHandler } from "./Ready.ts"

export const systemHandlers = HttpApiBuilder.group(
  ServedApi,
  "system",
  Effect.fnUntraced(function* (handlers) {
    const { ready } = yield* makeReadyHandler
    const { metrics } = yield* makeMetricsHandler
    // Made on first request: it takes longer than the rest of the start.
    const openApi = yield* Effect.cached(Effect.sync(() => Buffer.from(openApiJson())))

    return handlers
      .handle("getHealth", () => Effect.succeed({ status: "ok" as const }))
      .handle("getReadiness", ready)
      .handle("getMetrics", () => metrics)
      .handle("getOpenApi", () =>
        Effect.map(openApi, (bytes) => HttpServerResponse.uint8Array(bytes, { contentType: "application/json" }))
      )
  })
)
