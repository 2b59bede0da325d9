/** The ledger of one call: the reservation of the current attempt, the cost of earlier ones, and the receipt when the call ends. */
import { Cause, Effect, Option, type Scope } from "effect"
import type { Deployment } from "../domain/Deployment.ts"
import { type BudgetExceeded, Exhausted, isOfRule, type RateLimited, type StoreUnavailable } from "../domain/Errors.ts"
import { isBilled, ProviderFailure, Unsupported } from "../domain/Failures.ts"
import type { NanoUsd } from "../domain/Money.ts"
import { totalTokens, type Usage } from "../domain/Usage.ts"
import type { Counts, Ended, Outcome, Reservation } from "../ledger/Reservation.ts"
import type { SpendLedger } from "../ledger/SpendLedger.ts"
import type { AttemptPermit } from "../limits/Admitted.ts"
import { nothing, type Produced, unseen } from "../operations/ProducedText.ts"
import type { RoutingMetadata } from "../operations/RoutingMetadata.ts"
import { AttemptRecord } from "../receipts/AttemptRecord.ts"
import { CallReceipt } from "../receipts/CallReceipt.ts"
import type { ReceiptStatus } from "../receipts/Receipt.ts"
import type { CallContext } from "./CallContext.ts"
import type { GatewayError } from "./CallInput.ts"
import type { AttemptTarget } from "./Failover.ts"

type Unreserved = BudgetExceeded | StoreUnavailable | Unsupported
type Closing = Effect.Effect<Ended | undefined, StoreUnavailable>

/** The state of the last attempt. Only the methods of `CallLedger` change it, for complete and streamed responses alike. */
type CallState =
  /** Nothing is reserved: no attempt was made, or the last one is charged. */
  | { readonly is: "closed" }
  /** `close`: ends the reservation if no response settles it. `failure`: why the attempt failed, if its provider may charge it. */
  | {
      readonly is: "reserved"
      readonly reservation: Reservation
      readonly close: Closing
      readonly failure?: ProviderFailure | undefined
    }
  | { readonly is: "streaming" }
  /** The reservation ended. What it counts as depends on whether another attempt follows. */
  | { readonly is: "ended"; readonly ended: Ended | undefined }

/** Run its effects uninterruptibly: an interrupted one would leave a reservation open. */
export class CallLedger {
  readonly context: CallContext
  private readonly spend: SpendLedger["Service"]
  private state: CallState = { is: "closed" }
  private readonly attempts: Array<AttemptRecord> = []
  /** The deployment that the receipt names. */
  private deployment: Deployment
  private charged: NanoUsd = 0
  /** An attempt was charged whose price is unknown. */
  private hasUnpriced = false
  /** Of attempts that ended without a response. */
  private estimatedTokens = 0
  private hasReceipt = false
  /** The place of the current attempt in the limits of model rules, which its deployment decides. */
  private rules: { readonly deployment: Deployment; readonly permit: AttemptPermit } | undefined

  constructor(context: CallContext) {
    this.context = context
    this.spend = context.services.spend
    this.deployment = context.decision.candidates[0]!
  }

  get isStreaming(): boolean {
    return this.state.is === "streaming"
  }

  /** Reserves the worst case of an attempt and settles the attempt before it. Limits of model rules come first. */
  reserve(target: AttemptTarget): Effect.Effect<AttemptRecord, Unreserved | Exhausted | RateLimited, Scope.Scope> {
    const { deployment } = target
    this.deployment = deployment
    if (this.rules?.deployment === deployment) return this.reserveNow(target)
    const left = this.leaveRules(0)
    const admission = this.context.admitRules(deployment)
    if (left === undefined && admission === undefined) return this.reserveNow(target)
    return Effect.flatMap(Effect.andThen(left ?? Effect.void, admission ?? Effect.undefined), (permit) => {
      if (permit === undefined) return this.reserveNow(target)
      return Effect.map(
        Effect.tapError(this.reserveNow(target), () => permit.undo),
        (attempt) => {
          this.rules = { deployment, permit }
          return attempt
        }
      )
    })
  }

  /** Frees its place in the limits of model rules, in which it used so many tokens; undefined where it has none. */
  private leaveRules(tokens: number): Effect.Effect<void> | undefined {
    if (this.rules === undefined) return undefined
    const { permit } = this.rules
    this.rules = undefined
    return Effect.ignore(Effect.andThen(permit.settle(tokens), permit.leave))
  }

  private reserveNow(target: AttemptTarget): Effect.Effect<AttemptRecord, Unreserved | Exhausted> {
    const { state } = this
    if (state.is !== "reserved") return Effect.map(this.hold(target), (reservation) => this.begin(reservation))
    if (state.failure !== undefined) return this.reserveBeside(target, state.reservation, state.failure)
    // The provider does not charge the previous attempt, so this one may use its amount. Without room, the request counts as failed.
    return Effect.flatMap(this.end(), (ended) =>
      Effect.flatMap(this.hold(target), (reservation) => this.chargePrevious(ended, reservation))
    )
  }

  /** The previous attempt stays reserved until this one is. Without room for both, the previous failure is the request's. */
  private reserveBeside(target: AttemptTarget, previous: Reservation, failure: ProviderFailure) {
    return Effect.matchEffect(this.hold(target), {
      onFailure: (error): Effect.Effect<never, Unreserved | Exhausted> => {
        // A model rule may have room for the next deployment, beside the previous attempt.
        if (error._tag !== "BudgetExceeded" || isOfRule(error)) return Effect.fail(error)
        this.deployment = previous.deployment
        const { class: name, message, status } = failure
        return Effect.fail(new Exhausted({ class: name, status, message, attempts: target.number }))
      },
      onSuccess: (reservation) => Effect.flatMap(this.end(), (ended) => this.chargePrevious(ended, reservation))
    })
  }

  /** The previous attempt does not count as a request, since this one follows. */
  private chargePrevious(ended: Ended | undefined, reservation: Reservation) {
    this.state = { is: "reserved", reservation, close: this.spend.end(reservation, undefined) }
    return Effect.map(this.charge(ended, "nothing"), () => this.begin(reservation))
  }

  private hold(target: AttemptTarget): Effect.Effect<Reservation, Unreserved> {
    const intent = this.context.intent(target)
    return intent instanceof Unsupported ? Effect.fail(intent) : this.spend.reserve(intent)
  }

  /** The call of the attempt follows. If its end is never reported, its input is charged as an estimate: the provider has read it. */
  private begin(reservation: Reservation): AttemptRecord {
    const { input, services } = this.context
    const close = Effect.suspend(() => this.estimate(reservation, input.request.stream ? nothing : unseen))
    this.state = { is: "reserved", reservation, close }
    const [first = { reservation }] = this.attempts
    const attempt = new AttemptRecord(reservation, first.reservation.at, services.clock)
    this.attempts.push(attempt)
    return attempt
  }

  /** An attempt failed after `produced`. It is charged when the next one has its reservation, or when the call ends. */
  failed(attempt: AttemptRecord, error: ProviderFailure | Unsupported, produced: Produced, usage?: Usage): void {
    const { reservation } = attempt
    attempt.failed(error)
    this.context.input.departure?.goesOnFor(0)
    const isFailure = error instanceof ProviderFailure
    const reported = usage ?? (isFailure ? error.usage : undefined)
    const mayCost = reported !== undefined || produced.text !== "" || (isFailure && isBilled(error))
    const close =
      reported !== undefined
        ? this.spend.end(reservation, { usage: reported, estimated: false })
        : mayCost
          ? this.estimate(reservation, produced)
          : this.spend.end(reservation, undefined)
    this.state = { is: "reserved", reservation, close, failure: mayCost && isFailure ? error : undefined }
  }

  /** The client disconnected before it received content. What was produced until then is still charged. */
  disconnected({ reservation }: AttemptRecord, produced: Produced): void {
    this.state = { is: "reserved", reservation, close: this.estimate(reservation, produced) }
  }

  /** The stream has begun: from here on its own finalizer closes the reservation. */
  streaming(): void {
    this.state = { is: "streaming" }
  }

  /** Settles the last attempt and sends the receipt. The row is on disk when the effect completes. */
  settle(
    attempt: AttemptRecord,
    outcome: Omit<Outcome, "requests">,
    status: ReceiptStatus
  ): Effect.Effect<void, StoreUnavailable> {
    return Effect.suspend(() => {
      if (status === "ok" || status === "blocked") attempt.answered()
      else if (status === "client_gone") this.interrupted()
      const { reservation } = attempt
      return Effect.flatMap(this.spend.end(reservation, { ...outcome, requests: reservation.requests }), (ended) => {
        this.state = { is: "closed" }
        attempt.ended(ended)
        return Effect.flatMap(this.charge(ended, outcome.counts), () => {
          this.finish(status)
          // A failing limiter must not fail the response: at worst it keeps counting the expected tokens.
          return this.settleTokens(totalTokens(outcome.usage))
        })
      })
    })
  }

  giveUp(cause: Cause.Cause<GatewayError>): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.hasReceipt) return Effect.void
      const isDisconnect = Cause.hasInterruptsOnly(cause) && this.interrupted()
      return Effect.flatMap(Effect.ignore(this.close(isDisconnect ? "request" : "failed_request")), () => {
        const error = Option.getOrUndefined(Cause.findErrorOption(cause))
        const refusal = error?._tag === "BudgetExceeded" ? error : undefined
        this.finish(isDisconnect ? "client_gone" : statusOf(error), refusal)
        return this.settleTokens(0)
      })
    })
  }

  /** `tokens`: of the response, beyond those of attempts without one. */
  private settleTokens(tokens: number): Effect.Effect<void> {
    const settled = Effect.ignore(this.context.permit.settle(this.estimatedTokens + tokens))
    const left = this.leaveRules(tokens)
    return left === undefined ? settled : Effect.andThen(settled, left)
  }

  private close(counts: Counts): Effect.Effect<void, StoreUnavailable> {
    const { state } = this
    if (state.is === "closed" || state.is === "streaming") return Effect.void
    return Effect.flatMap(state.is === "ended" ? Effect.succeed(state.ended) : this.end(), (ended) => {
      this.state = { is: "closed" }
      return this.charge(ended, counts)
    })
  }

  /** The call was interrupted, by a client disconnect or by the gateway's shutdown. True: by a disconnect. */
  interrupted(): boolean {
    const isDisconnect = this.context.input.isCallerGone?.() ?? true
    this.attempts.at(-1)?.interrupted(isDisconnect ? "client_gone" : "shutdown")
    return isDisconnect
  }

  /** Sends the receipt; only the first call does. */
  finish(status: ReceiptStatus, refusal?: BudgetExceeded): void {
    if (this.hasReceipt) return
    this.hasReceipt = true
    const { attempts, deployment } = this
    const { decision, input, services } = this.context
    if (input.departure !== undefined) input.departure.hasReceipt = true
    attempts.at(-1)?.stopped()
    const now = services.clock.currentTimeMillisUnsafe()
    const cache = this.context.cached?.report
    const receipt = new CallReceipt({ input, decision, deployment, attempts, status, now, refusal, cache })
    input.captured?.ended(receipt, input.request)
    services.events.ended(receipt, decision.isClassified === true ? input.request.prompt : undefined)
  }

  /** `open`: the reservation of a response whose cost is not known yet. Its amount is reported as the cost. */
  report(target: AttemptTarget, dropped: ReadonlyArray<string>, open?: Reservation): RoutingMetadata {
    const { decision, input } = this.context
    const { deployment, number: retries } = target
    const isPriced = deployment.price !== undefined && !this.hasUnpriced && open?.isBound !== false
    const known = this.charged + (open?.reserved ?? 0)
    const cost = isPriced || known > 0 ? known : null
    const adapted = this.context.adaptedAt(deployment, dropped)
    const { bucket, score } = decision
    const report = { requestId: input.requestId, deployment, bucket, score, retries, cost, isPriced, dropped: adapted }
    const guardrail = input.guarded?.outcome
    const { cached } = this.context
    if (guardrail === undefined && cached === undefined) return report
    return { ...report, ...(guardrail && { guardrail }), ...(cached && { cache: cached.report }) }
  }

  /** Ends the open reservation, if there is one, and charges nothing yet. */
  private end(): Closing {
    const { state } = this
    if (state.is !== "reserved") return Effect.undefined
    return Effect.map(state.close, (ended) => {
      this.state = { is: "ended", ended }
      this.attempts.at(-1)?.ended(ended)
      return ended
    })
  }

  private estimate(reservation: Reservation, produced: Produced): Closing {
    return Effect.flatMap(this.context.estimatedUsage(reservation, produced), (usage) => {
      this.estimatedTokens += totalTokens(usage)
      return this.spend.end(reservation, { usage, estimated: true, requests: reservation.requests })
    })
  }

  private charge(ended: Ended | undefined, counts: Counts): Effect.Effect<void, StoreUnavailable> {
    return Effect.map(this.spend.book(ended, counts), (cost) => {
      // A cost that lacks a part must be marked as such.
      if (ended?.isUnpriced === true) this.hasUnpriced = true
      else this.charged += cost
    })
  }
}

const statusOf = (error: GatewayError | undefined): ReceiptStatus => {
  const isUnbounded = error?._tag === "Unsupported" && error.code === "cost_unbounded"
  return isUnbounded || (error !== undefined && REFUSALS.has(error._tag)) ? "refused" : "failed"
}

const REFUSALS: ReadonlySet<string> = new Set(["BudgetExceeded", "RateLimited", "StoreUnavailable"])
