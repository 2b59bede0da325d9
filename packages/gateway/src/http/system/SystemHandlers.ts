/** `/healthz`, `/readyz`, `/openapi.json`. */
import { openApiJson, ServedApi } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Draining } from "../../core/Errors.ts"
import { answering } from "../Answer.ts"
import { Readiness } from "../Readiness.ts"

export const systemHandlers = HttpApiBuilder.group(
  ServedApi,
  "system",
  Effect.fnUntraced(function* (handlers) {
    const readiness = yield* Readiness
    // Made when it is first asked for: it takes longer than the rest of the start.
    const openApi = yield* Effect.cached(Effect.sync(openApiJson))

    return handlers
      .handle("getHealth", () => Effect.succeed({ status: "ok" as const }))
      .handle("getReadiness", () =>
        answering(readiness.isDraining() ? Effect.fail(new Draining()) : Effect.succeed({ status: "ready" as const }))
      )
      .handle("getOpenApi", () =>
        Effect.map(openApi, (text) => HttpServerResponse.text(text, { contentType: "application/json" }))
      )
  })
)
