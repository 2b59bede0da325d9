/** The master key, asked for by every handler under `/admin`: whatever way a path is spelled, it can't be got around. */
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
        // What is told here holds secrets and changes: no cache on the way may keep it.
        if (master.matches(Redacted.value(credential))) return yield* Effect.map(handler, unkept)
        // Virtual keys come in more headers than this one; whoever sends one has mixed up the two, and is told so.
        const request = yield* HttpServerRequest.HttpServerRequest
        const incoming = routerRequest(request)
        const refusal = refusalOf(credentialOf(incoming.headers))
        return yield* failed(throttle.judge(incoming, refusal, yield* Clock.currentTimeMillis))
      })
    }
  })
)

const unkept = HttpServerResponse.setHeader("cache-control", "no-store")
