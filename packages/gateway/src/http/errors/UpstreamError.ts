/**
 * What the caller reads when providers failed: the provider's status and words if the request is at fault, else neither, as they
 * may name the operator's account or key.
 */
import type { FailureClass } from "../../core/domain/Failures.ts"
import { clip, LONGEST_WAIT_TO_RETRY, rfc3339, type WireError } from "./WireFormat.ts"

/** The only failure, or the last of several. */
interface UpstreamOutcome {
  readonly class: FailureClass
  readonly status: number
  readonly message: string
  readonly type?: string | null
  readonly code?: string | null
  readonly param?: string | null
  readonly attempts?: number
  /** The shortest wait any provider asked for. */
  readonly retryAfterMs?: number
}

/** The wait to name when no provider named one. */
const DEFAULT_WAIT_MS = 5_000

/** Short, as calls end all the time. */
const BUSY_WAIT_SECONDS = 1

const LONGEST_MESSAGE = 4_000

/** The response for the class of the last failure; `now`: epoch milliseconds. */
export const providerError = (outcome: UpstreamOutcome, now: number): WireError => {
  switch (outcome.class) {
    case "context_length":
      // Clients compact by the code, whatever the vendor calls it.
      return requestAtFault({ ...outcome, message: outcome.message, code: null }, "context_length_exceeded")
    case "content_filter":
      return requestAtFault(outcome, "content_filter")
    case "bad_request":
      return requestAtFault(outcome, "bad_request")
    case "rate_limited":
      return rateLimited(outcome, now)
    case "auth": {
      // A firewall's 403 may be caused by the content of the request.
      const what =
        outcome.status === 403 ? "the gateway's own credential, or this request" : "the gateway's own credential"
      return failed(502, "upstream_auth", `the provider refused ${what}`, outcome)
    }
    case "quota_exhausted":
      return failed(503, "upstream_quota", "the provider refuses further requests from the gateway's account", outcome)
    case "model_not_found":
      return modelNotFound(outcome)
    case "truncated":
      return failed(502, "upstream_unavailable", "the provider's response broke off or could not be read", outcome)
    case "no_room":
      return failed(503, "no_room", "the gateway has no free memory for the provider's response", outcome)
    case "connections_full":
      return busy(outcome)
    case "connect_timeout":
      return failed(504, "upstream_timeout", "the provider could not be reached in time", outcome)
    case "first_token_timeout":
      return failed(504, "upstream_timeout", "the provider did not begin to respond in time", outcome)
    case "idle_timeout":
      return failed(
        504,
        "upstream_timeout",
        "the provider stopped sending for longer than `timeouts.idle` allows",
        outcome
      )
    case "total_timeout":
      return failed(504, "upstream_timeout", "the response took longer than `timeouts.total` allows", outcome)
    case "unavailable": {
      const status = outcome.status === 503 || outcome.status === 529 ? 503 : outcome.status === 504 ? 504 : 502
      return failed(status, "upstream_unavailable", "the provider is unavailable", outcome)
    }
  }
}

/** The gateway has already retried. Clients that retried too would multiply the load on a provider in trouble. */
const noRetry = { "x-should-retry": "false" }

const failed = (status: number, code: string, why: string, { attempts = 1 }: UpstreamOutcome): WireError => ({
  status,
  headers: noRetry,
  body: { error: { type: "upstream_error", message: sentence(attempts, why), param: null, code } }
})

/** The provider was not asked, so trying again soon is right. */
const busy = ({ attempts = 1 }: UpstreamOutcome): WireError => {
  const why = `all connections the gateway may have to the provider are in use. Try again in ${BUSY_WAIT_SECONDS} s`
  const error = { type: "upstream_error", message: sentence(attempts, why), param: null, code: "upstream_busy" }
  const wait = { "retry-after": String(BUSY_WAIT_SECONDS), "retry-after-ms": String(BUSY_WAIT_SECONDS * 1000) }
  return { status: 503, headers: wait, body: { error } }
}

/** Clients are told that the gateway has no such model: they know how to handle that. */
const modelNotFound = ({ attempts = 1 }: UpstreamOutcome): WireError => {
  const message = sentence(attempts, "the provider does not know the configured model, or has none at this address")
  return {
    status: 404,
    headers: noRetry,
    body: { error: { type: "invalid_request_error", message, param: "model", code: "model_not_found" } }
  }
}

const sentence = (attempts: number, why: string): string =>
  attempts <= 1 ? `The call failed: ${why}.` : `All ${attempts} attempts failed; the last one: ${why}.`

const rateLimited = ({ attempts = 1, retryAfterMs }: UpstreamOutcome, now: number): WireError => {
  const seconds = Math.max(1, Math.ceil((retryAfterMs ?? DEFAULT_WAIT_MS) / 1000))
  const why = `the provider limits the gateway's rate. Try again in ${seconds} s`
  // Header and words say the same: who waits that long may ask again.
  const tooLong = seconds > LONGEST_WAIT_TO_RETRY ? noRetry : {}
  return {
    status: 429,
    headers: {
      ...tooLong,
      "retry-after": String(seconds),
      "retry-after-ms": String(seconds * 1000),
      "x-gateway-limit-kind": "upstream"
    },
    body: {
      error: {
        type: "upstream_error",
        message: sentence(attempts, why),
        param: null,
        code: "upstream_rate_limited",
        kind: "upstream",
        retry_after_seconds: seconds,
        resets_at: rfc3339(now + seconds * 1000)
      }
    }
  }
}

/** These statuses would suggest that the caller's own credential or rate is the problem. */
const NOT_THE_CALLERS = new Set([401, 403, 407, 429])

const requestAtFault = (outcome: UpstreamOutcome, code: string): WireError => {
  const { status } = outcome
  return {
    status: status >= 400 && status < 500 && !NOT_THE_CALLERS.has(status) ? status : 400,
    headers: noRetry,
    body: {
      error: {
        type: outcome.type ?? "invalid_request_error",
        message: clip(outcome.message, LONGEST_MESSAGE),
        param: outcome.param ?? null,
        code: outcome.code ?? code
      }
    }
  }
}
