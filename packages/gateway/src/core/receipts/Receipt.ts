/** What there is to tell of one request once it is over: for the caller and the operator, for metrics, logs and traces. */
import type { Shadow } from "../routing/Decision.ts"
import { failureClasses } from "../domain/Failures.ts"
import type { NanoUsd } from "../domain/Money.ts"
import { noUsage, plus, type Usage } from "../domain/Usage.ts"

/**
 * How an attempt ended, beside the failures of providers. `unsupported`: the request could not be said to this provider, so it was
 * not called. `client_gone`: the caller left. `shutdown`: the gateway was stopped. `abandoned`: its process died. `failed`: for a
 * reason that is not known (any more).
 */
export const attemptOutcomes = [
  "ok",
  ...failureClasses,
  "unsupported",
  "client_gone",
  "shutdown",
  "abandoned",
  "failed"
] as const

export type AttemptOutcome = (typeof attemptOutcomes)[number]

/**
 * `failed`: there was no answer. `cut`: it broke off after it had begun. `client_gone`: the caller left before its end. `refused`:
 * by a budget or the store, after routing. `abandoned`: the process died over it, and the next one closed its books.
 */
export const receiptStatuses = ["ok", "failed", "cut", "client_gone", "refused", "abandoned"] as const

export type ReceiptStatus = (typeof receiptStatuses)[number]

/** One call to one deployment. Milliseconds are counted from the request's `at`. */
export interface ReceiptAttempt {
  readonly deployment: string
  readonly provider: string
  /** What the upstream was asked for. */
  readonly model: string
  readonly outcome: AttemptOutcome
  /** The provider's HTTP status; null where none came. */
  readonly httpStatus: number | null
  readonly startedMs: number
  /** Null where no content came, or all of it at once. */
  readonly firstTokenMs: number | null
  readonly durationMs: number
  readonly cost: NanoUsd
  readonly usage: Usage
  readonly estimated: boolean
  /** The service tier it was booked at, where that is not the standard one. */
  readonly serviceTier?: string | undefined
}

/** What the caller thought of the answer. */
export interface Feedback {
  /** 0 to 1. */
  readonly score: number
  /** Epoch milliseconds. */
  readonly at: number
}

export interface Receipt {
  /** The id of the request, `req_…`; the receipt's own differs in its prefix alone. */
  readonly requestId: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly durationMs: number
  readonly keyId: string
  readonly team: string | null
  /** The path the caller used in its usual spelling, such as `/v1/chat/completions`. */
  readonly endpoint: string
  readonly requestedModel: string
  /** Who answered; without an answer who was asked last, or would have been. */
  readonly deployment: string
  readonly provider: string
  readonly model: string
  readonly bucket: string
  readonly score: number
  /** Why it was routed as it was, in plain words. */
  readonly reasons: ReadonlyArray<string>
  readonly attempts: ReadonlyArray<ReceiptAttempt>
  readonly status: ReceiptStatus
  readonly stream: boolean
  /** Whether the deployment's price was known; without it costs are 0 and mean nothing. */
  readonly priced: boolean
  readonly priceSource: string | null
  readonly priceVersion: string | null
  readonly tags: ReadonlyArray<string>
  /** What `auto` would have done, where it only watched. */
  readonly shadow?: Shadow | undefined
  /** Undefined: none was given. */
  readonly feedback?: Feedback | undefined
  /**
   * What `auto` is compared with, all attempts together, for metrics: the ledger keeps it. Undefined where the caller named the
   * model, and in receipts that were read back.
   */
  readonly baseline?: NanoUsd | undefined
  /** The caller's `traceparent` as it came: whoever makes spans reads it. */
  readonly traceParent?: string | undefined
}

/** All attempts together. */
export const costOf = ({ attempts }: Receipt): NanoUsd => attempts.reduce((sum, { cost }) => sum + cost, 0)

/** All attempts together. */
export const usageOf = ({ attempts }: Receipt): Usage => attempts.reduce((sum, { usage }) => plus(sum, usage), noUsage)

/** Some of it was counted here, not by the provider. */
export const isEstimate = ({ attempts }: Receipt): boolean => attempts.some(({ estimated }) => estimated)
