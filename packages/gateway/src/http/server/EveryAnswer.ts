/** What every response behind the proxy has in common, including those for unknown paths. */
import { Api } from "@model-gateway/protocol"
import { Cause, Clock, Effect } from "effect"
import { FindMyWay, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi } from "effect/http-api"
import { errorsFor } from "../errors/AnthropicErrorShape.ts"
import { failed, failedAs } from "../shared/Answer.ts"
import { InternalFault, MethodNotAllowed, type UnknownPath } from "../errors/RequestErrors.ts"
import { echoedRequestId, newRequestId } from "../shared/RequestId.ts"
import { pagePaths } from "../system/pages/Pages.ts"
import { unknownPath } from "../routing/UnknownPaths.ts"

/** Every response has the request's id, and every error the same kind of body. */
export const everyAnswer = HttpRouter.middleware(
  (handler) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const id = newRequestId(yield* Clock.currentTimeMillis)
      const echoedId = echoedRequestId(request.headers["x-request-id"]) ?? id
      // A client that hung up gets no response.
      const answer = yield* Effect.catchCauseIf(
        handler,
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => answerTo(cause, request, id, echoedId)
      )
      return HttpServerResponse.setHeader(answer, "x-request-id", echoedId)
    }),
  { global: true }
)

const answerTo = (
  cause: Cause.Cause<unknown>,
  request: HttpServerRequest.HttpServerRequest,
  id: string,
  echoedId: string
) => {
  const error = Cause.squash(cause)
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound")
    return failedAs(unmatched(request), errorsFor({ headers: request.headers, target: request.url }), echoedId)
  // Logged under the gateway's id: the caller's may be anything.
  const logged = Effect.annotateLogs(Effect.logError("request failed", cause), { request_id: id })
  return Effect.andThen(logged, failed(new InternalFault()))
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

/** The longest id in a path is that of an end user: 256 bytes, percent-encoded. */
export const routerConfig = { maxParamLength: 768 }

const known = FindMyWay.make<true>(routerConfig)
for (const path of pagePaths) known.on("GET", path, true)
HttpApi.reflect(Api, {
  onGroup: () => {},
  // The proxy alone knows Google's methods, which follow a parameter.
  onEndpoint: ({ endpoint }) =>
    /:\w+:/.test(endpoint.path) || known.on(endpoint.method, endpoint.path as `/${string}`, true)
})

/** Matches paths as the router does: ignoring case, doubled slashes and percent-encoding. */
const unmatched = ({ method, url }: HttpServerRequest.HttpServerRequest): UnknownPath | MethodNotAllowed => {
  const path = url.replace(/[?#].*$/s, "")
  const found = methods.filter((one) => known.find(one, url) !== undefined)
  const allow = found.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one]))
  return allow.length === 0 || allow.includes(method)
    ? unknownPath(method, url)
    : new MethodNotAllowed({ method, path, allow })
}
