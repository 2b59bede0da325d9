/**
 * The books of one request: what is reserved for the attempt under way, what attempts before it cost, and how the open
 * reservation closes if nothing better comes.
 */
import { Effect } from "effect"
import type { ChatInput } from "./Gateway.ts"
import type { Attempt } from "./Failover.ts"
import { countInput, estimateUsage } from "./Estimate.ts"
import type { NanoUsd } from "./Money.ts"
import { ProviderFailure, type Unsupported } from "./Provider.ts"
import type { Permit } from "./RateLimiter.ts"
import type { Report } from "./Report.ts"
import type { Decision } from "./Router.ts"
import type { Outcome, Reservation, SpendLedger } from "./SpendLedger.ts"
import type { StoreUnavailable } from "./Store.ts"
import { totalTokens } from "./Usage.ts"

type Counts = Outcome["counts"]

/** Its effects are not to be interrupted: what one of them began would stay open. */
export class Exchange {
  readonly input: ChatInput
  private readonly decision: Decision
  private readonly permit: Permit
  private readonly ledger: SpendLedger["Service"]
  private billed: NanoUsd = 0
  private closing: ((counts: Counts) => Effect.Effect<void, StoreUnavailable>) | undefined

  constructor(input: ChatInput, decision: Decision, permit: Permit, ledger: SpendLedger["Service"]) {
    this.input = input
    this.decision = decision
    this.permit = permit
    this.ledger = ledger
  }

  /** Holds the worst case of an attempt. If nobody says how it ended, its input is booked as an estimate: the provider read it. */
  reserve({ deployment, number }: Attempt) {
    const { caller, request, requestId, tags } = this.input
    const reserved = this.ledger.reserve({
      requestId,
      attempt: number,
      caller,
      deployment,
      inputBound: request.inputBound,
      countInput: countInput(request, deployment),
      maxOutput: request.maxOutput,
      choices: request.choices,
      tags
    })
    return Effect.map(number === 0 ? reserved : Effect.andThen(this.close("nothing"), reserved), (reservation) => {
      this.closing = (counts) => this.bookEstimate(reservation, "", counts)
      return reservation
    })
  }

  /** An attempt failed after `produced`. What it cost, if anything, is booked once it is known whether another one follows. */
  failed(reservation: Reservation, error: ProviderFailure | Unsupported, produced: string): void {
    const billable = produced !== "" || (error instanceof ProviderFailure && isBilled(error))
    this.closing = (counts) =>
      billable ? this.bookEstimate(reservation, produced, counts) : this.ledger.release(reservation, counts)
  }

  /** The caller went while the answer was held back: what was produced by then is paid for all the same. */
  left(reservation: Reservation, produced: string): void {
    this.closing = (counts) => this.bookEstimate(reservation, produced, counts)
  }

  /** Books what the attempt used, on disk when this completes. */
  settle(reservation: Reservation, outcome: Outcome) {
    return Effect.suspend(() => {
      this.closing = undefined
      return Effect.map(this.ledger.settle(reservation, outcome), (cost) => {
        this.billed += cost
        this.permit.settle(totalTokens(outcome.usage))
      })
    })
  }

  /** Closes the reservation that is still open, if one is. */
  close(counts: Counts): Effect.Effect<void, StoreUnavailable> {
    return Effect.suspend(() => {
      const { closing } = this
      this.closing = undefined
      return closing === undefined ? Effect.void : closing(counts)
    })
  }

  /** The stream has begun: from here on its own finalizer closes the reservation. */
  handOver(): void {
    this.closing = undefined
  }

  /** `reserved`: the upper bound of an answer whose cost is not known yet. */
  report(attempt: Attempt, dropped: ReadonlyArray<string>, reserved: NanoUsd = 0): Report {
    const { bucket, score } = this.decision
    const { deployment, number: retries } = attempt
    const cost = deployment.price === undefined ? null : this.billed + reserved
    return { requestId: this.input.requestId, deployment, bucket, score, retries, cost, dropped }
  }

  private bookEstimate(reservation: Reservation, produced: string, counts: Counts) {
    return Effect.flatMap(estimateUsage(this.input.request, reservation.deployment, produced), (usage) =>
      Effect.map(this.ledger.settle(reservation, { usage, estimated: true, counts }), (cost) => {
        this.billed += cost
      })
    )
  }
}

/** Providers bill what they read and wrote, also when it did not arrive; errors they answer with are free. */
const isBilled = (failure: ProviderFailure): boolean =>
  failure.class === "first_token_timeout" || failure.class === "truncated"
