/**
 * The books of one request: what is reserved for the attempt under way, what attempts before it cost, and how the open
 * reservation closes if nothing better comes.
 */
import { Cause, type Clock, Effect, Option } from "effect"
import type { Baseline } from "../ledger/Savings.ts"
import type { Decision } from "../routing/Decision.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { ChatInput, GatewayError } from "./CallInput.ts"
import type { Attempt } from "./Failover.ts"
import { type BudgetExceeded, Exhausted, type StoreUnavailable } from "../domain/Errors.ts"
import { type Bound, boundOf, hasBudget } from "../bounds/Bounds.ts"
import { closerInput } from "../bounds/CountedInput.ts"
import { estimateAnswer } from "../bounds/Estimate.ts"
import { type Measures, unmeasured, measure } from "../media/Measure.ts"
import type { NanoUsd } from "../domain/Money.ts"
import type { ImageSize } from "../media/ImageSize.ts"
import { type MediaTokens, mediaTokens } from "../bounds/MediaTokens.ts"
import type { OutputLimits } from "./OutputLimits.ts"
import type { OperationName } from "../operations/OperationName.ts"
import { nothing, type Produced, unseen } from "../operations/ProducedText.ts"
import { ProviderFailure, Unsupported } from "../domain/Failures.ts"
import type { ProviderPool } from "../pool/ProviderPool.ts"
import type { Permit } from "../limits/RateLimiter.ts"
import type { ReceiptStatus } from "../receipts/Receipt.ts"
import { ReceiptNotes } from "./ReceiptNotes.ts"
import type { RoutingMetadata } from "../operations/RoutingMetadata.ts"
import type { ReceiptEvents } from "../receipts/ReceiptEvents.ts"
import { type TierPlan, tierPlan } from "../bounds/TierPlan.ts"
import type { Counts, Ended, Outcome, Reservation } from "../ledger/Reservation.ts"
import type { SpendLedger } from "../ledger/SpendLedger.ts"
import { unseenClass, withUnseen } from "./Unseen.ts"
import { totalTokens, type Usage } from "../domain/Usage.ts"

/**
 * How far the books of the last attempt are. Every way from one state to the next is a method of `CallAccount`, for plain and
 * streamed answers alike.
 */
type Books =
  /** Nothing is reserved: no attempt was made, or the last one is booked. */
  | { readonly at: "nothing open" }
  | {
      readonly at: "reserved"
      readonly reservation: Reservation
      /** How it ends if nothing better comes. */
      readonly ending: Effect.Effect<Ended | undefined, StoreUnavailable>
      /** The attempt was given up, and its provider may bill it. */
      readonly givenUp: ProviderFailure | undefined
    }
  /** The answer has begun to stream: the end of the stream settles it. */
  | { readonly at: "streaming"; readonly reservation: Reservation }
  /** The attempt ended, and nobody knows yet whether another one follows. */
  | { readonly at: "ended"; readonly ended: Ended | undefined }

const NOTHING_OPEN: Books = { at: "nothing open" }

/** Its effects are not to be interrupted: what one of them began would stay open. */
export class CallAccount {
  readonly input: ChatInput
  private readonly operation: OperationName
  readonly notes: ReceiptNotes
  private readonly decision: Decision
  private readonly permit: Permit
  private readonly ledger: SpendLedger["Service"]
  private readonly pool: Pick<ProviderPool["Service"], "outputRate">
  private readonly clock: Clock.Clock
  private readonly baseline: Baseline | undefined
  private readonly outputLimits: OutputLimits
  /** What was seen of the parts that are no text. */
  measures: Measures = unmeasured
  /** Looks at an image on the web. */
  look: ((url: string) => Effect.Effect<ImageSize | undefined>) | undefined
  /** The bound that was asked for last. */
  private found: { readonly deployment: Deployment; readonly bound: Bound | Unsupported } | undefined
  private billed: NanoUsd = 0
  /** Something was billed whose price nobody knows. */
  private hasUnpriced = false
  /** Tokens of attempts that ended without an answer and were billed. */
  private used = 0
  private books: Books = NOTHING_OPEN

  constructor(
    operation: OperationName,
    input: ChatInput,
    decision: Decision,
    permit: Permit,
    ledger: SpendLedger["Service"],
    pool: Pick<ProviderPool["Service"], "outputRate">,
    log: ReceiptEvents["Service"],
    clock: Clock.Clock,
    baseline: Baseline | undefined,
    outputLimits: OutputLimits
  ) {
    this.operation = operation
    this.input = input
    this.notes = new ReceiptNotes(input, decision, log, clock)
    this.decision = decision
    this.permit = permit
    this.ledger = ledger
    this.pool = pool
    this.clock = clock
    this.baseline = baseline
    this.outputLimits = outputLimits
  }

  /** The caller left while the request went on: nobody is there for another attempt. */
  get isCallerGone(): boolean {
    return this.input.departure?.isGone === true
  }

  /** Holds the worst case of an attempt. If nobody says how it ended, its input is booked as an estimate: the provider read it. */
  reserve(attempt: Attempt): Effect.Effect<Reservation, Unreserved | Exhausted> {
    this.notes.choosing(attempt.deployment)
    const { books } = this
    if (books.at !== "reserved") return Effect.map(this.hold(attempt), (reservation) => this.asking(reservation))
    const { givenUp, reservation } = books
    return givenUp === undefined ? this.reserveInstead(attempt) : this.reserveBeside(attempt, reservation, givenUp)
  }

  /**
   * What the attempt before may be billed stays held until this one has its own. Without room for both there is no other attempt,
   * and that failure is the request's.
   */
  private reserveBeside(attempt: Attempt, before: Reservation, failure: ProviderFailure) {
    return Effect.matchEffect(this.hold(attempt), {
      onFailure: (error): Effect.Effect<never, Unreserved | Exhausted> => {
        if (error._tag !== "BudgetExceeded") return Effect.fail(error)
        this.notes.choosing(before.deployment)
        const { class: name, message, status } = failure
        return Effect.fail(new Exhausted({ class: name, status, message, attempts: attempt.number }))
      },
      onSuccess: (reservation) => Effect.flatMap(this.end(), (ended) => this.bookBefore(ended, reservation))
    })
  }

  /** What the attempt before held is free for this one. If there is no room all the same, it counts as the request's failure. */
  private reserveInstead(attempt: Attempt) {
    return Effect.flatMap(this.end(), (ended) =>
      Effect.flatMap(this.hold(attempt), (reservation) => this.bookBefore(ended, reservation))
    )
  }

  /** The attempt before counts as nothing, since this one follows. */
  private bookBefore(ended: Ended | undefined, reservation: Reservation) {
    this.books = { at: "reserved", reservation, ending: this.unasked(reservation), givenUp: undefined }
    return Effect.map(this.book(ended, "nothing"), () => this.asking(reservation))
  }

  /** What service tier a call to a deployment is sent with, and the dearest it may come back with. */
  tierAt(deployment: Deployment): TierPlan {
    return tierPlan(deployment, this.input.request, hasBudget(this.input.caller))
  }

  /**
   * The deployments to ask, in their order. Under a budget one that can't bound the request gives way to those that can: to find that
   * out on the way would use up retries that others need.
   */
  candidates(): ReadonlyArray<Deployment> {
    const { candidates } = this.decision
    if (!hasBudget(this.input.caller) || this.isBoundAt(candidates[0]!)) return candidates
    const bounded = candidates.filter((deployment) => this.isBoundAt(deployment))
    return bounded.length === 0 ? candidates : bounded
  }

  private isBoundAt(deployment: Deployment): boolean {
    if (deployment.price === undefined) return true
    this.found = { deployment, bound: boundOf(this.input.request, deployment, this.measures) }
    return !(this.found.bound instanceof Unsupported)
  }

  /** What this request can cost there has to be known under a budget; without one it is held as far as it is. */
  private hold({ deployment, number }: Attempt): Effect.Effect<Reservation, Unreserved> {
    const { caller, request, requestId, tags } = this.input
    const { found: known } = this
    const found = known?.deployment === deployment ? known.bound : boundOf(request, deployment, this.measures)
    const isBound = !(found instanceof Unsupported)
    if (found instanceof Unsupported && deployment.price !== undefined && hasBudget(caller)) return Effect.fail(found)
    const bound = found instanceof Unsupported ? undefined : found
    return this.ledger.reserve({
      requestId,
      attempt: number,
      caller,
      deployment,
      operation: this.operation,
      inputBound: bound?.input ?? request.textBound,
      bound,
      isBound,
      countInput: bound === undefined ? NONE_CLOSER : this.closer(deployment, bound),
      assumedOutput: this.outputLimits.of(deployment),
      maxOutput: request.maxOutput,
      choices: request.choices,
      tags,
      baseline: this.baseline,
      tier: this.tierAt(deployment).dearest
    })
  }

  /** What is held where its bound does not fit: images on the web are looked at, text is counted. */
  private closer(deployment: Deployment, bound: Bound): Effect.Effect<number> {
    const { request } = this.input
    const { media } = request
    const isUnseen = media.some((part) => part.kind === "image" && !this.measures.has(part.path))
    const { look } = this
    if (!isUnseen || look === undefined) return closerInput(request, deployment, bound)
    return Effect.flatMap(measure(media, look), (measures) => {
      this.measures = measures
      const closer = boundOf(request, deployment, measures)
      return closerInput(request, deployment, closer instanceof Unsupported ? bound : closer)
    })
  }

  private asking(reservation: Reservation): Reservation {
    this.notes.asking(reservation)
    const { stream } = this.input.request
    const ending = Effect.suspend(() => this.estimate(reservation, stream ? nothing : unseen))
    this.books = { at: "reserved", reservation, ending, givenUp: undefined }
    return reservation
  }

  /**
   * An attempt failed after `produced`; `usage`: what its provider told that it used. What it cost, if anything, is booked once it is
   * known whether another one follows.
   */
  failed(reservation: Reservation, error: ProviderFailure | Unsupported, produced: Produced, usage?: Usage): void {
    this.notes.failed(error)
    this.input.departure?.goesOnFor(0)
    const told = usage ?? (error instanceof ProviderFailure ? error.usage : undefined)
    const billable = told !== undefined || produced.text !== "" || (error instanceof ProviderFailure && isBilled(error))
    const ending =
      told !== undefined
        ? this.ledger.end(reservation, { usage: told, estimated: false })
        : billable
          ? this.estimate(reservation, produced)
          : this.unasked(reservation)
    const givenUp = billable && error instanceof ProviderFailure ? error : undefined
    this.books = { at: "reserved", reservation, ending, givenUp }
  }

  /** The caller went while the answer was held back: what was produced by then is paid for all the same. */
  left(reservation: Reservation, produced: Produced): void {
    this.books = { at: "reserved", reservation, ending: this.estimate(reservation, produced), givenUp: undefined }
  }

  /** What an attempt used whose provider did not say, from its beginning until now. */
  estimated(reservation: Reservation, produced: Produced): Effect.Effect<Usage> {
    const { request } = this.input
    const { at, deployment } = reservation
    const ms = this.clock.currentTimeMillisUnsafe() - at
    const written = unseenClass(deployment, request, produced)
    const seen = Effect.flatMap(this.media(deployment), (media) => estimateAnswer(request, deployment, produced, media))
    if (written === undefined) return seen
    const rate = this.pool.outputRate(deployment.id)
    return Effect.map(seen, (usage) => withUnseen(usage, written, reservation, request, ms, rate))
  }

  private media(deployment: Deployment): Effect.Effect<MediaTokens | undefined> {
    const { caller, request } = this.input
    if (request.media.length === 0) return Effect.undefined
    const seen = this.measures === unmeasured ? measure(request.media, undefined) : Effect.succeed(this.measures)
    return Effect.map(seen, (measures) => mediaTokens(request, deployment, measures, hasBudget(caller)))
  }

  /** Books what the last attempt used, on disk when this completes, and tells how the request ended. */
  settle(reservation: Reservation, outcome: Outcome, status: ReceiptStatus) {
    return Effect.suspend(() => {
      if (status === "ok") this.notes.answered()
      else if (status === "client_gone") this.notes.interrupted()
      return Effect.flatMap(this.ledger.end(reservation, outcome), (ended) => {
        this.books = NOTHING_OPEN
        this.notes.ended(ended)
        return Effect.flatMap(this.book(ended, outcome.counts), () => {
          this.notes.over(status)
          // The limiter's trouble is not the answer's: at worst it counts what was expected.
          return Effect.ignore(this.permit.settle(this.used + totalTokens(outcome.usage)))
        })
      })
    })
  }

  /** Closes the reservation that is still open, if one is. */
  close(counts: Counts): Effect.Effect<void, StoreUnavailable> {
    return Effect.suspend(() => {
      const { books } = this
      if (books.at === "nothing open" || books.at === "streaming") return Effect.void
      return Effect.flatMap(books.at === "ended" ? Effect.succeed(books.ended) : this.end(), (ended) => {
        this.books = NOTHING_OPEN
        return this.book(ended, counts)
      })
    })
  }

  /** The request ends without an answer: closes what is open, and tells how it ended. */
  giveUp(cause: Cause.Cause<GatewayError>): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.notes.isOver) return Effect.void
      const isLeft = Cause.hasInterruptsOnly(cause) && this.notes.interrupted()
      return Effect.flatMap(Effect.ignore(this.close("failed_request")), () => {
        this.notes.over(isLeft ? "client_gone" : statusOf(cause))
        return Effect.ignore(this.permit.settle(this.used))
      })
    })
  }

  /** The stream has begun: from here on its own finalizer closes the reservation. */
  handOver(reservation: Reservation): void {
    this.books = { at: "streaming", reservation }
  }

  /** The answer streams, and nobody has settled it. */
  get isStreaming(): boolean {
    return this.books.at === "streaming"
  }

  /** `reserved`: the upper bound of an answer whose cost is not known yet, or what is held where nobody knows one. */
  report(attempt: Attempt, dropped: ReadonlyArray<string>, reserved: NanoUsd = 0, isBound = true): RoutingMetadata {
    const { bucket, score } = this.decision
    const { deployment, number: retries } = attempt
    const isPriced = deployment.price !== undefined && !this.hasUnpriced && isBound
    const booked = this.billed + reserved
    const cost = isPriced || booked > 0 ? booked : null
    return { requestId: this.input.requestId, deployment, bucket, score, retries, cost, isPriced, dropped }
  }

  /** The open reservation, if one is, ends and is not booked yet. */
  private end(): Effect.Effect<Ended | undefined, StoreUnavailable> {
    const { books } = this
    if (books.at !== "reserved") return Effect.undefined
    return Effect.map(books.ending, (ended) => {
      this.books = { at: "ended", ended }
      this.notes.ended(ended)
      return ended
    })
  }

  private estimate(reservation: Reservation, produced: Produced): Effect.Effect<Ended | undefined, StoreUnavailable> {
    return Effect.flatMap(this.estimated(reservation, produced), (usage) => {
      this.used += totalTokens(usage)
      return this.ledger.end(reservation, { usage, estimated: true })
    })
  }

  private unasked(reservation: Reservation): Effect.Effect<Ended | undefined, StoreUnavailable> {
    return this.ledger.end(reservation, undefined)
  }

  private book(ended: Ended | undefined, counts: Counts): Effect.Effect<void, StoreUnavailable> {
    return Effect.map(this.ledger.book(ended, counts), (cost) => {
      // A part of a cost must not look like the whole of it.
      if (ended?.isUnpriced === true) this.hasUnpriced = true
      else this.billed += cost
    })
  }
}

type Unreserved = BudgetExceeded | StoreUnavailable | Unsupported

/** What nothing bounds has no closer bound either; it is only held without a budget, where nothing has to fit. */
const NONE_CLOSER = Effect.succeed(Number.POSITIVE_INFINITY)

/** Providers bill what they read and wrote, also when it did not arrive; errors they answer with are free. */
const isBilled = (failure: ProviderFailure): boolean =>
  failure.class === "first_token_timeout" || failure.class === "truncated"

const isUnbounded = (error: GatewayError | undefined): boolean =>
  error?._tag === "Unsupported" && error.code === "cost_unbounded"

/** Of a request that got no answer. */
const statusOf = (cause: Cause.Cause<GatewayError>): ReceiptStatus => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  const isRefused = error?._tag === "BudgetExceeded" || error?._tag === "StoreUnavailable" || isUnbounded(error)
  return isRefused ? "refused" : "failed"
}
