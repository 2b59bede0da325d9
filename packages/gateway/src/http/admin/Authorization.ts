/** The master key, asked for by every handler under `/admin`: whatever way a path is spelled, it can't be got around. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { MasterKeyAuthorization } from "@model-gateway/protocol"
import { Effect, Layer, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { failed } from "../Answer.ts"
import { MasterKey, refusalOf } from "../MasterKey.ts"
import { credentialOf } from "../proxy/Credentials.ts"

export const authorizationLayer = Layer.effect(
  MasterKeyAuthorization,
  Effect.gen(function* () {
    const master = yield* MasterKey
    return {
      master_key: Effect.fnUntraced(function* (handler, { credential }) {
        // What is told here holds secrets and changes: no cache on the way may keep it.
        if (master.matches(Redacted.value(credential))) return yield* Effect.map(handler, unkept)
        // Virtual keys come in more headers than this one; whoever sends one has mixed up the two, and is told so.
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* failed(refusalOf(credentialOf(NodeHttpServerRequest.toIncomingMessage(request).headers)))
      })
    }
  })
)

const unkept = HttpServerResponse.setHeader("cache-control", "no-store")
