/** The calls of a provider pool: encodes a call, sends it, decodes the response, and reports to the deployment's health. */
import { randomUUID } from "node:crypto"
import { Array as Arr, Cause, Clock, Effect, Pull, Result, Scope } from "effect"
import { BloomFilter, hashesOf } from "../../core/collections/BloomFilter.ts"
import { onFailure } from "../../core/collections/OnFailure.ts"
import { Pieces } from "../../core/collections/Pieces.ts"
import { AnswerSizes, largestAnswer, longestEvent } from "../../core/domain/AnswerSizes.ts"
import { decisionName } from "../../core/domain/Deployment.ts"
import { ProviderFailure, truncated, Unsupported } from "../../core/domain/Failures.ts"
import { outputTokens, type Usage } from "../../core/domain/Usage.ts"
import type { BinaryAnswer, LiftedAnswer, StreamEvent } from "../../core/operations/LiftedAnswer.ts"
import type { AuthFailed } from "../../core/pool/Auth.ts"
import type { Dialect, UpstreamCall } from "../../core/pool/Protocol.ts"
import type { Completion, CompletionStream, ProviderCalls } from "../../core/pool/ProviderPool.ts"
import { type OpenResponse, Transport, type TransportFailure, type WholeResponse } from "../../core/pool/Transport.ts"
import { choicesAtOnce, choiceStreamsAtOnce } from "../choices/ParallelChoices.ts"
import { hasMeasured, inlineMedia } from "../media/InlineMedia.ts"
import { guardsMedia, refusePrivateMedia } from "../media/PrivateMedia.ts"
import { withContents } from "../media/RemoteContents.ts"
import { PublicFetch } from "../transport/PublicFetch.ts"
import { AnswerReader, withWait } from "./AnswerReader.ts"
import type { PoolMember } from "./Member.ts"
import { UNVERIFIABLE } from "./PortableHistory.ts"

/** The router filters such deployments. A pool without a router needs this check. */
const notSpoken = ({ deployment, operation }: UpstreamCall): Unsupported =>
  new Unsupported({
    message: `${decisionName(deployment)} can't serve ${operation}: choose another model`,
    param: "model"
  })

const refusal = (
  member: PoolMember,
  { failure = member.protocol.failure }: Dialect,
  head: OpenResponse,
  call: UpstreamCall
): Effect.Effect<never, ProviderFailure> =>
  Effect.flatMap(textOf(head.chunks), (text) => Effect.fail(member.dialects.advised(failure({ ...head, text }), call)))

const MAX_ERROR_BYTES = 64 * 1024

const textOf = Effect.fnUntraced(function* (chunks: OpenResponse["chunks"]) {
  const pieces = new Pieces()
  while (pieces.size < MAX_ERROR_BYTES) {
    // If the body breaks off, the status is enough.
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
        no_room: "no_room",
        full: "connections_full"
      } as const
    )[failure.kind],
    status: 0,
    message: failure.message
  })

/** Nothing was sent, or no response came. */
const unanswered = (failure: TransportFailure | AuthFailed): ProviderFailure =>
  failure._tag === "TransportFailure"
    ? fromTransport(failure)
    : new ProviderFailure({ class: "auth", status: 0, message: failure.message })

/** A complete response that is late has not begun either. */
const unansweredWhole = (failure: TransportFailure | AuthFailed): ProviderFailure =>
  failure._tag === "TransportFailure" && (failure.kind === "idle_timeout" || failure.kind === "total_timeout")
    ? fromTransport({ kind: "first_byte_timeout", message: failure.message })
    : unanswered(failure)

/** The head was accepted, so a later failure breaks the response off. */
const brokenOff = ({ kind, message }: TransportFailure): ProviderFailure => {
  const failure = truncated(message)
  return kind === "idle_timeout" || kind === "total_timeout"
    ? new ProviderFailure({ ...failure, class: kind, message })
    : failure
}

// Clients overwrite messages that share an id, so a repeated id is replaced. At least the last 65,536 ids are remembered, in 512 KiB;
// about four in ten thousand new ids are replaced without need.

const REMEMBERED = 65_536

export class AnswerIds {
  private recent = new BloomFilter(REMEMBERED)
  private older = new BloomFilter(REMEMBERED)
  private count = 0
  /** A part that no other process and no provider uses. */
  private readonly process = randomUUID().replaceAll("-", "").slice(0, 20)
  private made = 0

  /** Undefined if `id` may stay. `prefix`: how ids of this kind of answer begin. */
  replacementFor(id: unknown, prefix: string): string | undefined {
    if (typeof id !== "string") return undefined
    const hashes = hashesOf(id)
    if (this.recent.mayHoldHashed(hashes) || this.older.mayHoldHashed(hashes)) {
      return prefix + this.process + (this.made++).toString(36).padStart(8, "0")
    }
    if (this.count === REMEMBERED) {
      this.older = this.recent
      this.recent = new BloomFilter(REMEMBERED)
      this.count = 0
    }
    this.count++
    this.recent.addHashed(hashes)
    return undefined
  }

  answer(answer: LiftedAnswer, prefix: string | undefined): LiftedAnswer {
    const id = prefix === undefined ? undefined : this.replacementFor(answer.body["id"], prefix)
    if (id === undefined) return answer
    return { ...answer, body: { ...answer.body, id }, text: answer.text && withId(answer.text, answer.body["id"], id) }
  }

  /** Replaces ids in the events of one stream, in order. */
  stream(prefix: string | undefined): (event: StreamEvent) => StreamEvent {
    if (prefix === undefined) return unchanged
    let old: unknown
    let id: string | undefined
    let start = ""
    let ownStart = ""
    return (event) => {
      if ((old !== undefined && id === undefined) || !("data" in event)) return event
      if (old === undefined) {
        // Azure's first chunk has no id yet.
        old = idOf(event.data) || undefined
        id = this.replacementFor(old, prefix)
        if (id === undefined) return event
        start = startOf(old)
        ownStart = startOf(id)
      }
      const data = event.data.startsWith(start)
        ? ownStart + event.data.slice(start.length)
        : JSON.stringify({ ...JSON.parse(event.data), id })
      return event.kind === "usage" ? { ...event, data } : { kind: event.kind, data }
    }
  }
}

const unchanged = (event: StreamEvent): StreamEvent => event

const START = '{"id":"'
const BACKSLASH = 92

/** How an object begins whose first member is its id. */
const startOf = (id: unknown): string => `${START}${String(id)}"`

/** The id is nearly always the first member. */
const idOf = (data: string): unknown => {
  const end = data.indexOf('"', START.length)
  const isPlain = data.startsWith(START) && end >= 0 && data.charCodeAt(end - 1) !== BACKSLASH
  return isPlain ? data.slice(START.length, end) : JSON.parse(data).id
}

/** Undefined if the object does not begin with its id. */
const withId = (text: string, old: unknown, id: string): string | undefined =>
  text.startsWith(startOf(old)) ? startOf(id) + text.slice(startOf(old).length) : undefined

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
            const { body, isEndGuessed, raw, serviceTier, text, usage } = answerIds.answer(
              lifted.success,
              dialect.idPrefix
            )
            if (usage !== undefined) {
              const tokens = outputTokens(usage) / call.request.choices
              member.health.wholeAnswer(now, now - began, tokens)
              member.health.generated(now - began, tokens)
            }
            return Effect.succeed({ body, text, raw, usage, serviceTier, dropped, isEndGuessed })
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
        // After a finish only the usage and the end mark can follow: the response is complete without them.
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
