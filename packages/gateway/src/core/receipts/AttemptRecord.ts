/** The receipt's entry for one attempt, filled in while the attempt runs. */
import type { Clock } from "effect"
import { ProviderFailure, type Unsupported } from "../domain/Failures.ts"
import { noUsage } from "../domain/Usage.ts"
import type { Ended, Reservation } from "../ledger/Reservation.ts"
import type { ReceiptAttempt } from "./Receipt.ts"
import type { AnswerFacts } from "./TraceFacts.ts"

/** Characters of a provider's message that a receipt keeps. `WithoutSecrets` has removed the credentials. */
const MAX_MESSAGE = 500

/** Names of adapted fields that a receipt keeps, and the characters of each. */
const MAX_ADAPTED = 20
const MAX_NAME = 120

/** Receipts record every 2xx status as 200. */
const OK = 200

export class AttemptRecord {
  readonly reservation: Reservation
  readonly entry: { -readonly [Field in keyof ReceiptAttempt]: ReceiptAttempt[Field] }
  /** The end of the reservation in the ledger. */
  end: Ended | undefined
  private readonly clock: Clock.Clock
  private isRunning = true

  /** An attempt counts as failed until its outcome is known. `firstAt`: when the call's first attempt began, epoch milliseconds. */
  constructor(reservation: Reservation, firstAt: number, clock: Clock.Clock) {
    const { baseUrl, id, model, provider } = reservation.deployment
    this.reservation = reservation
    this.clock = clock
    this.entry = {
      deployment: id,
      provider,
      model,
      outcome: "failed",
      httpStatus: null,
      error: undefined,
      adapted: undefined,
      startedMs: reservation.at - firstAt,
      firstTokenMs: null,
      durationMs: 0,
      cost: 0,
      usage: noUsage,
      rates: undefined,
      estimated: false,
      serviceTier: undefined,
      baseUrl,
      answer: undefined
    }
  }

  /** The provider responds with a stream. `firstTokenAt`: undefined where the caller gets the response in one piece. */
  streaming(firstTokenAt: number | undefined): void {
    const { entry, reservation } = this
    entry.httpStatus = OK
    if (firstTokenAt !== undefined) entry.firstTokenMs = firstTokenAt - reservation.at + entry.startedMs
  }

  failed(error: ProviderFailure | Unsupported): void {
    const isFailure = error instanceof ProviderFailure
    const { entry } = this
    entry.outcome = isFailure ? error.class : "unsupported"
    entry.httpStatus = isFailure && error.status !== 0 ? error.status : null
    entry.error = {
      message: error.message.length <= MAX_MESSAGE ? error.message : `${error.message.slice(0, MAX_MESSAGE)}…`,
      code: error.code ?? null,
      type: isFailure ? error.type : null
    }
    this.stopped()
  }

  /** Records what the provider reported of its response. */
  reported(answer: AnswerFacts): void {
    this.entry.answer = answer
  }

  /** Records the names of the caller's fields that were left out or changed. */
  adapted(names: ReadonlyArray<string>): void {
    if (names.length === 0) return
    this.entry.adapted = names.slice(0, MAX_ADAPTED).map((name) => name.slice(0, MAX_NAME))
  }

  answered(): void {
    this.entry.outcome = "ok"
    this.entry.httpStatus = OK
    this.stopped()
  }

  interrupted(outcome: "client_gone" | "shutdown"): void {
    if (!this.isRunning) return
    this.entry.outcome = outcome
    this.stopped()
  }

  /** A reservation of this attempt ended. A later reservation whose call was never made is no attempt. */
  ended(end: Ended | undefined): void {
    if (end?.id !== this.reservation.id) return
    const { entry } = this
    entry.cost = end.cost
    entry.usage = end.usage
    entry.rates = end.rates
    entry.estimated = end.estimated
    entry.serviceTier = end.serviceTier
    this.end = end
    this.stopped()
  }

  /** The call is over: records its duration. */
  stopped(): void {
    if (!this.isRunning) return
    this.entry.durationMs = this.clock.currentTimeMillisUnsafe() - this.reservation.at
    this.isRunning = false
  }
}
