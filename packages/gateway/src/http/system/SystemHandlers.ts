/** `/healthz`, `/readyz`, `/metrics`, `/openapi.json`. */
import { ServedApi, openApiJson } from "@model-gateway/protocol"
import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeMetricsHandler } from "./MetricsHandler.ts"
import { Draining, StoreUnavailable } from "../../core/domain/Errors.ts"
import { StoreHealth } from "../../core/domain/StoreHealth.ts"
import { Readiness } from "../shared/Readiness.ts"
import { wireError } from "../errors/WireError.ts"
import { rfc3339 } from "../errors/WireFormat.ts"

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

// `/readyz`: whether the gateway takes new work, and if not, why. It calls no model and touches no disk. `?exclude=store` ignores the
// store: behind a load balancer, callers then get the gateway's own `503 store_unavailable` while the store is away.
const makeReadyHandler = Effect.gen(function* () {
  const readiness = yield* Readiness
  const store = yield* StoreHealth

  /** All problems, the gravest first. The store's message is only logged, as it may contain paths of the machine; its reason is a word. */
  const failing = (excluded: "store" | undefined) => {
    const draining = readiness.stoppingSince()
    const trouble = excluded === "store" ? undefined : store.trouble()
    return [
      ...(draining === undefined ? [] : [{ check: "draining", since: draining, error: new Draining() }]),
      ...(trouble === undefined
        ? []
        : [
            {
              check: "store",
              since: trouble.since,
              reason: trouble.reason,
              error: new StoreUnavailable({ message: trouble.message })
            }
          ])
    ]
  }

  const ready = Effect.fnUntraced(function* ({
    query
  }: {
    readonly query: { readonly exclude?: "store" | undefined }
  }) {
    const now = yield* Clock.currentTimeMillis
    const found = failing(query.exclude)
    const [gravest] = found
    if (gravest === undefined) return { status: "ready" as const }
    const { body, headers, status } = wireError(gravest.error, now)
    const checks = found.map(({ error: _, since, ...check }) => ({ ...check, since: rfc3339(since) }))
    return HttpServerResponse.jsonUnsafe({ ...body, failing: checks }, { status, headers })
  })
  return { ready }
})
