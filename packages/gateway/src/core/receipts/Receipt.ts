/** The record of one finished request, for the caller, the operator, metrics, logs and traces. */
import type { Contribution } from "../routing/Classifier.ts"
import type { Considered } from "../routing/Considered.ts"
import type { Shadow } from "../routing/Decision.ts"
import type { LimitScope } from "../domain/Errors.ts"
import type {
  attemptOutcomes,
  CacheReport,
  GuardrailVerdict,
  receiptStatuses,
  refusalLimits
} from "@model-gateway/protocol"
import type { NanoUsd } from "../domain/Money.ts"
import type { Rates } from "../domain/pricing/Pricing.ts"
import { noUsage, plus, type Usage } from "../domain/Usage.ts"
import type { AnswerFacts, RequestParameters } from "./TraceFacts.ts"

export type ReceiptStatus = (typeof receiptStatuses)[number]

/** The budget that refused a request. Amounts in nano-USD. */
export interface FullBudget {
  readonly scope: LimitScope
  readonly window: string
  readonly limit: NanoUsd
  /** The spend, with reservations if requests in flight are the reason. */
  readonly used: NanoUsd
  readonly needed: NanoUsd
}

/** The error that the caller got for a request that was not routed. */
export interface Refusal {
  readonly method: string
  readonly httpStatus: number
  readonly code: string
  readonly message: string
  /** Requests that the receipt stands for: 1, or more where one key got the same error often. */
  readonly count: number
}

/** A provider's error, without credentials. Without an HTTP status the message is the gateway's own. */
export interface ProviderError {
  readonly message: string
  readonly code: string | null
  readonly type: string | null
}

/** One call to one deployment. Milliseconds are counted from the request's `at`. */
export interface ReceiptAttempt {
  readonly deployment: string
  readonly provider: string
  /** The model name that was sent upstream. */
  readonly model: string
  readonly outcome: (typeof attemptOutcomes)[number]
  /** The provider's HTTP status; null where none came. */
  readonly httpStatus: number | null
  /** Undefined: the call did not fail, or it was not recorded. */
  readonly error?: ProviderError | undefined
  /** The caller's fields that were left out or changed for this deployment. Undefined: none, or they were not recorded. */
  readonly adapted?: ReadonlyArray<string> | undefined
  readonly startedMs: number
  /** Null if no content came, or all of it at once. */
  readonly firstTokenMs: number | null
  readonly durationMs: number
  readonly cost: NanoUsd
  readonly usage: Usage
  /** The rates that the usage was charged at. Undefined if unknown, and in receipts of older versions. */
  readonly rates?: Rates | undefined
  readonly estimated: boolean
  /** The service tier that was charged, unless it is the standard one. */
  readonly serviceTier?: string | undefined
  /** For traces, and not stored: the provider's address, and what its response reported. */
  readonly baseUrl?: string | undefined
  readonly answer?: AnswerFacts | undefined
}

/** The caller's score of the response. */
export interface Feedback {
  /** 0 to 1. */
  readonly score: number
  /** Epoch milliseconds. */
  readonly at: number
}

export interface Receipt {
  /** The request id, `req_…`. The receipt's own id differs only in its prefix. */
  readonly requestId: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly durationMs: number
  /** "": the request was refused before its key was known. */
  readonly keyId: string
  /** The key's name at that time. Undefined in receipts of older versions. */
  readonly keyName?: string | null | undefined
  readonly team: string | null
  /** The canonical path of the endpoint, such as `/v1/chat/completions`. */
  readonly endpoint: string
  readonly requestedModel: string
  /** The deployment that responded; else the last one called, or the first candidate. */
  readonly deployment: string
  readonly provider: string
  readonly model: string
  readonly bucket: string
  readonly score: number
  /** Why it was routed this way, in plain words. */
  readonly reasons: ReadonlyArray<string>
  /** The cut points as the caller's preference moved them; undefined without a score. */
  readonly cutPoints?: ReadonlyArray<number> | undefined
  /** The features with the most weight, strongest first, to four decimals. */
  readonly features?: ReadonlyArray<Contribution> | undefined
  /** Every considered deployment; undefined in receipts of older versions. */
  readonly considered?: ReadonlyArray<Considered> | undefined
  readonly sessionId?: string | undefined
  readonly endUser?: string | undefined
  /** The client's name; for traces only, and not stored. */
  readonly client?: string | undefined
  readonly attempts: ReadonlyArray<ReceiptAttempt>
  readonly status: ReceiptStatus
  readonly stream: boolean
  /** Whether the deployment's price was known. If not, costs are 0 and without meaning. */
  readonly priced: boolean
  readonly priceSource: string | null
  readonly priceVersion: string | null
  readonly tags: ReadonlyArray<string>
  /** What `auto` would have done in shadow mode. */
  readonly shadow?: Shadow | undefined
  /** Undefined if the caller gave none. */
  readonly feedback?: Feedback | undefined
  /** The cost in the strongest bucket. Undefined if the caller named the model, and in older receipts. */
  readonly baseline?: NanoUsd | undefined
  /** A price was unknown: `baseline` is the cost itself. */
  readonly isIncomparable?: boolean | undefined
  /** The limit that refused the request. Undefined otherwise, and in receipts of older versions. */
  readonly limit?: (typeof refusalLimits)[number] | "budget" | undefined
  /** Which one, and by how much. */
  readonly fullBudget?: FullBudget | undefined
  /** The request was refused before it was routed: it has no deployment and no attempts. */
  readonly refusal?: Refusal | undefined
  readonly traceParent?: string | undefined
  /** What each check of guardrails did. Undefined if none ran. */
  readonly guardrails?: ReadonlyArray<GuardrailVerdict> | undefined
  /** What the response cache did; of a kept receipt, of hits alone. Undefined: it was off for the request. */
  readonly cache?: CacheReport | undefined
  /** For traces, and not stored. */
  readonly parameters?: RequestParameters | undefined
}

/** Why a request failed, in one word; undefined if it did not. */
export const errorOf = ({ attempts, limit, refusal, status }: Receipt): string | undefined => {
  if (refusal !== undefined) return refusal.code
  if (status === "ok") return undefined
  if (status === "refused") return limit ?? status
  if (status === "blocked") return "guardrail_denied"
  const last = attempts.at(-1)
  return last === undefined || last.outcome === "ok" || status === "client_gone" ? status : last.outcome
}

export const requestsIn = ({ refusal }: Receipt): number => refusal?.count ?? 1

export const costOf = ({ attempts }: Receipt): NanoUsd => attempts.reduce((sum, { cost }) => sum + cost, 0)

export const usageOf = ({ attempts }: Receipt): Usage => attempts.reduce((sum, { usage }) => plus(sum, usage), noUsage)

/** Whether any of the usage was estimated by the gateway. */
export const isEstimate = ({ attempts }: Receipt): boolean => attempts.some(({ estimated }) => estimated)
