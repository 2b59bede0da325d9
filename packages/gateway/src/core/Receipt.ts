/** What there is to tell of one request once it is over: for the caller and the operator, for metrics, logs and traces. */
import type { NanoUsd } from "./Money.ts"
import type { FailureClass } from "./Provider.ts"
import type { Usage } from "./Usage.ts"

/** One call to one deployment. Milliseconds are counted from the request's `at`. */
export interface ReceiptAttempt {
  readonly deployment: string
  readonly provider: string
  /** What the upstream was asked for. */
  readonly model: string
  /** `unsupported`: the request could not be said to this provider, so it was not called. `client_gone`: the caller left. */
  readonly outcome: "ok" | FailureClass | "unsupported" | "client_gone"
  /** The provider's HTTP status; null where none came. */
  readonly httpStatus: number | null
  readonly startedMs: number
  /** Null where no content came, or all of it at once. */
  readonly firstTokenMs: number | null
  readonly durationMs: number
  readonly cost: NanoUsd
  readonly usage: Usage
  readonly estimated: boolean
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
  readonly bucket: string
  readonly score: number
  /** Why it was routed as it was, in plain words. */
  readonly reasons: ReadonlyArray<string>
  readonly attempts: ReadonlyArray<ReceiptAttempt>
  /** `cut`: the answer broke off after it had begun. `refused`: a limit, a budget or the store, after routing. */
  readonly status: "ok" | "failed" | "cut" | "client_gone" | "refused"
  readonly stream: boolean
  /** Whether the deployment's price was known; without it costs are 0 and mean nothing. */
  readonly priced: boolean
  readonly priceSource: string | null
  readonly priceVersion: string | null
  readonly tags: ReadonlyArray<string>
  /** The caller's `traceparent` as it came: whoever makes spans reads it. */
  readonly traceParent?: string | undefined
}
