/**
 * Google's errors, in HTTP answers and inside streams, as failure classes. Their shape is `google.rpc.Status`:
 * https://cloud.google.com/apis/design/errors (2026-11-22). AI Studio answers a bad key with 400, and says so in the details only.
 */
import { ProviderFailure, type FailureClass } from "../../../core/domain/Failures.ts"
import type { Protocol } from "../../../core/pool/Protocol.ts"
import { retryAfter, retryDelay } from "../shared/RetryAfter.ts"
import { arrayOf, isObject, objectOf, textOf, type JsonObject } from "../../json/LooseJson.ts"
import { parseJson } from "../../json/BoundedJson.ts"

export const failure: Protocol["failure"] = ({ headers, status, text }) => {
  const error = errorIn(parseJson(text))
  const wait = retryDelay(error) ?? retryAfter(headers)
  return failureOf(error ?? {}, status, text, wait)
}

export const errorIn = (body: unknown): JsonObject | undefined => {
  const first = Array.isArray(body) ? body[0] : body
  return isObject(first) ? objectOf(first["error"]) : undefined
}

export const reportedFailure = (error: JsonObject): ProviderFailure =>
  failureOf(error, statusIn(error), "", retryDelay(error))

/** Google's names of statuses: https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto (2026-11-22). */
const STATUSES: ReadonlyMap<unknown, number> = new Map<unknown, number>([
  ["INVALID_ARGUMENT", 400],
  ["FAILED_PRECONDITION", 400],
  ["OUT_OF_RANGE", 400],
  ["UNAUTHENTICATED", 401],
  ["PERMISSION_DENIED", 403],
  ["NOT_FOUND", 404],
  ["RESOURCE_EXHAUSTED", 429],
  ["CANCELLED", 499],
  ["UNAVAILABLE", 503],
  ["DEADLINE_EXCEEDED", 504]
])

const statusIn = (error: JsonObject): number => {
  const { code } = error
  const isStatus = typeof code === "number" && Number.isInteger(code) && code >= 400 && code < 600
  return isStatus ? code : (STATUSES.get(error["status"]) ?? 500)
}

const failureOf = (error: JsonObject, status: number, text: string, wait: number | undefined): ProviderFailure => {
  const message = textOf(error["message"])
  const reasons = reasonsIn(error)
  const name = classify(status, textOf(error["status"]), message ?? text, reasons, error)
  return new ProviderFailure({
    class: name,
    status,
    // A proxy's HTML page tells the caller nothing.
    message: message ?? `The provider responded with status ${status} and no message`,
    type: textOf(error["status"]) ?? null,
    code: reasons[0] ?? null,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    // A file or a cache of somebody else answers 403 as well; what is wrong with the key has a reason.
    ...(name === "auth" && status === 403 && reasons.length === 0 ? { mayBeOfRequest: true } : {})
  })
}

/** `google.rpc.ErrorInfo`: why, in one word each. */
const reasonsIn = (error: JsonObject): ReadonlyArray<string> =>
  arrayOf(error["details"]).flatMap((detail) => (isObject(detail) ? (textOf(detail["reason"]) ?? []) : []))

const BAD_KEY = /^(?:API_KEY_|ACCESS_TOKEN_|SERVICE_DISABLED|CONSUMER_|ACCOUNT_STATE_INVALID|CREDENTIALS_MISSING)/
/** Older answers have no reason. */
const SAYS_BAD_KEY = /^api key (?:not valid|expired|not found)/i
const UNPAID = /billing|prepayment credits|free tier is not available|spend(?:ing)? cap/i
const ELSEWHERE = /^user location is not supported/i
const TOO_LONG =
  /(?:input )?token count .{0,40}exceeds the maximum|exceeds the maximum number of tokens|prompt is too long|request payload size exceeds/i
const FILTERED = /blocked by (?:model armor|safety)|prohibited content/i

const classify = (
  status: number,
  name: string | undefined,
  message: string,
  reasons: ReadonlyArray<string>,
  error: JsonObject
): FailureClass => {
  if (status === 402) return "quota_exhausted"
  if (status === 401 || reasons.some((reason) => BAD_KEY.test(reason)) || SAYS_BAD_KEY.test(message)) return "auth"
  if (status === 403) return UNPAID.test(message) ? "quota_exhausted" : "auth"
  if (status === 404) return "model_not_found"
  if (status === 429) return isSpent(error, message) ? "quota_exhausted" : "rate_limited"
  if (status >= 500 || status === 408 || status === 499 || status < 400) return "unavailable"
  if (status === 413 || TOO_LONG.test(message)) return "context_length"
  if (name === "FAILED_PRECONDITION" && ELSEWHERE.test(message)) return "unavailable"
  if (name === "FAILED_PRECONDITION" && UNPAID.test(message)) return "quota_exhausted"
  return FILTERED.test(message) ? "content_filter" : "bad_request"
}

/** A quota by the day, or one of nothing at all, is not free again after the seconds that the response names. */
const isSpent = (error: JsonObject, message: string): boolean =>
  /limit: 0\b/.test(message) ||
  UNPAID.test(message) ||
  arrayOf(error["details"]).some(
    (detail) =>
      isObject(detail) &&
      arrayOf(detail["violations"]).some((one) => isObject(one) && /PerDay/.test(String(one["quotaId"])))
  )
