/** Turns failures of handlers into answers of the router. */
import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { type ErrorShape, openAiErrors } from "../errors/ErrorShape.ts"
import { type EndpointError, wireError } from "../errors/WireError.ts"

/** The response to an error; every endpoint uses the same one. */
export const failed = (error: EndpointError): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  failedAs(error, openAiErrors, "")

/** The same in the shape that the client reads. */
export const failedAs = (
  error: EndpointError,
  errors: ErrorShape,
  requestId: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const wire = wireError(error, now)
    const headers = errors.idHeader === undefined ? wire.headers : { ...wire.headers, [errors.idHeader]: requestId }
    return HttpServerResponse.jsonUnsafe(errors.body(wire, requestId), {
      status: errors.status?.(wire) ?? wire.status,
      headers
    })
  })

/** The result of a handler that may fail with an error of the rules. */
export const answering = <A, R>(
  effect: Effect.Effect<A, EndpointError, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> => effect.pipe(Effect.catch(failed))
