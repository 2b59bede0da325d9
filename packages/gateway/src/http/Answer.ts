/** Turns failures of handlers into answers of the router. */
import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { type GatewayError, wireError } from "./WireError.ts"

/** The answer to an error; every endpoint uses the same one. */
export const failed = (error: GatewayError): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const { body, headers, status } = wireError(error, now)
    return HttpServerResponse.jsonUnsafe(body, { status, headers })
  })

/** The result of a handler that may fail with an error of the rules. */
export const answering = <A, R>(
  effect: Effect.Effect<A, GatewayError, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> => effect.pipe(Effect.catch(failed))
