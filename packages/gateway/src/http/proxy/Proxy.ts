/** Handles path, key, draining, request id, errors and the end of every response, with or without a socket. */
import { Metrics } from "@model-gateway/protocol"
import { Cause, Clock, Effect, Exit, type Fiber, Result, type Scope } from "effect"
import { together } from "../../core/collections/Together.ts"
import { Draining } from "../../core/domain/Errors.ts"
import { Refusals } from "../../core/receipts/Refusals.ts"
import { Telemetry } from "../../core/domain/Telemetry.ts"
import { AuthThrottle } from "../shared/AuthThrottle.ts"
import { errorName } from "../errors/ErrorName.ts"
import { errorsFor } from "../errors/AnthropicErrorShape.ts"
import { InternalFault } from "../errors/RequestErrors.ts"
import { refusedMethod } from "../routing/NotServed.ts"
import { Readiness } from "../shared/Readiness.ts"
import { unknownInApi } from "../routing/UnknownPaths.ts"
import { type EndpointError, wireError } from "../errors/WireError.ts"
import { type Admission, makeAdmission } from "./Admission.ts"
import { replyEarly } from "./EarlyHead.ts"
import type { Endpoint, EndpointOptions, WireAnswer, HttpRequest } from "../routing/Endpoint.ts"
import { makeEndpoints } from "./Endpoints.ts"
import { replyError, replyMethods, replyWhole } from "./Reply.ts"
import { replyStream } from "./ReplyStream.ts"
import { type RouteMatch, Routes } from "../routing/Routes.ts"
import { refusedOf } from "./Refused.ts"
import { Running } from "./RunningRequests.ts"
import type { WireReply } from "../routing/WireReply.ts"

/** A request that is being answered. */
export type RunningRequest = Fiber.Fiber<void, EndpointError>

export interface Proxy {
  /** The caller that a request with these headers has. */
  readonly admit: Admission
  /** Undefined: the path is not the API's. */
  readonly match: (method: string, target: string) => RouteMatch | undefined
  /** Answers in a new fiber. When the fiber is done, the response has ended or was broken off. */
  readonly serve: (match: RouteMatch, request: HttpRequest, reply: WireReply) => RunningRequest
  /** The client disconnected before its response was complete. False: the request ends too. */
  readonly left: (request: HttpRequest, answering: RunningRequest) => boolean
  /** Requests that are running. */
  readonly count: Effect.Effect<number>
  /** Completes when no request is running. */
  readonly drained: Effect.Effect<void>
  /** Ends the running requests and settles them. */
  readonly interrupt: Effect.Effect<void>
}

export const makeProxy = Effect.fnUntraced(function* (options: EndpointOptions, others: ReadonlyArray<Endpoint> = []) {
  const throttle = yield* AuthThrottle
  const readiness = yield* Readiness
  const clock = yield* Clock.Clock
  const telemetry = yield* Telemetry
  const refusals = yield* Refusals
  const admit = yield* makeAdmission
  const routes = new Routes([...(yield* makeEndpoints(options, admit)), ...others])

  const answer = (
    match: RouteMatch,
    request: HttpRequest,
    reply: WireReply
  ): Effect.Effect<void, EndpointError, Scope.Scope> => {
    if ("endpoint" in match) {
      request.checkedAt = clock.currentTimeMillisUnsafe()
      return Effect.flatMap(admit(request), (caller) => {
        request.key = caller.key
        return Effect.flatMap(match.endpoint.handle(request, caller), (answered) => written(request, reply, answered))
      })
    }
    const { echoedId, method, target } = request
    const admitted = Effect.map(admit(request), ({ key }) => (request.key = key))
    // Nobody needs a key to read that a path is wrong.
    if ("failure" in match) return Effect.andThen(Effect.ignore(admitted), Effect.fail(match.failure))
    if (method === "OPTIONS") return Effect.sync(() => replyMethods(reply, echoedId, match.methods))
    return Effect.andThen(admitted, Effect.fail(refusedMethod(method, target, match.methods)))
  }

  const written = (
    { echoedId, method }: HttpRequest,
    reply: WireReply,
    answer: WireAnswer
  ): Effect.Effect<void, EndpointError, Scope.Scope> => {
    if (answer.kind === "stream") return replyStream(reply, echoedId, answer)
    if (answer.kind === "early") return replyEarly(reply, method, echoedId, answer)
    const whole = replyWhole(reply, method, echoedId, answer)
    return answer.kind === "json" && answer.after !== undefined ? Effect.andThen(whole, answer.after) : whole
  }

  const refuse = (failure: EndpointError, match: RouteMatch, request: HttpRequest, reply: WireReply): void => {
    const now = clock.currentTimeMillisUnsafe()
    const { headers, remoteAddress } = request
    const error = throttle.judge({ headers, socket: { remoteAddress } }, failure, now)
    const wire = wireError(error, now)
    telemetry.count(Metrics.errors, { class: errorName(error), status: String(wire.status) })
    if (!request.departure.hasReceipt) refusals.add(refusedOf(error, wire, match, request, now))
    replyError(reply, request.method, request.echoedId, error, now)
  }

  /** Ends a call, successful or not: every response must be sent and visibly end. */
  const finish = (
    exit: Exit.Exit<void, EndpointError>,
    match: RouteMatch,
    request: HttpRequest,
    reply: WireReply
  ): void => {
    if (Exit.isFailure(exit)) {
      const failure = Cause.findError(exit.cause)
      if (Result.isSuccess(failure)) refuse(failure.success, match, request, reply)
      else if (!Cause.hasInterruptsOnly(failure.failure)) {
        log(failure.failure, request.requestId)
        refuse(new InternalFault(), match, request, reply)
      }
      // The shutdown cut it off, not the caller.
      else if (readiness.isDraining()) refuse(new Draining(), match, request, reply)
    }
    if (!reply.isEnded) reply.destroy()
  }

  const running = yield* Running.make<void, EndpointError>()
  /** Requests that still run after their callers left. */
  const endings = yield* Running.make<void, never>()
  const runLog = Effect.runForkWith(yield* Effect.context())
  const log = (fault: unknown, requestId: string) =>
    runLog(Effect.annotateLogs(Effect.logError("request failed", fault), { request_id: requestId }))

  const proxy: Proxy = {
    admit,
    match: (method, target) => {
      const found = routes.match(method, target)
      if (found !== undefined) return found
      const failure = unknownInApi(method, target)
      return failure === undefined ? undefined : { failure }
    },
    serve: (match, request, reply) => {
      const errors = "endpoint" in match ? match.endpoint.errors : errorsFor
      if (errors !== undefined) reply.errors = typeof errors === "function" ? errors(request) : errors
      // Afterwards Node has read what came with the head: a small body is complete.
      const answering = Effect.scoped(Effect.flatMap(together, () => answer(match, request, reply)))
      return running.run(answering, (exit) => {
        request.held?.free()
        // An exception here would leave the response open.
        try {
          finish(exit, match, request, reply)
        } catch (error) {
          log(error, request.requestId)
          reply.destroy()
        }
      })
    },
    left: ({ departure }, answering) => {
      const later = departure.leave(() => answering.interruptUnsafe())
      if (later === undefined) return false
      const ending = endings.run(later)
      answering.addObserver(() => ending.interruptUnsafe())
      return true
    },
    count: running.count,
    drained: running.ended,
    interrupt: running.interrupt
  }
  return proxy
})
