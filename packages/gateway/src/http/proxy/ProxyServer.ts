/**
 * The hot way in: `/v1` calls go from the `node:http` request event into one fiber each, over a context that is built once. What
 * is not a proxy endpoint is handed to `fallback`, the router of admin and system endpoints.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Cause, Clock, Effect, Exit, FiberSet, Result, type Scope } from "effect"
import { looksLikeVirtualKey } from "../../core/keys/Credential.ts"
import { Departure } from "../../core/call/Departure.ts"
import { Draining, Unauthorized } from "../../core/domain/Errors.ts"
import type { Caller } from "../../core/keys/Caller.ts"
import { KeyStore } from "../../core/keys/KeyStore.ts"
import { Telemetry } from "../../core/domain/Telemetry.ts"
import { AuthThrottle } from "../AuthThrottle.ts"
import { errorName } from "../ErrorName.ts"
import { InternalFault, MethodNotAllowed, WrongKeyKind } from "../HttpErrors.ts"
import { MasterKey } from "../MasterKey.ts"
import { Readiness } from "../Readiness.ts"
import { echoedRequestId, newRequestId } from "../RequestId.ts"
import { type GatewayError, wireError } from "../WireError.ts"
import { makeChatHandler } from "./ChatHandler.ts"
import { credentialOf } from "./Credentials.ts"
import { makeFeedbackHandler } from "./FeedbackHandler.ts"
import { makeKeyHandler } from "./KeyHandler.ts"
import { makeModelsHandlers } from "./ModelsHandler.ts"
import { makeReceiptHandler } from "./ReceiptHandler.ts"
import { replyError, replyJson } from "./Reply.ts"
import { matchRoute, type RouteMatch } from "./Route.ts"

export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** The request listener of the whole server. `drained` completes when no proxy call runs; `interrupt` ends those that do, settled. */
export const makeProxy = Effect.fnUntraced(function* (options: {
  readonly maxBodyBytes: number
  readonly stalledClientMs: number
  readonly earlyKeepaliveMs: number | undefined
  readonly fallback: Listener
}) {
  const keys = yield* KeyStore
  const master = yield* MasterKey
  const throttle = yield* AuthThrottle
  const readiness = yield* Readiness
  const clock = yield* Clock.Clock
  const telemetry = yield* Telemetry
  const chat = yield* makeChatHandler(options)
  const key = yield* makeKeyHandler
  const models = yield* makeModelsHandlers
  const receipt = yield* makeReceiptHandler
  const feedback = yield* makeFeedbackHandler

  const authenticate = (request: IncomingMessage): Effect.Effect<Caller, GatewayError> => {
    const credential = credentialOf(request.headers)
    if (credential === undefined) return Effect.fail(new Unauthorized({ code: "missing_api_key" }))
    if (!looksLikeVirtualKey(credential) && master.matches(credential)) {
      return Effect.fail(new WrongKeyKind({ expected: "virtual" }))
    }
    return keys.authenticate(credential)
  }

  const stillWelcome = (request: IncomingMessage): Effect.Effect<Caller, GatewayError> =>
    Effect.suspend(() => (readiness.isDraining() ? Effect.fail(new Draining()) : authenticate(request)))

  const answer = Effect.fnUntraced(function* (
    match: NonNullable<RouteMatch>,
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    echoedId: string,
    departure: Departure
  ): Effect.fn.Return<void, GatewayError, Scope.Scope> {
    if (readiness.isDraining()) return yield* new Draining()
    const caller = yield* authenticate(request)
    if ("methods" in match) {
      const { method = "", url = "" } = request
      return yield* new MethodNotAllowed({ method, path: url, allow: match.methods })
    }
    const headers = { "x-request-id": echoedId }
    switch (match.route.endpoint) {
      case "chat":
        return yield* chat({
          request,
          response,
          requestId,
          echoedId,
          departure,
          keyId: caller.key.id,
          caller: stillWelcome(request)
        })
      case "models":
        return replyJson(response, 200, headers, yield* models.list(caller))
      case "model":
        return replyJson(response, 200, headers, yield* models.get(caller, match.route.id))
      case "key":
        return replyJson(response, 200, headers, yield* key(caller))
      case "receipt":
        return replyJson(response, 200, headers, yield* receipt(caller, match.route.id))
      case "feedback":
        return replyJson(response, 200, headers, yield* feedback(request, caller, match.route.id))
    }
  })

  /** The end of a call, well or not: no answer may be missing, or look as if it went on. */
  const finish = (
    exit: Exit.Exit<void, GatewayError>,
    response: ServerResponse,
    requestId: string,
    echoedId: string
  ) => {
    if (Exit.isFailure(exit)) {
      const now = clock.currentTimeMillisUnsafe()
      const reply = (failure: GatewayError) => {
        const error = throttle.judge(response.req, failure, now)
        telemetry.refused(errorName(error), wireError(error, 0).status)
        replyError(response, echoedId, error, now)
      }
      const failure = Cause.findError(exit.cause)
      if (Result.isSuccess(failure)) reply(failure.success)
      else if (!Cause.hasInterruptsOnly(failure.failure)) {
        log(failure.failure, requestId)
        reply(new InternalFault())
      }
      // Cut off by the shutdown, not by the caller.
      else if (readiness.isDraining()) reply(new Draining())
    }
    if (!response.writableEnded) response.destroy()
  }

  const running = yield* FiberSet.make<void, GatewayError>()
  const run = yield* FiberSet.runtime(running)()
  /** Ends of requests whose callers left and that go on for a while. */
  const endings = yield* FiberSet.make()
  const runEnding = yield* FiberSet.runtime(endings)()
  const runLog = Effect.runForkWith(yield* Effect.context())
  const log = (fault: unknown, requestId: string) =>
    runLog(Effect.annotateLogs(Effect.logError("request failed", fault), { request_id: requestId }))
  const listener: Listener = (request, response) => {
    const match = matchRoute(request.method ?? "GET", request.url ?? "/")
    if (match === undefined) return options.fallback(request, response)
    const requestId = newRequestId(clock.currentTimeMillisUnsafe())
    const echoedId = echoedRequestId(request.headers["x-request-id"]) ?? requestId
    const departure = new Departure()
    const fiber = run(Effect.scoped(answer(match, request, response, requestId, echoedId, departure)))
    fiber.addObserver((exit) => {
      // Nobody waits for this: what is thrown here would end the process.
      try {
        finish(exit, response, requestId, echoedId)
      } catch (error) {
        log(error, requestId)
        response.destroy()
      }
    })
    response.once("close", () => {
      if (response.writableFinished) return
      const later = departure.leave(() => fiber.interruptUnsafe())
      if (later === undefined) return
      const ending = runEnding(later)
      fiber.addObserver(() => ending.interruptUnsafe())
    })
  }
  return { listener, drained: FiberSet.awaitEmpty(running), interrupt: FiberSet.clear(running) }
})
