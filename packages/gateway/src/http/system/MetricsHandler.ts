/** `/metrics` for Prometheus. The configuration says who may read it. */
import { Clock, Context, Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { MetricsAccess as Access } from "../../core/domain/Settings.ts"
import { Telemetry } from "../../core/domain/Telemetry.ts"
import { looksLikeServiceToken, Principals } from "../../core/admin/Principals.ts"
import { Unauthorized } from "../../core/domain/Errors.ts"
import { failed } from "../shared/Answer.ts"
import { AuthThrottle } from "../shared/AuthThrottle.ts"
import { UnknownPath } from "../errors/RequestErrors.ts"
import { MasterKey, refusalOf } from "../shared/MasterKey.ts"
import { routerRequest } from "../node/RouterRequest.ts"
import { credentialOf } from "../proxy/Credentials.ts"

export const MetricsAccess = Context.Reference<Access>("gateway/http/MetricsAccess", { defaultValue: () => "public" })

/** For how long they are given again: far less than the time between two scrapes. */
const KEPT = "1 second"

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

export const makeMetricsHandler = Effect.gen(function* () {
  const access = yield* MetricsAccess
  const master = yield* MasterKey
  const principals = yield* Principals
  const throttle = yield* AuthThrottle
  const telemetry = yield* Telemetry
  // Anybody may ask where they are public, and making them takes milliseconds.
  const bytes = yield* Effect.cachedWithTTL(
    Effect.sync(() => Buffer.from(telemetry.prometheus())),
    KEPT
  )
  const answer = Effect.map(bytes, (text) =>
    HttpServerResponse.uint8Array(text, { contentType: CONTENT_TYPE, headers: { "cache-control": "no-store" } })
  )
  const guarded = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (access === "off") return yield* failed(new UnknownPath({ method: request.method, path: "/metrics" }))
    const incoming = routerRequest(request)
    const presented = credentialOf(incoming.headers)
    if (presented !== undefined && master.matches(presented)) return yield* answer
    if (presented !== undefined && looksLikeServiceToken(presented)) {
      const token = yield* Effect.result(principals.ofToken(presented, ""))
      if (token._tag === "Failure") return yield* failed(token.failure)
      // Roles in teams see no figures of the whole gateway.
      if (Option.exists(token.success, ({ role }) => role !== null)) return yield* answer
      const refusal = new Unauthorized({ code: "invalid_service_token" })
      return yield* failed(throttle.judge(incoming, refusal, yield* Clock.currentTimeMillis))
    }
    return yield* failed(throttle.judge(incoming, refusalOf(presented), yield* Clock.currentTimeMillis))
  })
  return { metrics: access === "public" ? answer : guarded }
})
