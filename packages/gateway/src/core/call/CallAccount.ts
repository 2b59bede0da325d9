/**
 * The books of one request: what is reserved for the current attempt, what earlier attempts cost, and how the open reservation
 * closes if the request ends early.
 */
import { Cause, type Clock, Effect, Option } from "effect"
import type { Baseline } from "../ledger/Savings.ts"
import type { Decision } from "../routing/Decision.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { CallInput, GatewayError } from "./CallInput.ts"
import type { Attempt } from "./Failover.ts"
import { type BudgetExceeded, Exhausted, type StoreUnavailable } from "../domain/Errors.ts"
import type { Bound } from "../domain/pricing/Bound.ts"
import { isFree } from "../domain/pricing/Pricing.ts"
import { boundOf, hasBudget } from "../bounds/Bounds.ts"
import { closerInput } from "../bounds/CountedInput.ts"
import { estimateAnswer } from "../bounds/Estimate.ts"
import { knownFields, type SentFields, withoutBilling } from "../bounds/BoundFields.ts"
import { type Look, type Measures, unmeasured, measure } from "../media/Measure.ts"
import type { NanoUsd } from "../domain/Money.ts"
import { type MediaTokens, mediaTokens } from "../bounds/MediaTokens.ts"
import type { OutputLimits } from "./OutputLimits.ts"
import type { OperationName } from "../domain/OperationName.ts"
import { nothing, type Produced, unseen } from "../operations/ProducedText.ts"
import { isBilled, ProviderFailure, Unsupported } from "../domain/Failures.ts"
import type { ProviderPool } from "../pool/ProviderPool.ts"
import type { Permit } from "../limits/Admitted.ts"
import type { FullBudget, ReceiptStatus } from "../receipts/Receipt.ts"
import { ReceiptNotes } from "./ReceiptNotes.ts"
import type { RoutingMetadata } from "../operations/RoutingMetadata.ts"
import type { ReceiptEvents } from "../receipts/ReceiptEvents.ts"
import { type TierPlan, tierPlan } from "../bounds/TierPlan.ts"
import type { Counts, Ended, Outcome, Reservation } from "../ledger/Reservation.ts"
import type { SpendLedger } from "../ledger/SpendLedger.ts"
import { unseenClass, withUnseen } from "./Unseen.ts"
import { totalTokens, type Usage } from "../domain/Usage.ts"

/**
 * Where the last attempt stands in the books. Every step from one state to the next is a method of `CallAccount`, for plain and
 * streamed answers alike.
 */
type Books =
  /** Nothing is reserved: no attempt was made, or the last one is booked. */
  | { readonly at: "nothing open" }
  | {
      readonly at: "reserved"
      readonly reservation: Reservation
      /** How the reservation closes if no answer settles it. */
      readonly ending: Effect.Effect<Ended | undefined, StoreUnavailable>
      /** Why the attempt failed, if its provider may bill it. */
      readonly givenUp: ProviderFailure | undefined
    }
  /** The answer has begun to stream: the end of the stream settles it. */
  | { readonly at: "streaming"; readonly reservation: Reservation }
  /** The attempt ended, and it is not known yet whether another one follows. */
  | { readonly at: "ended"; readonly ended: Ended | undefined }

const NOTHING_OPEN: Books = { at: "nothing open" }

/** Run its effects uninterruptibly: an interrupted one would leave a reservation open. */
export class CallAccount {
  readonly input: CallInput
  private readonly operation: OperationName
  readonly notes: ReceiptNotes
  private readonly decision: Decision
  private readonly permit: Permit
  private readonly ledger: SpendLedger["Service"]
  private readonly pool: Pick<ProviderPool["Service"], "outputRate">
  private readonly clock: Clock.Clock
  private readonly baseline: Baseline | undefined
  private readonly outputLimits: OutputLimits
  /** What is known of the non-text parts: sizes, pages, seconds. */
  measures: Measures = unmeasured
  /** Fetches images on the web for their sizes. */
  look: Look | undefined
  /** What the last deployment that was looked at is sent. */
  private sent: (SentFields & { readonly deployment: Deployment }) | undefined
  /** The last bound that was computed. */
  private found: { readonly deployment: Deployment; readonly bound: Bound | Unsupported } | undefined
  private billed: NanoUsd = 0
  /** Something was billed that has no known price. */
  private hasUnpriced = false
  /** Billed tokens of attempts that ended without an answer. */
  private used = 0
  private books: Books = NOTHING_OPEN

  constructor(
    operation: OperationName,
    input: CallInput,
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

  /** The caller left while the request went on: no further attempt is made. */
  get isCallerGone(): boolean {
    return this.input.departure?.isGone === true
  }

  /**
   * Holds the worst case of an attempt. If the attempt's end is never told, its input is booked as an estimate: the provider has
   * read it.
   */
  reserve(attempt: Attempt): Effect.Effect<Reservation, Unreserved | Exhausted> {
    this.notes.choosing(attempt.deployment)
    const { books } = this
    if (books.at !== "reserved") return Effect.map(this.hold(attempt), (reservation) => this.asking(reservation))
    const { givenUp, reservation } = books
    return givenUp === undefined ? this.reserveInstead(attempt) : this.reserveBeside(attempt, reservation, givenUp)
  }

  /**
   * The previous attempt may be billed, so its amount stays held until this attempt has its own reservation. Without room for
   * both, no further attempt is made and the previous failure is the request's.
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

  /**
   * The previous attempt is not billed, so this one may use what it held. If there is still no room, the request counts as failed.
   */
  private reserveInstead(attempt: Attempt) {
    return Effect.flatMap(this.end(), (ended) =>
      Effect.flatMap(this.hold(attempt), (reservation) => this.bookBefore(ended, reservation))
    )
  }

  /** The previous attempt does not count as a request, since this one follows. */
  private bookBefore(ended: Ended | undefined, reservation: Reservation) {
    this.books = { at: "reserved", reservation, ending: this.unasked(reservation), givenUp: undefined }
    return Effect.map(this.book(ended, "nothing"), () => this.asking(reservation))
  }

  /** The service tier to ask a deployment for, and the dearest one it may answer in. */
  tierAt(deployment: Deployment): TierPlan {
    return tierPlan(deployment, this.sentTo(deployment).request, hasBudget(this.input.caller))
  }

  /**
   * The request as a deployment is sent it. Under a budget, fields of unknown cost are removed; who pays the provider is
   * decided by the operator.
   */
  sentTo(deployment: Deployment): SentFields {
    if (this.sent?.deployment === deployment) return this.sent
    const { caller, request } = this.input
    const owed = deployment.callerBilling === "allow" ? { request, removed: [] } : withoutBilling(request)
    const isCounted = deployment.price !== undefined && !isFree(deployment.price)
    const known =
      isCounted && hasBudget(caller) && caller.key.unknownFields === "remove"
        ? knownFields(owed.request, this.operation, deployment.vendor)
        : { request: owed.request, removed: [] }
    this.sent = { deployment, request: known.request, removed: [...owed.removed, ...known.removed] }
    return this.sent
  }

  /**
   * The deployments to ask, in order. Under a budget, those that can bound the request come before those that can't: finding that
   * out during failover would use up retries.
   */
  candidates(): ReadonlyArray<Deployment> {
    const { candidates } = this.decision
    if (!hasBudget(this.input.caller) || this.isBoundAt(candidates[0]!)) return candidates
    const bounded = candidates.filter((deployment) => this.isBoundAt(deployment))
    return bounded.length === 0 ? candidates : bounded
  }

  private isBoundAt(deployment: Deployment): boolean {
    if (deployment.price === undefined) return true
    this.found = { deployment, bound: boundOf(this.sentTo(deployment).request, deployment, this.measures) }
    return !(this.found.bound instanceof Unsupported)
  }

  /** Under a budget the most that this request can cost must be known. Without a budget, as much as is known is held. */
  private hold({ deployment, number }: Attempt): Effect.Effect<Reservation, Unreserved> {
    const { caller, requestId, strict, tags } = this.input
    const { removed, request } = this.sentTo(deployment)
    if (strict && removed.length > 0) return Effect.fail(notKnown(removed[0]!, deployment))
    const { found: known } = this
    const found = known?.deployment === deployment ? known.bound : boundOf(request, deployment, this.measures)
    const isBound = !(found instanceof Unsupported)
    if (found instanceof Unsupported && deployment.price !== undefined && hasBudget(caller)) return Effect.fail(found)
    const bound = found instanceof Unsupported ? undefined : found
    const { dearest, orStandard } = this.tierAt(deployment)
    return this.ledger.reserve({
      requestId,
      attempt: number,
      caller,
      deployment,
      operation: this.operation,
      inputBound: bound?.input ?? request.textBound,
      bound,
      isBound,
      countInput: this.closer(deployment, bound),
      countUnits: request.billing?.closerUnits?.(deployment),
      assumedOutput: this.outputLimits.of(deployment),
      maxOutput: request.maxOutput,
      choices: request.choices,
      tags,
      baseline: this.baseline,
      tier: dearest,
      orStandard,
      outputRate: this.rateAt(deployment)
    })
  }

  /** Undefined where the provider goes on, and bills, when its connection ends, or bills otherwise than by the token. */
  private rateAt(deployment: Deployment): number | undefined {
    const { billsAfterDisconnect: billed = "none" } = deployment
    const { billing, stream } = this.input.request
    if (billing !== undefined || billed === "all" || (billed === "plain" && !stream)) return undefined
    const rate = this.pool.outputRate(deployment.id)
    return rate > 0 ? rate : undefined
  }

  /** The input to hold where the bound does not fit: images on the web are measured and text is counted. */
  private closer(deployment: Deployment, bound: Bound | undefined): Effect.Effect<number> {
    const { request } = this.sentTo(deployment)
    if (bound === undefined) return NONE_CLOSER
    if (request.billing !== undefined) return Effect.succeed(bound.input)
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
   * An attempt failed after `produced`. `usage`: what its provider said it used. Its cost is booked once it is known whether
   * another attempt follows.
   */
  failed(reservation: Reservation, error: ProviderFailure | Unsupported, produced: Produced, usage?: Usage): void {
    this.notes.failed(error)
    this.input.departure?.goesOnFor(0)
    const told = usage ?? (error instanceof ProviderFailure ? error.usage : undefined)
    const billable = told !== undefined || produced.text !== "" || (error instanceof ProviderFailure && isBilled(error))
    const ending =
      told !== undefined
        ? Effect.suspend(() => this.ledger.end(reservation, { usage: told, estimated: false }))
        : billable
          ? this.estimate(reservation, produced)
          : this.unasked(reservation)
    const givenUp = billable && error instanceof ProviderFailure ? error : undefined
    this.books = { at: "reserved", reservation, ending, givenUp }
  }

  /** The caller left before anything was shown to it. What was produced until then is still billed. */
  left(reservation: Reservation, produced: Produced): void {
    this.books = { at: "reserved", reservation, ending: this.estimate(reservation, produced), givenUp: undefined }
  }

  /** The estimated usage of an attempt whose provider told none, from its start until now. */
  estimated(reservation: Reservation, produced: Produced): Effect.Effect<Usage> {
    const { request } = this.input
    const { at, deployment } = reservation
    const ms = this.clock.currentTimeMillisUnsafe() - at
    const written = request.billing === undefined ? unseenClass(deployment, request, produced) : undefined
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

  /**
   * Records the usage of the last attempt and reports how the request ended. The row is on disk when the effect completes.
   */
  settle(reservation: Reservation, outcome: Outcome, status: ReceiptStatus): Effect.Effect<void, StoreUnavailable> {
    return Effect.suspend(() => {
      if (status === "ok") this.notes.answered()
      else if (status === "client_gone") this.notes.interrupted()
      const ending = this.ledger.end(reservation, { requests: reservation.requests, ...outcome })
      return Effect.flatMap(ending, (ended) => {
        this.books = NOTHING_OPEN
        this.notes.ended(ended)
        return Effect.flatMap(this.ledger.book(ended, outcome.counts), (cost) => {
          this.booked(ended, cost)
          this.notes.over(status)
          // A failing limiter must not fail the response: at worst it keeps counting the expected tokens.
          return Effect.ignore(this.permit.settle(this.used + totalTokens(outcome.usage)))
        })
      })
    })
  }

  /** Closes the reservation if one is still open. */
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

  /** The request ends without an answer: closes what is open and reports the end. */
  giveUp(cause: Cause.Cause<GatewayError>): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.notes.isOver) return Effect.void
      const isLeft = Cause.hasInterruptsOnly(cause) && this.notes.interrupted()
      // Nothing failed where the caller left.
      return Effect.flatMap(Effect.ignore(this.close(isLeft ? "request" : "failed_request")), () => {
        this.notes.over(isLeft ? "client_gone" : statusOf(cause), fullBudgetOf(cause))
        return Effect.ignore(this.permit.settle(this.used))
      })
    })
  }

  /** The stream has begun: from here on its own finalizer closes the reservation. */
  handOver(reservation: Reservation): void {
    this.books = { at: "streaming", reservation }
  }

  /** The answer is streaming and not settled yet. */
  get isStreaming(): boolean {
    return this.books.at === "streaming"
  }

  /** `reserved`: the upper bound of an answer whose cost is not known yet, or the amount held where there is no upper bound. */
  report(attempt: Attempt, dropped: ReadonlyArray<string>, reserved: NanoUsd = 0, isBound = true): RoutingMetadata {
    const { bucket, score } = this.decision
    const { deployment, number: retries } = attempt
    const isPriced = deployment.price !== undefined && !this.hasUnpriced && isBound
    const booked = this.billed + reserved
    const cost = isPriced || booked > 0 ? booked : null
    const left = this.adaptedFor(attempt, dropped)
    return { requestId: this.input.requestId, deployment, bucket, score, retries, cost, isPriced, dropped: left }
  }

  /** Puts the fields that were left out or changed into the receipt. */
  adapted(attempt: Attempt, dropped: ReadonlyArray<string>): void {
    this.notes.adapted(this.adaptedFor(attempt, dropped))
  }

  private adaptedFor({ deployment }: Attempt, dropped: ReadonlyArray<string>): ReadonlyArray<string> {
    const { removed } = this.sentTo(deployment)
    return removed.length === 0 ? dropped : [...removed, ...dropped]
  }

  /** Ends the open reservation, if there is one, without booking it yet. */
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
      return this.ledger.end(reservation, { usage, estimated: true, requests: reservation.requests })
    })
  }

  private unasked(reservation: Reservation): Effect.Effect<Ended | undefined, StoreUnavailable> {
    return Effect.suspend(() => this.ledger.end(reservation, undefined))
  }

  private book(ended: Ended | undefined, counts: Counts): Effect.Effect<void, StoreUnavailable> {
    return Effect.map(this.ledger.book(ended, counts), (cost) => this.booked(ended, cost))
  }

  private booked(ended: Ended | undefined, cost: NanoUsd): void {
    // A cost that lacks a part must be marked as such.
    if (ended?.isUnpriced === true) this.hasUnpriced = true
    else this.billed += cost
  }
}

const notKnown = (param: string, { id }: Deployment) =>
  new Unsupported({
    param,
    message: `\`${param}\` is removed before a request is sent to ${id}, because its cost is not covered by the budget: leave it out, or send the request without X-Gateway-Strict`
  })

type Unreserved = BudgetExceeded | StoreUnavailable | Unsupported

/** A request without a bound has no closer one either. It only gets here without a budget, where nothing has to fit. */
const NONE_CLOSER = Effect.succeed(Number.POSITIVE_INFINITY)

const isUnbounded = (error: GatewayError | undefined): boolean =>
  error?._tag === "Unsupported" && error.code === "cost_unbounded"

/** The status of a request that got no answer. */
const statusOf = (cause: Cause.Cause<GatewayError>): ReceiptStatus => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  const isRefused = error?._tag === "BudgetExceeded" || error?._tag === "StoreUnavailable" || isUnbounded(error)
  return isRefused ? "refused" : "failed"
}

const fullBudgetOf = (cause: Cause.Cause<GatewayError>): FullBudget | undefined => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error?._tag !== "BudgetExceeded") return undefined
  const { limit, needed, scope, used, window } = error
  return { scope, window, limit, used, needed }
}
