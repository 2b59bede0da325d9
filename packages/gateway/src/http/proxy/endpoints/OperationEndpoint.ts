/** The endpoint of an operation: reads the request and its options, calls the gateway, writes the response. */
import { cacheDirectives } from "@model-gateway/protocol"
import { Clock, Deferred, Effect, Result, type Scope } from "effect"
import type { Answer, CallInput } from "../../../core/call/CallInput.ts"
import { Gateway } from "../../../core/call/Gateway.ts"
import { InvalidField } from "../../../core/domain/Errors.ts"
import { nanoToDecimal, type NanoUsd } from "../../../core/domain/Money.ts"
import { Idempotency } from "../../../core/kept/Idempotency.ts"
import { SpendLedger } from "../../../core/ledger/SpendLedger.ts"
import type { Permit } from "../../../core/limits/Admitted.ts"
import { HeldBytes, type SharedCapacity, takeRoom } from "../../../core/limits/BytesInFlight.ts"
import { type Allowances, RateLimiter } from "../../../core/limits/RateLimiter.ts"
import type { CallRequest } from "../../../core/operations/CallRequest.ts"
import { withChoice } from "../../../core/operations/ReadChoice.ts"
import type { JsonBody, RequestBody } from "../../../core/operations/RequestBody.ts"
import type { BinaryAnswer } from "../../../core/operations/LiftedAnswer.ts"
import type { Operation } from "../../../core/operations/Operation.ts"
import type { RoutingMetadata } from "../../../core/operations/RoutingMetadata.ts"
import type { Preference } from "../../../core/routing/CutPoints.ts"
import type { Admission } from "../Admission.ts"
import { type ClientSession, clientSession, SESSION_ID } from "../ClientSession.ts"
import { allowanceHeaders, answerHeaders, servedBy } from "../AnswerHeaders.ts"
import type { EndpointError } from "../../errors/WireError.ts"
import type { Caller } from "../../../core/keys/Caller.ts"
import { EndUsers } from "../../../core/keys/EndUsers.ts"
import type {
  Endpoint,
  EndpointOptions,
  EventAnswer,
  JsonAnswer,
  RequestHeaders,
  WholeAnswer,
  WireAnswer,
  HttpRequest
} from "../../routing/Endpoint.ts"
import { isForm, readForm } from "../form/ReadForm.ts"
import { fieldsOf, identityOf } from "../Identity.ts"
import { TurnsByKey } from "../LargeBodies.ts"
import { type ParseTurn, readJson } from "../ReadBody.ts"
import { type First, HashedRequest, idempotencyKeyOf, kept, orRelease, repeated } from "../Repeats.ts"

const TRAILERS = "x-gateway-cost-usd"
const EARLY_TRAILERS = "x-gateway-cost-usd, x-gateway-decision, x-gateway-deployment, x-gateway-retries"

interface Prepared extends Pick<CallInput, "request" | "keep"> {
  /** The response to a request that needs no call. */
  readonly answer?: WireAnswer
  /** Answers before its call, which goes on without its caller. */
  readonly background?: {
    readonly queued: JsonAnswer
    readonly isCancelled: () => boolean
    readonly run: <A, R>(call: Effect.Effect<A, EndpointError, R>) => Effect.Effect<void, never, R>
  }
}

/** What an operation does at its endpoint beyond its call. */
interface More {
  readonly errors?: Endpoint["errors"]
  /** Left out: the operation's. */
  readonly path?: string
  /** What the path says of the request in place of its body. */
  readonly named?: (params: HttpRequest["params"]) => NonNullable<JsonBody["named"]>
  /** Runs before the call: the request to send, and how its response is kept. */
  readonly prepare?: (
    request: CallRequest,
    caller: Caller,
    held: HeldBytes,
    from: HttpRequest
  ) => Effect.Effect<Prepared, EndpointError>
}

/** A request that was admitted before its body is read. */
interface Entered {
  readonly request: HttpRequest
  /** The caller before its end user and session are known. */
  readonly asking: Caller
  readonly permit: Permit
  readonly held: HeldBytes
  /** Once its body is read. */
  from?: ClientSession
}

export const operationEndpoint = Effect.fnUntraced(function* (
  operation: Operation,
  options: EndpointOptions,
  admit: Admission,
  inFlight: SharedCapacity,
  { errors, named, path = operation.path, prepare }: More = {}
) {
  const { earlyKeepaliveMs, maxBodyValues, maxUploadBytes } = options
  const maxBodyBytes = Math.min(options.maxBodyBytes, inFlight.mostOfKey)
  const gateway = yield* Gateway
  const limiter = yield* RateLimiter
  const ledger = yield* SpendLedger
  const idempotency = yield* Idempotency
  const endUsers = yield* EndUsers
  const turns = new TurnsByKey()
  const clock = yield* Clock.Clock

  /** What is left of the caller's limits and budgets, as `headers` has it. */
  const left = (
    caller: Caller,
    headers: (allowances: Allowances, remaining: NanoUsd | undefined) => Record<string, string>
  ) =>
    Effect.flatMap(limiter.allowances(caller), (allowances) =>
      Effect.map(ledger.remaining(caller), (remaining) => headers(allowances, remaining))
    )

  const handle: Endpoint["handle"] = (request, asking) =>
    Effect.flatMap(gateway.admit(asking), (permit) => {
      request.departure.holds(permit.leave)
      const held = (request.held = new HeldBytes(inFlight, asking.key.id))
      return handling({ request, asking, permit, held })
    })

  const handling = (entered: Entered): Effect.Effect<WireAnswer, EndpointError, Scope.Scope> => {
    const { request } = entered
    if (request.headers["idempotency-key"] !== undefined) return once(entered)
    return Effect.flatMap(bodyOf(entered, request), (body) =>
      Effect.flatMapEager(admitted(entered, body), (caller) => answered(entered, caller, body, undefined))
    )
  }

  const bodyOf = (
    { asking, held, request }: Entered,
    source: Pick<HttpRequest, "bytes" | "headers">
  ): Effect.Effect<RequestBody, EndpointError, Scope.Scope> => {
    if (
      operation.accepts === "form" ||
      (operation.accepts === "either" && isForm(request.headers["content-type"] ?? ""))
    )
      return readForm(request, maxUploadBytes, held)
    const turn: ParseTurn = (work) => turns.take(asking.key.id, work)
    const read = readJson(source, maxBodyBytes, turn, maxBodyValues, held)
    return named === undefined ? read : Effect.map(read, (body) => ({ ...body, named: named(request.params) }))
  }

  /** The caller with its scopes. The key is checked again if time has passed: it may have changed while the body arrived. */
  const admitted = (entered: Entered, body: RequestBody): Effect.Effect<Caller, EndpointError> => {
    const { asking, request } = entered
    if (clock.currentTimeMillisUnsafe() === request.checkedAt) return identified(entered, asking, body)
    return Effect.flatMap(admit(request), (caller) => identified(entered, caller, body))
  }

  const identified = (entered: Entered, caller: Caller, body: RequestBody): Effect.Effect<Caller, EndpointError> => {
    const { headers } = entered.request
    const fields = fieldsOf(body)
    entered.from = clientSession(headers, fields)
    const identity = identityOf(caller, headers, fields, entered.from)
    return Result.isFailure(identity) ? Effect.fail(identity.failure) : endUsers.resolve(caller, identity.success)
  }

  /** A request with an `Idempotency-Key`. */
  const once = Effect.fnUntraced(function* (
    entered: Entered
  ): Effect.fn.Return<WireAnswer, EndpointError, Scope.Scope> {
    const { permit, request } = entered
    const key = yield* Effect.fromResult(idempotencyKeyOf(request.headers))
    const hashed = new HashedRequest(request)
    const body = yield* bodyOf(entered, hashed)
    const caller = yield* admitted(entered, body)
    const { endUser } = caller
    const hash = `${yield* hashed.hash(body)}${request.params["model"] ?? ""}`
    const wish = { keyId: caller.key.id, endUser, endpoint: path, key, request: hash }
    const begun = yield* idempotency.begin(wish)
    if (begun.kind === "repeated") {
      yield* permit.cancel
      yield* takeRoom(entered.held, begun.answer.body.length)
      return repeated(begun.answer, yield* left(caller, allowanceHeaders))
    }
    return yield* orRelease(
      begun,
      Effect.suspend(() => answered(entered, caller, body, begun))
    )
  })

  const answered = (
    entered: Entered,
    caller: Caller,
    body: RequestBody,
    begun: First | undefined
  ): Effect.Effect<WireAnswer, EndpointError, Scope.Scope> => {
    const { request } = entered
    const read = operation.read(body)
    if (Result.isFailure(read)) return Effect.fail(read.failure)
    const asked = optionsOf(request.headers)
    if (Result.isFailure(asked)) return Effect.fail(asked.failure)
    return prepare === undefined
      ? called(entered, caller, asked.success, { request: read.success }, begun)
      : Effect.flatMap(prepare(read.success, caller, entered.held, request), ({ answer, ...prepared }) => {
          if (answer !== undefined) return Effect.succeed(answer)
          const { background } = prepared
          if (background === undefined) return called(entered, caller, asked.success, prepared, begun)
          const { queued, run } = background
          const wire: WireAnswer = {
            ...queued,
            after: run(called(entered, caller, asked.success, prepared, undefined))
          }
          const kept = begun?.keep({ kind: "json", headers: {}, body: Buffer.from(queued.text) })
          return kept === undefined ? Effect.succeed(wire) : Effect.as(kept, wire)
        })
  }

  const called = (
    { from, held, permit, request }: Entered,
    caller: Caller,
    asked: HeaderOptions,
    prepared: Omit<Prepared, "answer">,
    begun: First | undefined
  ): Effect.Effect<WireAnswer, EndpointError, Scope.Scope> => {
    const { headers } = request
    const { background, keep } = prepared
    const { cache, contentLevel, guardrails, noFallback, prefer, streamRecovery } = asked
    const chosen = withChoice(prepared.request, () => clock.currentTimeMillisUnsafe())
    if (Result.isFailure(chosen)) return Effect.fail(chosen.failure)
    const stored: { id?: unknown } = {}
    const input: CallInput = {
      requestId: request.requestId,
      caller,
      endpoint: operation.path,
      request: chosen.success,
      keep:
        begun === undefined || keep === undefined
          ? keep
          : (answer, usage, report, masked) => {
              stored.id = answer["id"]
              return keep(answer, usage, report, masked)
            },
      permit,
      held,
      traceParent: traceParentOf(headers),
      forward: forwardedOf(headers),
      cache,
      contentLevel,
      guardrails,
      noFallback,
      prefer,
      streamRecovery,
      client: from?.client,
      sessionId: from?.sessionId,
      threadId: from?.threadId,
      strict: asked.strict || chosen.success.choice?.requireParameters === true,
      tags: asked.tags.length === 0 ? caller.key.tags : [...caller.key.tags, ...asked.tags],
      departure: background === undefined ? request.departure : undefined,
      isRepeatable: begun !== undefined,
      isCallerGone: background?.isCancelled ?? request.isGone
    }
    const headersOf = (report: RoutingMetadata) =>
      left(caller, (allowances, remaining) => {
        const headers = answerHeaders(report, allowances, remaining)
        const over = ledger.overSoft(caller)
        if (over.length > 0) headers["x-gateway-budget-soft-exceeded"] = over.join(", ")
        return headers
      })
    const finished = (answer: Answer) =>
      Effect.flatMap(headersOf(answer.report), (headers) => {
        const wire = written(answer, headers)
        return begun === undefined ? Effect.succeed(wire) : kept(begun, answer, wire, stored)
      })
    if (!prepared.request.stream || earlyKeepaliveMs === undefined) {
      return Effect.flatMap(gateway.call(operation, input), finished)
    }
    const first = Deferred.makeUnsafe<RoutingMetadata>()
    const attempting = (report: RoutingMetadata) => void Deferred.doneUnsafe(first, Effect.succeed(report))
    return Effect.succeed({
      kind: "early",
      afterMs: earlyKeepaliveMs,
      headers: Effect.map(Effect.flatMap(Deferred.await(first), headersOf), unfinished),
      announced: EARLY_TRAILERS,
      answer: orRelease(begun, Effect.flatMap(gateway.call(operation, { ...input, attempting }), finished))
    })
  }
  return {
    method: "POST",
    path,
    handle,
    ...(errors === undefined ? undefined : { errors })
  } satisfies Endpoint as Endpoint
})

const written = (answer: Answer, headers: Record<string, string>): WholeAnswer | EventAnswer =>
  answer.kind === "whole"
    ? typeof answer.content === "string"
      ? { kind: "json", status: 200, headers, text: answer.content }
      : rawAnswer(answer.content, headers)
    : {
        kind: "stream",
        headers: unfinished(headers),
        events: answer.events,
        broken: answer.broken,
        announced: TRAILERS,
        trailers: (isEarly) => {
          const settled = answer.settled()
          if (settled === undefined) return undefined
          const cost = { "x-gateway-cost-usd": nanoToDecimal(settled.cost ?? 0) }
          return isEarly ? { ...cost, ...servedBy(settled) } : cost
        }
      }

const rawAnswer = ({ bytes, contentType }: BinaryAnswer, headers: Record<string, string>): WholeAnswer => {
  headers["content-type"] = contentType
  return { kind: "bytes", status: 200, headers, bytes }
}

/** The cost in a stream's head is an upper bound. */
const unfinished = (headers: Record<string, string>): Record<string, string> => {
  headers["x-gateway-cost-final"] = "false"
  return headers
}

/** A header sent twice is joined by a comma and is invalid then. */
const traceParentOf = (headers: RequestHeaders): string | undefined =>
  typeof headers["traceparent"] === "string" ? headers["traceparent"] : undefined

/** The headers that choose a vendor's version of its API, and what is in trial there. */
const FORWARDED = ["anthropic-version", "anthropic-beta", "openai-beta"]
const VISIBLE = /^[\x20-\x7e]{1,4096}$/

const forwardedOf = (headers: RequestHeaders): CallInput["forward"] => {
  let forwarded: Record<string, string> | undefined
  for (const name of FORWARDED) {
    const value = headers[name]
    if (typeof value !== "string" || !VISIBLE.test(value)) continue
    forwarded ??= {}
    forwarded[name] = value
  }
  return forwarded
}

const MAX_TAGS = 16
const TAG = /^[\w.:/-]{1,64}$/

type HeaderOptions = Pick<
  CallInput,
  "noFallback" | "strict" | "streamRecovery" | "prefer" | "tags" | "guardrails" | "contentLevel" | "cache"
>

const optionsOf = (headers: RequestHeaders): Result.Result<HeaderOptions, InvalidField> => {
  const recovery = headers["x-gateway-stream-recovery"]
  if (recovery !== undefined && recovery !== "cut" && recovery !== "buffer") {
    return invalid("X-Gateway-Stream-Recovery", "must be `cut` or `buffer`")
  }
  const prefer = headers["x-gateway-route-prefer"]
  if (prefer !== undefined && !isPreference(prefer)) {
    return invalid("X-Gateway-Route-Prefer", "must be `cost` or `quality`")
  }
  const sessionId = headers["x-gateway-session-id"]
  if (sessionId !== undefined && (typeof sessionId !== "string" || !SESSION_ID.test(sessionId))) {
    return invalid("X-Gateway-Session-Id", "must be 1 to 128 visible ASCII characters")
  }
  const contentLevel = headers["x-gateway-content"]
  if (contentLevel !== undefined && contentLevel !== "none" && contentLevel !== "metadata") {
    return invalid("X-Gateway-Content", "must be `none` or `metadata`")
  }
  const tags = headers["x-gateway-tags"]
  const list = namesIn(tags)
  const guardrails = headers["x-gateway-guardrails"]
  if (list.length > MAX_TAGS || list.some((tag) => !TAG.test(tag))) {
    return invalid(
      "X-Gateway-Tags",
      `must be at most ${MAX_TAGS} tags of letters, digits and \`._:/-\`, joined by commas`
    )
  }
  for (const name of ["x-gateway-no-fallback", "x-gateway-strict"]) {
    const value = headers[name]
    if (value !== undefined && value !== "0" && value !== "1") return invalid(name, "must be `1` or `0`")
  }
  const cache = cacheDirectives(headers["x-gateway-cache"], headers["cache-control"])
  if (cache !== undefined && "rule" in cache) return invalid(cache.header, cache.rule)
  return Result.succeed({
    cache,
    noFallback: headers["x-gateway-no-fallback"] === "1",
    strict: headers["x-gateway-strict"] === "1",
    streamRecovery: recovery,
    prefer,
    tags: list,
    contentLevel,
    guardrails: guardrails === undefined ? undefined : namesIn(guardrails)
  })
}

/** Names joined by commas. */
const namesIn = (header: RequestHeaders[string]): ReadonlyArray<string> =>
  typeof header === "string"
    ? header
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "")
    : []

const isPreference = (value: unknown): value is Preference => value === "cost" || value === "quality"

const invalid = (header: string, rule: string) =>
  Result.fail(new InvalidField({ param: header.toLowerCase(), message: `the header ${header} ${rule}` }))
