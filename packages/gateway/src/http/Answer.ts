/** Failures of handlers as answers of the router. */
import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { type GatewayError, wireError } from "./WireError.ts"

/** The answer to an error, whatever its endpoint describes. */
export const failed = (error: GatewayError): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const { body, headers, status } = wireError(error, now)
    return HttpServerResponse.jsonUnsafe(body, { status, headers })
  })

/** What a handler gives back when it can fail in the ways of the rules. */
export const answering = <A, R>(
  effect: Effect.Effect<A, GatewayError, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> => effect.pipe(Effect.catch(failed))
