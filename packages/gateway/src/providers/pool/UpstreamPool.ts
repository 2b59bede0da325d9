/**
 * The provider pool with real protocols and vendors: encodes a call, sends it, decodes the answer, and keeps each deployment's
 * health.
 */
import { Array as Arr, Cause, Clock, Effect, Layer, Pull, Result, Scope } from "effect"
import type { NewAuditEntry } from "../../core/domain/AuditRepository.ts"
import { NotFound } from "../../core/domain/Errors.ts"
import { AnswerSizes, largestAnswer, longestEvent } from "../../core/domain/AnswerSizes.ts"
import { Pieces } from "../../core/collections/Pieces.ts"
import { decisionName } from "../../core/domain/Deployment.ts"
import { Fleet } from "../../core/domain/Fleet.ts"
import type { AuthFailed } from "../../core/pool/Auth.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import type { LiftedAnswer, BinaryAnswer, StreamEvent } from "../../core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall } from "../../core/pool/Protocol.ts"
import { ProviderFailure, truncated, Unsupported } from "../../core/domain/Failures.ts"
import {
  type Completion,
  type CompletionStream,
  type DeploymentStatus,
  ProviderPool
} from "../../core/pool/ProviderPool.ts"
import {
  noLoad,
  type OpenResponse,
  Transport,
  type TransportFailure,
  type WholeResponse
} from "../../core/pool/Transport.ts"
import { outputTokens, type Usage } from "../../core/domain/Usage.ts"
import { onFailure } from "../../core/collections/OnFailure.ts"
import { TrafficHistory } from "../../core/routing/TrafficHistory.ts"
import { AnswerIds } from "./AnswerIds.ts"
import { AnswerReader, withWait } from "./AnswerReader.ts"
import { hasMeasured, inlineMedia } from "../media/InlineMedia.ts"
import { PoolMember } from "./Member.ts"
import { choicesAtOnce, choiceStreamsAtOnce } from "../choices/ParallelChoices.ts"
import { ProviderRegistry } from "../catalogue/ProviderRegistry.ts"
import { guardsMedia, refusePrivateMedia } from "../media/PrivateMedia.ts"
import { withContents } from "../media/RemoteContents.ts"
import { UNVERIFIABLE } from "./PortableHistory.ts"
import { authenticationsOf } from "./ProviderKeys.ts"
import { followRotation } from "./Rotation.ts"
import { PublicFetch } from "../transport/PublicFetch.ts"

export const layer = Layer.effect(
  ProviderPool,
  Effect.gen(function* () {
    const { deployments } = yield* Fleet
    const transport = yield* Transport
    const clock = yield* Clock.Clock
    const fetch = yield* PublicFetch
    const registry = yield* ProviderRegistry
    const sizes = yield* AnswerSizes
    const answerIds = new AnswerIds()
    const { standings } = yield* TrafficHistory
    const authentications = authenticationsOf(deployments, registry, transport)
    const members = new Map(
      Array.from(standings, ([id, standing]) => {
        const auth = authentications.get(standing.deployment.provider)
        return [id, new PoolMember(standing, registry, transport, auth)]
      })
    )
    const rotation = yield* followRotation(members)

    const complete = (asked: UpstreamCall) =>
      Effect.suspend((): Effect.Effect<Completion, ProviderFailure | Unsupported> => {
        const member = members.get(asked.deployment.id)!
        const dialect = member.dialects.of(asked)
        if (dialect === undefined) return Effect.fail(notSpoken(asked))
        if (dialect.here !== undefined) return Effect.map(dialect.here(asked), ownAnswer)
        const began = clock.currentTimeMillisUnsafe()
        const { call, key } = member.taken(asked, began)
        const lowered = lower(dialect, call)
        if (Result.isFailure(lowered)) {
          member.keys.released(key, began)
          return Effect.fail(lowered.failure)
        }
        const { dropped } = lowered.success
        const ticket = member.health.began(began)
        const failed = (failure: ProviderFailure): Effect.Effect<never, ProviderFailure> => {
          member.failed(ticket, key, began, clock.currentTimeMillisUnsafe(), failure, call)
          return Effect.fail(member.told(failure, key, call))
        }
        let isOver = false
        const callerLeft = () => {
          if (!isOver) member.callerLeft(ticket, call, began, clock.currentTimeMillisUnsafe())
        }
        const interrupted = Effect.sync(() => {
          // Nobody else reports callers that leave.
          if (call.onLeave === undefined) callerLeft()
          isOver = true
          member.abandoned(ticket, key, began)
        })
        call.onLeave?.(callerLeft)
        const largest = largestAnswer(sizes, dialect.spoken ?? call.operation)
        const size = { largestAnswer: largest, held: call.held }
        const request = member.request(lowered.success, member.wholeTimeouts(call), key, size)
        const answer = member.isSigned
          ? Effect.flatMap(member.signed(request, key), transport.whole)
          : transport.whole(request)
        return Effect.matchEffect(
          onFailure(answer, (cause) => (Cause.hasInterrupts(cause) ? interrupted : Effect.void)),
          {
            onFailure: (failure) => {
              isOver = true
              return failed(unansweredWhole(failure))
            },
            onSuccess: (answer) => {
              isOver = true
              if (!isSuccess(answer.status))
                return failed(member.dialects.advised((dialect.failure ?? member.protocol.failure)(answer), call))
              const lifted =
                dialect.liftRaw === undefined
                  ? dialect.lift(answer.text, call)
                  : dialect.liftRaw(rawAnswer(answer), call)
              if (Result.isFailure(lifted)) return failed(withWait(lifted.failure, answer.headers))
              const now = clock.currentTimeMillisUnsafe()
              member.health.succeeded(ticket, now, now - began)
              member.worked(key, began, now, call)
              const { body, raw, serviceTier, text, usage } = answerIds.answer(lifted.success, dialect.idPrefix)
              if (usage !== undefined) {
                const tokens = outputTokens(usage) / call.request.choices
                member.health.wholeAnswer(now, now - began, tokens)
                member.health.generated(now - began, tokens)
              }
              return Effect.succeed({ body, text, raw, usage, serviceTier, dropped })
            }
          }
        )
      })

    const completed = (call: UpstreamCall): Effect.Effect<Completion, ProviderFailure | Unsupported> => {
      const remote = members.get(call.deployment.id)?.dialects.of(call)?.remote
      if (remote === undefined) return complete(call)
      return Effect.flatMap(complete(call), (answer) => {
        const contents = remote(answer, call)
        return contents === undefined ? Effect.succeed(answer) : withContents(answer, contents, fetch)
      })
    }

    const stream = Effect.fnUntraced(function* (asked: UpstreamCall) {
      const member = members.get(asked.deployment.id)!
      const dialect = member.dialects.of(asked)
      if (dialect === undefined) return yield* notSpoken(asked)
      const began = yield* Clock.currentTimeMillis
      const { call, key } = member.taken(asked, began)
      const lowered = lower(dialect, call)
      if (Result.isFailure(lowered)) {
        member.keys.released(key, began)
        return yield* lowered.failure
      }
      const wire = lowered.success
      let open = true
      let told: Usage | undefined
      const ticket = member.health.began(began)
      const request = member.request(wire, member.deployment.timeouts, key)
      yield* Scope.addFinalizer(
        yield* Effect.scope,
        Effect.sync(() => (open ? member.abandoned(ticket, key, began) : undefined))
      )
      const ended = Effect.fnUntraced(function* (failure: ProviderFailure | undefined) {
        if (!open) return
        open = false
        const now = yield* Clock.currentTimeMillis
        if (failure !== undefined) return member.failed(ticket, key, began, now, failure, call)
        member.health.succeeded(ticket, now, now - began)
        if (told !== undefined) member.health.generated(now - began, outputTokens(told) / call.request.choices)
      })
      const opening = member.isSigned
        ? Effect.flatMap(member.signed(request, key), transport.open)
        : transport.open(request)
      const answer = yield* opening.pipe(
        Effect.mapError(unanswered),
        Effect.tap((head) => (isSuccess(head.status) ? Effect.void : refusal(member, dialect, head, call))),
        Effect.mapError((failure) => member.told(failure, key, call)),
        Effect.tapError(ended)
      )
      const started = Effect.map(Clock.currentTimeMillis, (now) => {
        member.health.firstToken(now, now - began)
        member.worked(key, began, now, call)
        return now
      })
      const reader = new AnswerReader(
        member.protocol.framing,
        dialect,
        call,
        answer.headers,
        longestEvent(sizes, dialect.spoken ?? call.operation)
      )
      const withOwnId = answerIds.stream(dialect.idPrefix)
      const marked = (events: Array<StreamEvent>): Array<StreamEvent> => {
        for (let index = 0; index < events.length; index++) {
          const event = events[index]!
          if (event.kind === "usage") told = event.usage
          events[index] =
            event.kind === "failed" ? { ...event, failure: member.told(event.failure, key, call) } : withOwnId(event)
        }
        return events
      }
      const given = (events: Array<StreamEvent>): Next => (Arr.isArrayNonEmpty(events) ? Effect.succeed(events) : next)
      const read = Pull.matchEffect(answer.chunks, {
        onSuccess: (pieces) => given(marked(reader.push(joined(pieces)))),
        onFailure: (cause): Next => {
          // After a finish only the usage and the end mark can follow: the answer is complete without them.
          if (!reader.isFinished) return Effect.failCause(Cause.map(cause, brokenOff))
          closed = true
          return given(marked(reader.cut()))
        },
        onDone: () => {
          closed = true
          return given(marked(reader.end()))
        }
      })
      let closed = false
      const next: Next = Effect.suspend((): Next => (closed ? Cause.done() : read))
      return { events: next, dropped: wire.dropped, started, ended } satisfies CompletionStream
    })

    const statusOf = (member: PoolMember) =>
      Effect.map(Clock.currentTimeMillis, (now): DeploymentStatus => ({
        deployment: member.deployment,
        inRotation: member.inRotation,
        health: member.report(now),
        inFlight: member.health.inFlight,
        keys: member.keyReport(now)
      }))

    const setRotation = Effect.fn("ProviderPool.setRotation")(function* (
      ids: ReadonlyArray<string>,
      inRotation: boolean,
      entries: ReadonlyArray<NewAuditEntry> = []
    ) {
      const unknown = ids.find((id) => !members.has(id))
      if (unknown !== undefined) return yield* new NotFound({ what: "deployment", id: unknown })
      yield* rotation.set(ids, inRotation, entries)
      return yield* Effect.forEach(ids, (id) => statusOf(members.get(id)!))
    }, Effect.uninterruptible)

    const isPrepared = ({ deployment, request }: UpstreamCall): boolean =>
      deployment.inlineImages !== true && !hasMeasured(request) && !guardsMedia(deployment, request)
    const prepared = Effect.fnUntraced(function* (call: UpstreamCall) {
      const { deployment } = call
      const inlined = yield* inlineMedia(call, fetch)
      if (guardsMedia(deployment, inlined.request)) yield* refusePrivateMedia(deployment, inlined.request)
      return inlined
    })
    const completeAll = choicesAtOnce(completed)
    const streamAll = choiceStreamsAtOnce(stream)
    const reset = Effect.fn("ProviderPool.reset")(function* (ids: ReadonlyArray<string>) {
      const unknown = ids.find((id) => !members.has(id))
      if (unknown !== undefined) return yield* new NotFound({ what: "deployment", id: unknown })
      yield* rotation.reset(ids)
      return yield* Effect.forEach(
        ids.flatMap((id) => members.get(id) ?? []),
        statusOf
      )
    })

    return {
      reset,
      status: Effect.suspend(() => Effect.forEach([...members.values()], statusOf)),
      setRotation,
      operations: (id) => members.get(id)?.operations ?? NO_OPERATIONS,
      isInRotation: (id) => members.get(id)?.inRotation ?? false,
      isReady: (id, now) => members.get(id)?.isReady(now) ?? false,
      isHealthy: (id, now) => members.get(id)?.isHealthy(now) ?? false,
      hasOtherKey: (id, now, tried) => members.get(id)?.keys.hasOther(now, tried) ?? false,
      inFlight: (id) => members.get(id)?.health.inFlight ?? 0,
      load: (id) => {
        const member = members.get(id)
        return member === undefined ? noLoad : transport.load(member.deployment.baseUrl)
      },
      expectedFirstToken: (id, now) => members.get(id)?.health.expectedFirstToken(now) ?? 0,
      outputRate: (id) => members.get(id)?.outputRate ?? 0,
      complete: (call) => (isPrepared(call) ? completeAll(call) : Effect.flatMap(prepared(call), completeAll)),
      stream: (call) => (isPrepared(call) ? streamAll(call) : Effect.flatMap(prepared(call), streamAll))
    }
  })
)

/** The second attempt names what it left out. */
const lower = (dialect: Dialect, call: UpstreamCall): ReturnType<Dialect["lower"]> =>
  call.portable === true
    ? Result.map(dialect.lower(call), (wire) => ({ ...wire, dropped: [...wire.dropped, UNVERIFIABLE] }))
    : dialect.lower(call)

const NO_OPERATIONS: ReadonlySet<OperationName> = new Set()

/** The router lets none through; this is for whoever calls a pool without one. */
const notSpoken = ({ deployment, operation }: UpstreamCall): Unsupported =>
  new Unsupported({
    message: `${decisionName(deployment)} can't serve ${operation}: choose another model`,
    param: "model"
  })

const ownAnswer = ({ body, raw, serviceTier, text, usage }: LiftedAnswer): Completion => ({
  body,
  text,
  raw,
  usage,
  serviceTier,
  dropped: []
})

const rawAnswer = ({ bytes, headers, text }: WholeResponse): BinaryAnswer => ({
  contentType: headers["content-type"] ?? "application/octet-stream",
  headers,
  bytes: bytes ?? Buffer.from(text)
})

const isSuccess = (status: number): boolean => status >= 200 && status < 300

type Next = Pull.Pull<Arr.NonEmptyReadonlyArray<StreamEvent>, ProviderFailure>

/** All pieces of one read of the socket are decoded together. */
const joined = (pieces: Arr.NonEmptyReadonlyArray<Uint8Array>): Uint8Array =>
  pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)

const refusal = (
  member: PoolMember,
  { failure = member.protocol.failure }: Dialect,
  head: OpenResponse,
  call: UpstreamCall
): Effect.Effect<never, ProviderFailure> =>
  Effect.flatMap(textOf(head.chunks), (text) => Effect.fail(member.dialects.advised(failure({ ...head, text }), call)))

/** Error bodies are read up to here: the error is at their beginning. */
const MAX_ERROR_BYTES = 64 * 1024

const textOf = Effect.fnUntraced(function* (chunks: OpenResponse["chunks"]) {
  const pieces = new Pieces()
  while (pieces.size < MAX_ERROR_BYTES) {
    // If the body breaks, the status is enough.
    const batch = yield* Pull.catchDone(chunks, () => Effect.void).pipe(Effect.orElseSucceed(() => "broken" as const))
    if (batch === "broken") return ""
    if (batch === undefined) break
    for (const piece of batch) pieces.add(Buffer.from(piece.buffer, piece.byteOffset, piece.length))
  }
  return pieces.whole().toString("utf8")
})

const fromTransport = (failure: Pick<TransportFailure, "kind" | "message">): ProviderFailure =>
  new ProviderFailure({
    class: (
      {
        refused: "unavailable",
        reset: "unavailable",
        cut: "truncated",
        connect_timeout: "connect_timeout",
        first_byte_timeout: "first_token_timeout",
        idle_timeout: "idle_timeout",
        total_timeout: "total_timeout",
        too_large: "truncated",
        full: "connections_full"
      } as const
    )[failure.kind],
    status: 0,
    message: failure.message,
    type: null,
    code: null,
    param: null
  })

/** Nothing was sent, or nothing came back. */
const unanswered = (failure: TransportFailure | AuthFailed): ProviderFailure =>
  failure._tag === "TransportFailure"
    ? fromTransport(failure)
    : new ProviderFailure({ class: "auth", status: 0, message: failure.message, type: null, code: null, param: null })

/** An answer in one piece that is late has not begun either. */
const unansweredWhole = (failure: TransportFailure | AuthFailed): ProviderFailure =>
  failure._tag === "TransportFailure" && (failure.kind === "idle_timeout" || failure.kind === "total_timeout")
    ? fromTransport({ kind: "first_byte_timeout", message: failure.message })
    : unanswered(failure)

/** The head was fine, so a later failure breaks the answer off. */
const brokenOff = ({ kind, message }: TransportFailure): ProviderFailure => {
  const failure = truncated(message)
  return kind === "idle_timeout" || kind === "total_timeout"
    ? new ProviderFailure({ ...failure, class: kind, message })
    : failure
}
