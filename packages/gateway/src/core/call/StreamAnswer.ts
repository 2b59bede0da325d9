/** One attempt at a streamed answer: open it, hold it back until the first content, relay it, settle it, report its cost. */
import { Cause, Clock, Effect, Exit, Option, Pull, Scope, Stream } from "effect"
import type { Operation, OperationStream } from "../operations/Operation.ts"
import type { CallAccount } from "./CallAccount.ts"
import type { Attempt } from "./Failover.ts"
import type { Answer } from "./CallInput.ts"
import type { StreamEvent } from "../operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../pool/Protocol.ts"
import { ProviderFailure } from "../domain/Failures.ts"
import type { ProviderPool } from "../pool/ProviderPool.ts"
import type { ReceiptStatus } from "../receipts/Receipt.ts"
import type { RoutingMetadata } from "../operations/RoutingMetadata.ts"
import type { Reservation } from "../ledger/Reservation.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"

/** At most this many events are held before the first content; then the stream goes on without it. */
const MAX_HELD_EVENTS = 64
const MAX_HELD_CHARACTERS = 256 * 1024
/** How long the caller's answer waits for the upstream to close after its end mark. */
const MAX_LEAVE_MS = 100

export const streamAnswer = Effect.fnUntraced(function* (
  operation: Operation,
  account: CallAccount,
  attempt: Attempt,
  pool: ProviderPool["Service"],
  reservation: Reservation,
  call: UpstreamCall,
  buffered: boolean
) {
  const { deployment, request } = call
  const relay = operation.relay(request)
  // Each attempt has its own scope: a failed attempt's connection must be closed before the next one is made.
  const scope = yield* Scope.fork(yield* Effect.scope)
  const { held, upstream } = yield* Effect.gen(function* () {
    const upstream = yield* pool.stream(call)
    const spent = (yield* Clock.currentTimeMillis) - call.now
    const { firstToken } = deployment.timeouts
    const begun = yield* holdBack(upstream.events, relay, false).pipe(
      Effect.timeoutOrElse({
        duration: Math.max(0, firstToken - spent),
        orElse: () => Effect.fail(silent(firstToken))
      }),
      Effect.tapError(upstream.ended)
    )
    const startedAt = yield* upstream.started
    account.notes.streaming(buffered ? undefined : startedAt)
    if (!buffered || (begun.isAll && !relay.isOver)) return { held: begun, upstream }
    // From here on the transport's own limits hold: `idle` and `total`.
    const rest = yield* Effect.tapError(holdBack(upstream.events, relay, true), upstream.ended)
    return { held: { text: begun.text + rest.text, isAll: true }, upstream }
  }).pipe(
    Scope.provide(scope),
    Effect.onError(() => Scope.close(scope, Exit.void)),
    Effect.onInterrupt(() => Effect.sync(() => account.left(reservation, relay.produced.all()))),
    Effect.catch((error) => {
      account.failed(reservation, error, relay.produced.all(), relay.usage)
      return account.isCallerGone ? Effect.interrupt : Effect.fail(error)
    })
  )

  const settle = Effect.fnUntraced(function* (status: ReceiptStatus) {
    const told = relay.usage ?? relay.failure?.usage
    const usage = told ?? (yield* account.estimated(reservation, relay.produced.all()))
    const counts = relay.failure === undefined ? "request" : "failed_request"
    const { finishReasons = [], id, model, serviceTier } = relay
    account.notes.said({ id, model, finishReasons })
    yield* account.settle(reservation, { usage, estimated: told === undefined, counts, serviceTier, model }, status)
    return usage
  }, Effect.uninterruptible)
  // Runs if the stream is still open when its scope closes: the caller left, or the gateway shuts down. Closes the upstream first,
  // then settles what was produced.
  const leftOpen = Effect.suspend(() => {
    const status = account.notes.interrupted() ? "client_gone" : "cut"
    return Effect.andThen(Scope.close(scope, Exit.void), Effect.ignore(settle(status)))
  })
  yield* Scope.addFinalizer(
    yield* Effect.scope,
    // The caller is told the settled cost, unless the store refused the row: then the stream breaks off.
    Effect.ensuring(
      Effect.suspend(() => (account.isStreaming ? leftOpen : Effect.void)),
      Effect.sync(() => account.notes.over("cut"))
    )
  )
  account.handOver(reservation)

  let settled: RoutingMetadata | undefined
  const ending = Effect.gen(function* () {
    relay.close()
    const { failure } = relay
    yield* upstream.ended(failure)
    if (failure !== undefined) {
      account.notes.failed(failure)
      yield* Scope.close(scope, Exit.void)
    }
    const usage = yield* settle(account.isCallerGone ? "client_gone" : failure === undefined ? "ok" : "cut")
    if (failure !== undefined) return yield* failure
    settled = account.report(attempt, upstream.dropped)
    const { keep } = account.input
    const answer = keep === undefined ? undefined : relay.answer?.(usage)
    const isStored = answer === undefined || (yield* keep!(answer, usage, settled))
    return relay.ending({ ...settled, isStored }, usage)
  })
  let phase: "held" | "relaying" | "ending" | "leaving" = "held"
  const relayed = Pull.matchEffect(upstream.events, {
    onSuccess: (events): Next => {
      const text = relay.push(events)
      if (relay.isOver) phase = "ending"
      return text === "" ? next : Effect.succeed([text])
    },
    onFailure: (cause): Next => {
      const failure = Cause.findErrorOption(cause)
      if (Option.isNone(failure)) return Effect.failCause(cause as Cause.Cause<never>)
      relay.failure ??= failure.value
      phase = "ending"
      return next
    },
    onDone: (): Next => {
      phase = "ending"
      return next
    }
  })
  // One pull for the whole stream: combinators for its four parts would cost more than the work inside them.
  const next: Next = Effect.suspend((): Next => {
    switch (phase) {
      case "held":
        phase = held.isAll ? "ending" : "relaying"
        return held.text === "" ? next : Effect.succeed([held.text])
      case "relaying":
        return relayed
      case "ending":
        phase = "leaving"
        return Effect.map(ending, (text) => [text])
      case "leaving":
        return Effect.andThen(leave(upstream.events), Cause.done())
    }
  })
  const events = Stream.fromPull(Effect.succeed(next))
  account.adapted(attempt, upstream.dropped)
  const report = account.report(attempt, upstream.dropped, reservation.reserved, reservation.isBound)
  const broken = relay.broken?.bind(relay)
  return { kind: "stream", events, report, settled: () => settled, broken } satisfies Answer as Answer
})

type Next = Pull.Pull<readonly [string], ProviderFailure | StoreUnavailable>

/** Reads until there is content to show, or to the end (`toTheEnd`). Faults before that fail over without the caller noticing. */
const holdBack = Effect.fnUntraced(function* (
  pull: Pull.Pull<ReadonlyArray<StreamEvent>, ProviderFailure>,
  relay: OperationStream,
  toTheEnd: boolean
) {
  let text = ""
  let events = 0
  while (true) {
    const batch = relay.isOver ? undefined : yield* Pull.catchDone(pull, () => Effect.void)
    if (batch !== undefined) text += relay.push(batch)
    // Everything that came together with the first content is shown with it: the answer has begun.
    if (relay.started && !toTheEnd) return { text, isAll: relay.isOver }
    if (batch === undefined || relay.isOver) relay.close()
    if (relay.failure !== undefined) return yield* relay.failure
    if (batch === undefined || relay.isOver) return { text, isAll: true }
    events += batch.length
    if (!toTheEnd && (events > MAX_HELD_EVENTS || text.length > MAX_HELD_CHARACTERS)) return { text, isAll: false }
  }
})

/**
 * A connection whose answer was read completely can be used again. An upstream that keeps sending after the end mark is cut off.
 */
const leave = (pull: Pull.Pull<unknown, ProviderFailure>) =>
  Effect.forever(pull).pipe(Effect.timeoutOption(MAX_LEAVE_MS), Effect.ignore)

const silent = (afterMs: number) =>
  new ProviderFailure({
    class: "first_token_timeout",
    status: 0,
    message: `no content came within ${afterMs / 1000} s`,
    type: null,
    code: null,
    param: null
  })
