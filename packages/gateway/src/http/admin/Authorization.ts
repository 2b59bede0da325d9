/** Every handler under `/admin` requires the master key, so no spelling of a path gets around it. */
import { MasterKeyAuthorization } from "@model-gateway/protocol"
import { Clock, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { failed } from "../Answer.ts"
import { AuthThrottle } from "../AuthThrottle.ts"
import { MasterKey, refusalOf } from "../MasterKey.ts"
import { routerRequest } from "../node/RouterRequest.ts"
import { credentialOf } from "../proxy/Credentials.ts"

export const authorizationLayer = Layer.effect(
  MasterKeyAuthorization,
  Effect.gen(function* () {
    const master = yield* MasterKey
    const throttle = yield* AuthThrottle
    return {
      master_key: Effect.fnUntraced(function* (handler, { credential }) {
        // These answers contain secrets and change often: no cache may keep them.
        if (master.matches(Redacted.value(credential))) return yield* Effect.map(handler, unkept)
        // Virtual keys may also come in other headers. A caller that sends one here has mixed up the two kinds and is told so.
        const request = yield* HttpServerRequest.HttpServerRequest
        const incoming = routerRequest(request)
        const refusal = refusalOf(credentialOf(incoming.headers))
        return yield* failed(throttle.judge(incoming, refusal, yield* Clock.currentTimeMillis))
      })
    }
  })
)

const unkept = HttpServerResponse.setHeader("cache-control", "no-store")
