/** The calls of a provider pool: encodes a call, sends it, decodes the response, and reports to the deployment's health. */
import { Array as Arr, Cause, Clock, Effect, Pull, Result, Scope } from "effect"
import { onFailure } from "../../core/collections/OnFailure.ts"
import { AnswerSizes, largestAnswer, longestEvent } from "../../core/domain/AnswerSizes.ts"
import type { ProviderFailure, Unsupported } from "../../core/domain/Failures.ts"
import { outputTokens, type Usage } from "../../core/domain/Usage.ts"
import type { LiftedAnswer, BinaryAnswer, StreamEvent } from "../../core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall } from "../../core/pool/Protocol.ts"
import type { Completion, CompletionStream, ProviderCalls } from "../../core/pool/ProviderPool.ts"
import { Transport, type WholeResponse } from "../../core/pool/Transport.ts"
import { choicesAtOnce, choiceStreamsAtOnce } from "../choices/ParallelChoices.ts"
import { hasMeasured, inlineMedia } from "../media/InlineMedia.ts"
import { guardsMedia, refusePrivateMedia } from "../media/PrivateMedia.ts"
import { withContents } from "../media/RemoteContents.ts"
import { PublicFetch } from "../transport/PublicFetch.ts"
import { AnswerIds } from "./AnswerIds.ts"
import { AnswerReader, withWait } from "./AnswerReader.ts"
import type { PoolMember } from "./Member.ts"
import { UNVERIFIABLE } from "./PortableHistory.ts"
import { brokenOff, notSpoken, refusal, unanswered, unansweredWhole } from "./UpstreamFailures.ts"

export const makeCalls = Effect.fnUntraced(function* (members: ReadonlyMap<string, PoolMember>) {
  const transport = yield* Transport
  const clock = yield* Clock.Clock
  const fetch = yield* PublicFetch
  const sizes = yield* AnswerSizes
  const answerIds = new AnswerIds()

  const complete = (asked: UpstreamCall) =>
    Effect.suspend((): Effect.Effect<Completion, ProviderFailure | Unsupported> => {
      const member = members.get(asked.deployment.id)!.of(asked.deployment)
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
              dialect.liftRaw === undefined ? dialect.lift(answer.text, call) : dialect.liftRaw(rawAnswer(answer), call)
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
    const remote = members.get(call.deployment.id)?.of(call.deployment).dialects.of(call)?.remote
    if (remote === undefined) return complete(call)
    return Effect.flatMap(complete(call), (answer) => {
      const contents = remote(answer, call)
      return contents === undefined ? Effect.succeed(answer) : withContents(answer, contents, fetch)
    })
  }

  const stream = Effect.fnUntraced(function* (asked: UpstreamCall) {
    const member = members.get(asked.deployment.id)!.of(asked.deployment)
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
    let firstAt: number | undefined
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
      if (told === undefined) return
      const tokens = outputTokens(told) / call.request.choices
      member.health.generated(now - began, tokens)
      if (firstAt !== undefined) member.health.streamed(now, now - firstAt, tokens)
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
      firstAt = now
      member.health.firstToken(now, now - began)
      member.worked(key, began, now, call)
      return now
    })
    const reader = new AnswerReader({
      framing: member.protocol.framing,
      dialect,
      call,
      headers: answer.headers,
      longest: longestEvent(sizes, dialect.spoken ?? call.operation)
    })
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
  const calls: ProviderCalls = {
    complete: (call) => (isPrepared(call) ? completeAll(call) : Effect.flatMap(prepared(call), completeAll)),
    stream: (call) => (isPrepared(call) ? streamAll(call) : Effect.flatMap(prepared(call), streamAll))
  }
  return calls
})

/** The second attempt names what it left out. */
const lower = (dialect: Dialect, call: UpstreamCall): ReturnType<Dialect["lower"]> =>
  call.portable === true
    ? Result.map(dialect.lower(call), (wire) => ({ ...wire, dropped: [...wire.dropped, UNVERIFIABLE] }))
    : dialect.lower(call)

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
