/** The provider pool over real protocols and vendors: lowers a call, sends it, lifts the answer, and keeps each deployment's health. */
import { Array as Arr, Cause, Channel, Clock, Effect, Layer, Pull, Redacted, Result, Stream } from "effect"
import { NotFound } from "../core/Errors.ts"
import type { Deployment, Timeouts } from "../core/Deployment.ts"
import { Fleet } from "../core/Fleet.ts"
import { Health, type Ticket } from "../core/Health.ts"
import {
  type ChatCall,
  type ChatProtocol,
  ProviderFailure,
  type SseEvent,
  type StreamEvent,
  truncated,
  type Unsupported,
  type WireRequest
} from "../core/Provider.ts"
import { type Completion, type CompletionStream, type DeploymentStatus, ProviderPool } from "../core/ProviderPool.ts"
import { RotationRepository } from "../core/Store.ts"
import { type OpenResponse, Transport, type TransportFailure, type UpstreamRequest } from "../core/Transport.ts"
import { outputTokens } from "../core/Usage.ts"
import { inlineImages } from "./InlineImages.ts"
import { protocolNamed } from "./protocols/Protocols.ts"
import { SseDecoder } from "./Sse.ts"
import { PublicFetch } from "./transport/PublicFetch.ts"
import { vendorNamed } from "./vendors/Vendors.ts"

export const layer = Layer.effect(
  ProviderPool,
  Effect.gen(function* () {
    const { deployments } = yield* Fleet
    const transport = yield* Transport
    const clock = yield* Clock.Clock
    const fetch = yield* PublicFetch
    const rotation = yield* RotationRepository
    const members = new Map(deployments.map((deployment) => [deployment.id, new Member(deployment)]))
    for (const id of yield* rotation.disabled) {
      const member = members.get(id)
      if (member !== undefined) member.inRotation = false
    }

    const complete = (call: ChatCall) =>
      Effect.suspend((): Effect.Effect<Completion, ProviderFailure | Unsupported> => {
        const member = members.get(call.deployment.id)!
        const lowered = member.protocol.lower(call)
        if (Result.isFailure(lowered)) return Effect.fail(lowered.failure)
        const { dropped } = lowered.success
        const began = clock.currentTimeMillisUnsafe()
        const ticket = member.health.began(began)
        const failed = (failure: ProviderFailure): Effect.Effect<never, ProviderFailure> => {
          const now = clock.currentTimeMillisUnsafe()
          member.health.failed(ticket, now, failure, now - began)
          return Effect.fail(failure)
        }
        const answer = transport.whole(member.request(lowered.success, member.wholeTimeouts))
        return Effect.matchEffect(
          Effect.onInterrupt(answer, () => Effect.sync(() => member.health.abandoned(ticket))),
          {
            onFailure: (failure) => failed(noAnswer(failure)),
            onSuccess: (answer) => {
              if (!isSuccess(answer.status)) return failed(member.protocol.failure(answer))
              const lifted = member.protocol.lift(answer.text, call)
              if (Result.isFailure(lifted)) return failed(lifted.failure)
              const now = clock.currentTimeMillisUnsafe()
              member.health.succeeded(ticket, now, now - began)
              const { body, text, usage } = lifted.success
              if (usage !== undefined) member.health.wholeAnswer(now, now - began, outputTokens(usage))
              return Effect.succeed({ body, text, usage, dropped })
            }
          }
        )
      })

    const stream = Effect.fnUntraced(function* (call: ChatCall) {
      const member = members.get(call.deployment.id)!
      const wire = yield* Effect.fromResult(member.protocol.lower(call))
      const began = yield* Clock.currentTimeMillis
      let open = true
      const ticket = member.health.began(began)
      const request = member.request(wire, member.deployment.timeouts)
      yield* Effect.addFinalizer(() => Effect.sync(() => (open ? member.health.abandoned(ticket) : undefined)))
      const ended = Effect.fnUntraced(function* (failure: ProviderFailure | undefined) {
        if (!open) return
        open = false
        if (failure !== undefined) return yield* member.failed(ticket, began, failure)
        const now = yield* Clock.currentTimeMillis
        member.health.succeeded(ticket, now, now - began)
      })
      const answer = yield* transport.open(request).pipe(
        Effect.mapError(fromTransport),
        Effect.tap((head) => (isSuccess(head.status) ? Effect.void : refusal(member, head))),
        Effect.tapError(ended)
      )
      const started = Effect.map(Clock.currentTimeMillis, (now) => {
        member.health.firstToken(now, now - began)
        return now
      })
      const decoder = new SseDecoder()
      const lifter = member.protocol.stream(call)
      const chunks = yield* Channel.toPullScoped(Stream.toChannel(answer.chunks), yield* Effect.scope)
      let isFinished = false
      const lifted = (sse: ReadonlyArray<SseEvent>): Array<StreamEvent> => {
        const events: Array<StreamEvent> = []
        for (const event of sse) {
          for (const lift of lifter.push(event)) {
            events.push(lift)
            if (lift.kind === "finish" || lift.kind === "content") isFinished = lift.kind === "finish"
          }
        }
        return events
      }
      const given = (events: Array<StreamEvent>): Next => (Arr.isArrayNonEmpty(events) ? Effect.succeed(events) : next)
      const read = Pull.matchEffect(chunks, {
        onSuccess: (pieces) => {
          const events = lifted(decoder.push(joined(pieces)))
          // Said at once: an upstream that never ends a line never ends its answer either.
          if (decoder.tooLong) events.push(oversized)
          return given(events)
        },
        onFailure: (cause): Next => {
          const failed = Effect.failCause(Cause.map(cause, brokenOff))
          // After a finish nothing was to come but the usage: where it was told, it is that of the whole answer.
          if (!isFinished) return failed
          broken = failed
          return given([...lifter.end()])
        },
        onDone: () => {
          closed = true
          return given([...lifted(decoder.end()), ...lifter.end()])
        }
      })
      let closed = false
      let broken: Next | undefined
      const next: Next = Effect.suspend((): Next => broken ?? (closed ? Cause.done() : read))
      const events = Stream.fromPull(Effect.succeed(next))
      return { events, dropped: wire.dropped, started, ended } satisfies CompletionStream
    })

    const statusOf = (member: Member) =>
      Effect.map(Clock.currentTimeMillis, (now): DeploymentStatus => ({
        deployment: member.deployment,
        inRotation: member.inRotation,
        health: member.health.report(now),
        inFlight: member.health.inFlight
      }))

    const setRotation = Effect.fn("ProviderPool.setRotation")(function* (
      ids: ReadonlyArray<string>,
      inRotation: boolean
    ) {
      const unknown = ids.find((id) => !members.has(id))
      if (unknown !== undefined) return yield* new NotFound({ what: "deployment", id: unknown })
      yield* rotation.setDisabled(ids, !inRotation)
      for (const id of ids) members.get(id)!.inRotation = inRotation
      return yield* Effect.forEach(ids, (id) => statusOf(members.get(id)!))
    }, Effect.uninterruptible)

    return {
      status: Effect.suspend(() => Effect.forEach([...members.values()], statusOf)),
      setRotation,
      isInRotation: (id) => members.get(id)?.inRotation ?? false,
      isReady: (id, now) => members.get(id)?.isReady(now) ?? false,
      isHealthy: (id, now) => members.get(id)?.isHealthy(now) ?? false,
      inFlight: (id) => members.get(id)?.health.inFlight ?? 0,
      expectedFirstToken: (id, now) => members.get(id)?.health.expectedFirstToken(now) ?? 0,
      complete: (call) =>
        call.deployment.inlineImages ? Effect.flatMap(inlineImages(call, fetch), complete) : complete(call),
      stream: (call) =>
        call.deployment.inlineImages ? Effect.flatMap(inlineImages(call, fetch), stream) : stream(call)
    }
  })
)

/** One deployment of the running gateway. */
class Member {
  readonly deployment: Deployment
  readonly protocol: ChatProtocol
  readonly health = new Health()
  /** An answer that comes all at once has no first token before its last. */
  readonly wholeTimeouts: Timeouts
  inRotation = true
  private readonly authentications: ReadonlyArray<{ readonly [name: string]: string }>
  private turn = 0

  constructor(deployment: Deployment) {
    this.deployment = deployment
    this.protocol = protocolNamed(deployment.protocol)
    this.wholeTimeouts = { ...deployment.timeouts, firstToken: deployment.timeouts.total }
    const keys = deployment.apiKeys.map(Redacted.value)
    const vendor = vendorNamed(deployment.vendor)
    this.authentications = keys.length === 0 ? [{}] : keys.map((key) => vendor?.authenticate(key) ?? {})
  }

  isReady(now: number): boolean {
    return this.health.isReady(now) && this.hasRoom
  }

  isHealthy(now: number): boolean {
    return this.health.isHealthy(now) && this.hasRoom
  }

  private get hasRoom(): boolean {
    const { maxInFlight } = this.deployment
    return maxInFlight === undefined || this.health.inFlight < maxInFlight
  }

  /** The request to send; keys take turns. */
  request(wire: WireRequest, timeouts: Timeouts): UpstreamRequest {
    const authentication = this.authentications[this.turn++ % this.authentications.length]!
    return {
      baseUrl: this.deployment.baseUrl,
      path: wire.path,
      headers: { "content-type": "application/json", ...wire.headers, ...authentication },
      body: wire.splice === undefined ? wire.body : wire.splice(wire.body),
      timeouts
    }
  }

  failed(ticket: Ticket, began: number, failure: ProviderFailure): Effect.Effect<void> {
    return Effect.map(Clock.currentTimeMillis, (now) => this.health.failed(ticket, now, failure, now - began))
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

type Next = Pull.Pull<Arr.NonEmptyReadonlyArray<StreamEvent>, ProviderFailure>

/** What one read of the socket brought is decoded in one go. */
const joined = (pieces: Arr.NonEmptyReadonlyArray<Uint8Array>): Uint8Array =>
  pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)

const refusal = (member: Member, head: OpenResponse): Effect.Effect<never, ProviderFailure> =>
  Effect.flatMap(textOf(head.chunks), (text) => Effect.fail(member.protocol.failure({ ...head, text })))

/** Error bodies are read this far; what they say is in their beginning. */
const MAX_ERROR_BYTES = 64 * 1024

const textOf = (chunks: Stream.Stream<Uint8Array, TransportFailure>) => {
  let bytes = 0
  return chunks.pipe(
    Stream.takeUntil((chunk) => (bytes += chunk.length) >= MAX_ERROR_BYTES),
    Stream.decodeText(),
    Stream.mkString,
    // The status says enough when the body breaks.
    Effect.orElseSucceed(() => "")
  )
}

const fromTransport = (failure: Pick<TransportFailure, "kind" | "message">): ProviderFailure =>
  new ProviderFailure({
    class: (
      {
        refused: "unavailable",
        reset: "unavailable",
        cut: "truncated",
        connect_timeout: "connect_timeout",
        first_byte_timeout: "first_token_timeout",
        idle_timeout: "truncated",
        too_large: "truncated"
      } as const
    )[failure.kind],
    status: 0,
    message: failure.message,
    type: null,
    code: null,
    param: null
  })

/** An answer that comes all at once and does not come in time has not begun either. */
const noAnswer = (failure: TransportFailure): ProviderFailure =>
  fromTransport(failure.kind === "idle_timeout" ? { kind: "first_byte_timeout", message: failure.message } : failure)

/** The head was fine: whatever breaks now breaks the answer off. */
const brokenOff = (failure: TransportFailure): ProviderFailure => truncated(failure.message)

const oversized: StreamEvent = {
  kind: "failed",
  failure: truncated("the provider sent an event of more than 1 MiB")
}
