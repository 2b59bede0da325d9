/** One attempt at a streamed response: open it, buffer it until the first content, relay it, settle it, report its cost. */
import { Cause, Clock, Effect, Exit, Option, Pull, Scope, Stream } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"
import { ProviderFailure } from "../domain/Failures.ts"
import type { StreamEvent } from "../operations/LiftedAnswer.ts"
import type { OperationStream } from "../operations/Operation.ts"
import type { RoutingMetadata } from "../operations/RoutingMetadata.ts"
import type { UpstreamCall } from "../pool/Protocol.ts"
import type { ProviderCalls } from "../pool/ProviderPool.ts"
import type { AttemptRecord } from "../receipts/AttemptRecord.ts"
import type { ReceiptStatus } from "../receipts/Receipt.ts"
import type { Answer } from "./CallInput.ts"
import { HeldEvents } from "../guardrails/HeldEvents.ts"
import { StreamGuard } from "../guardrails/StreamGuard.ts"
import type { CallContext } from "./CallContext.ts"
import type { CallLedger } from "./CallLedger.ts"
import type { AttemptTarget } from "./Failover.ts"

export interface AttemptContext {
  readonly ledger: CallLedger
  readonly target: AttemptTarget
  readonly attempt: AttemptRecord
  readonly call: UpstreamCall
  readonly calls: ProviderCalls
}

/** At most this many events are buffered before the first content; then the stream continues without it. */
const MAX_BUFFERED_EVENTS = 64
const MAX_BUFFERED_CHARACTERS = 256 * 1024
/** How long the end of the caller's response waits for the upstream to close after its end mark. */
const MAX_DRAIN_MS = 100

/** `isBuffered`: the complete response is buffered, so that every failure can fail over. */
export const streamAnswer = Effect.fnUntraced(function* (
  { attempt, call, calls, ledger, target }: AttemptContext,
  isBuffered: boolean,
  finishAbandonedMs: number
) {
  const { context } = ledger
  const { deployment, request } = call
  const { reservation } = attempt
  const relay = context.operation.relay(request)
  const { captured, guarded } = context.input
  captured?.begin()
  const guard = guarded?.checksResponses === true ? new StreamGuard(guarded) : undefined
  const held = guarded?.awaitsWebhooks === true ? new HeldEvents(guarded) : undefined
  // What the provider sent, for the usage and its estimate: the caller may get less.
  const source = guard === undefined ? relay : context.operation.relay(request)
  // Each attempt has its own scope: a failed attempt's connection must be closed before the next one is made.
  const scope = yield* Scope.fork(yield* Effect.scope)
  const { buffered, upstream } = yield* Effect.gen(function* () {
    const opened = yield* calls.stream(call)
    const called = context.cached === undefined ? opened : context.cached.recording(opened)
    const checked =
      guard === undefined
        ? called
        : { ...called, events: guardedEvents(called.events, guard, held, source, finishAbandonedMs) }
    const upstream =
      captured === undefined
        ? checked
        : { ...checked, events: Effect.tap(checked.events, (events) => Effect.sync(() => captured.add(events))) }
    const spent = (yield* Clock.currentTimeMillis) - call.now
    const { firstToken } = deployment.timeouts
    const begun = yield* buffer(upstream.events, relay, false).pipe(
      Effect.raceFirst(silence(source, firstToken, firstToken - spent)),
      Effect.tapError(upstream.ended)
    )
    const startedAt = yield* upstream.started
    attempt.streaming(isBuffered ? undefined : startedAt)
    if (!isBuffered || (begun.isAll && !relay.isOver)) return { buffered: begun, upstream }
    // From here on the transport's own limits apply: `idle` and `total`.
    const rest = yield* Effect.tapError(buffer(upstream.events, relay, true), upstream.ended)
    return { buffered: { text: begun.text + rest.text, isAll: true }, upstream }
  }).pipe(
    Scope.provide(scope),
    Effect.onError(() => Scope.close(scope, Exit.void)),
    Effect.onInterrupt(() => Effect.sync(() => ledger.disconnected(attempt, source.produced.all()))),
    Effect.catch((error) => {
      ledger.failed(attempt, error, source.produced.all(), source.usage)
      return context.isDisconnected ? Effect.interrupt : Effect.fail(error)
    })
  )

  const settle = Effect.fnUntraced(function* (status: ReceiptStatus) {
    const reported = source.usage ?? relay.failure?.usage
    const usage = reported ?? (yield* context.estimatedUsage(reservation, source.produced.all()))
    const counts = relay.failure === undefined ? "request" : "failed_request"
    const { finishReasons = [], id, model, serviceTier } = source
    attempt.reported({ id, model, finishReasons })
    yield* ledger.settle(attempt, { usage, estimated: reported === undefined, counts, serviceTier, model }, status)
    return usage
  }, Effect.uninterruptible)
  // Runs if the stream is still open when its scope closes: the client disconnected, or the gateway shuts down. Closes the upstream
  // first, then settles what was produced.
  const settleOpen = Effect.suspend(() => {
    const status = ledger.interrupted() ? "client_gone" : "cut"
    return Effect.andThen(Scope.close(scope, Exit.void), Effect.ignore(settle(status)))
  })
  yield* Scope.addFinalizer(
    yield* Effect.scope,
    // The stream contains the settled cost, unless the store refused the row: then the stream breaks off.
    Effect.ensuring(
      Effect.suspend(() => (ledger.isStreaming ? settleOpen : Effect.void)),
      Effect.sync(() => ledger.finish("cut"))
    )
  )
  ledger.streaming()

  let settled: RoutingMetadata | undefined
  const ending = Effect.gen(function* () {
    relay.close()
    const { failure } = relay
    yield* upstream.ended(failure)
    if (failure !== undefined) {
      attempt.failed(failure)
      yield* Scope.close(scope, Exit.void)
    }
    const status = endOf(context, failure)
    const usage = yield* settle(status)
    if (failure !== undefined) return yield* failure
    settled = ledger.report(target, upstream.dropped)
    if (status === "ok") {
      context.cached?.settled("stream", deployment, usage, source.finishReasons ?? [], settled)
    }
    const { keep } = context.input
    const answer = keep === undefined ? undefined : relay.answer?.(usage)
    const isStored = answer === undefined || (yield* keep!(answer, usage, settled, guarded?.masked))
    return relay.ending({ ...settled, isStored }, usage)
  })
  let phase: "buffered" | "relaying" | "ending" | "draining" = "buffered"
  const relayed = Pull.matchEffect(upstream.events, {
    onSuccess: (events): NextEvents => {
      const text = relay.push(events)
      if (relay.isOver) phase = "ending"
      return text === "" ? next : Effect.succeed([text])
    },
    onFailure: (cause): NextEvents => {
      const failure = Cause.findErrorOption(cause)
      if (Option.isNone(failure)) return Effect.failCause(cause as Cause.Cause<never>)
      relay.failure ??= failure.value
      phase = "ending"
      return next
    },
    onDone: (): NextEvents => {
      phase = "ending"
      return next
    }
  })
  // One pull for the whole stream: combinators for its four parts would cost more than the work inside them.
  const next: NextEvents = Effect.suspend((): NextEvents => {
    switch (phase) {
      case "buffered":
        phase = buffered.isAll ? "ending" : "relaying"
        return buffered.text === "" ? next : Effect.succeed([buffered.text])
      case "relaying":
        return relayed
      case "ending":
        phase = "draining"
        return Effect.map(ending, (text) => [text])
      case "draining":
        return Effect.andThen(drain(upstream.events), Cause.done())
    }
  })
  const events = Stream.fromPull(Effect.succeed(next))
  attempt.adapted(context.adaptedAt(deployment, upstream.dropped))
  const report = ledger.report(target, upstream.dropped, reservation)
  const broken = relay.broken?.bind(relay)
  return { kind: "stream", events, report, settled: () => settled, broken } satisfies Answer as Answer
})

/** Fails after `ms` if the source has not started; one that has started has content that guardrails hold. */
const silence = (source: OperationStream, firstToken: number, ms: number): Effect.Effect<never, ProviderFailure> =>
  Effect.flatMap(Effect.sleep(Math.max(0, ms)), () => (source.started ? Effect.never : Effect.fail(silent(firstToken))))

/** How a stream ended that was not interrupted. */
const endOf = ({ input, isDisconnected }: CallContext, failure: ProviderFailure | undefined): ReceiptStatus =>
  isDisconnected
    ? "client_gone"
    : input.guarded?.denied !== undefined
      ? "blocked"
      : failure === undefined
        ? "ok"
        : "cut"

/** After a denial the provider's stream is read for `finishMs` at most, for its exact usage. */
const guardedEvents = (
  pull: Pull.Pull<ReadonlyArray<StreamEvent>, ProviderFailure>,
  guard: StreamGuard,
  held: HeldEvents | undefined,
  source: OperationStream,
  finishMs: number
): Pull.Pull<ReadonlyArray<StreamEvent>, ProviderFailure> => {
  let isOver = false
  const next = Pull.matchEffect(pull, {
    onSuccess: (events) => {
      source.push(events)
      const released = guard.push(events)
      return held === undefined ? Effect.succeed(released) : held.push(released, false)
    },
    onFailure: (cause) => Effect.failCause(cause),
    onDone: () => {
      if (isOver || guard.isStopped) return Cause.done()
      isOver = true
      const rest = guard.end()
      return held === undefined ? Effect.succeed(rest) : held.push(rest, true)
    }
  })
  const read = Effect.forever(Effect.flatMap(pull, (events) => Effect.sync(() => source.push(events))))
  return Effect.suspend(() =>
    guard.isStopped || held?.isStopped === true
      ? Effect.andThen(Effect.timeoutOption(Effect.ignore(read), finishMs), Cause.done())
      : next
  )
}

type NextEvents = Pull.Pull<readonly [string], ProviderFailure | StoreUnavailable>

/** Reads until the first content, or to the end (`toTheEnd`). Failures before that fail over without the caller noticing. */
const buffer = Effect.fnUntraced(function* (
  pull: Pull.Pull<ReadonlyArray<StreamEvent>, ProviderFailure>,
  relay: OperationStream,
  toTheEnd: boolean
) {
  let text = ""
  let events = 0
  while (true) {
    const batch = relay.isOver ? undefined : yield* Pull.catchDone(pull, () => Effect.void)
    if (batch !== undefined) text += relay.push(batch)
    // Everything that came together with the first content is sent with it: the response has begun.
    if (relay.started && !toTheEnd) return { text, isAll: relay.isOver }
    if (batch === undefined || relay.isOver) relay.close()
    if (relay.failure !== undefined) return yield* relay.failure
    if (batch === undefined || relay.isOver) return { text, isAll: true }
    events += batch.length
    if (!toTheEnd && (events > MAX_BUFFERED_EVENTS || text.length > MAX_BUFFERED_CHARACTERS))
      return { text, isAll: false }
  }
})

/** A connection whose response was read completely can be used again. An upstream that keeps sending after the end mark is cut off. */
const drain = (pull: Pull.Pull<unknown, ProviderFailure>) =>
  Effect.forever(pull).pipe(Effect.timeoutOption(MAX_DRAIN_MS), Effect.ignore)

const silent = (afterMs: number) =>
  new ProviderFailure({
    class: "first_token_timeout",
    status: 0,
    message: `no content came within ${afterMs / 1000} s`
  })
