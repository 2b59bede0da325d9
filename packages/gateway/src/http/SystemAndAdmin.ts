/** Everything behind the proxy: unknown paths. */
import { Clock, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { UnknownPath } from "./HttpErrors.ts"
import { wireError } from "./WireError.ts"

export const SystemAndAdmin = HttpRouter.add(
  "*",
  "/*",
  Effect.gen(function* () {
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    const { body, headers, status } = wireError(new UnknownPath({ method, path: url }), yield* Clock.currentTimeMillis)
    return yield* HttpServerResponse.json(body, { status, headers })
  })
)
