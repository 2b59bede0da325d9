/** Anthropic's errors, in HTTP answers and inside streams, as failure classes. */
import { ProviderFailure, type FailureClass } from "../../../core/domain/Failures.ts"
import type { Protocol } from "../../../core/pool/Protocol.ts"
import { retryAfter, retryDelay } from "../shared/RetryAfter.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { isObject, objectOf, textOf, type JsonObject } from "../../json/LooseJson.ts"

/** Statuses that Anthropic documents for its error types: inside a stream the status was 200. */
const statuses = new Map<string | null, number>([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["billing_error", 402],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["timeout_error", 504],
  ["overloaded_error", 529]
])

const TOO_LONG =
  /prompt is too long|context (?:window|length|limit)|exceeds? (?:the )?(?:maximum|max) (?:context|number of tokens|prompt)|too many (?:total )?(?:input )?tokens/i
const OUT_OF_CREDIT = /credit balance|billing|spend(?:ing)? (?:limit|cap)|usage limits?|quota/i
/**
 * On a 400 only Anthropic's own sentence counts. Elsewhere in a message the words may be the caller's, which must not take a
 * deployment down.
 */
const OWN_CREDIT = /^(?:your credit balance is too low|you have reached your specified api usage limits)/i
const FILTERED = /content filter|blocked by (?:our )?content|content policy|usage policy/i

export const failure: Protocol["failure"] = ({ headers, status, text }) => {
  const body = objectOf(parseJson(text))
  const wait = retryAfter(headers) ?? retryDelay(body?.["error"])
  // A proxy's HTML page tells the caller nothing.
  return failed(status, describe(body), text, `The provider responded with status ${status} and no message`, wait)
}

/** `{"type":"error","error":{"type","message"}}` where a response was expected: in a stream, or as a 200. */
export const reportedFailure = (body: JsonObject): ProviderFailure => {
  const described = describe(body)
  const status = statuses.get(described.type) ?? 500
  return failed(status, described, "", "The provider reported an error without a message")
}

const failed = (
  status: number,
  { code, message, type }: ReturnType<typeof describe>,
  text: string,
  otherwise: string,
  retryAfterMs?: number
): ProviderFailure => {
  const name = classify(status, type, message ?? text)
  return new ProviderFailure({
    class: name,
    status,
    message: message ?? otherwise,
    type,
    code,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    // Firewalls and missing permissions for a model also answer 403. A bad key is an `authentication_error`.
    ...(name === "auth" && status === 403 && type !== "authentication_error" ? { mayBeOfRequest: true } : {})
  })
}

const describe = (body: JsonObject | undefined) => {
  const error = body?.["error"]
  if (!isObject(error)) return { type: null, code: null, message: textOf(error) ?? textOf(body?.["message"]) }
  const details = error["details"]
  return {
    type: textOf(error["type"]) ?? null,
    code: (isObject(details) ? textOf(details["error_code"]) : textOf(error["code"])) ?? null,
    message: textOf(error["message"])
  }
}

const classify = (status: number, type: string | null, message: string): FailureClass => {
  if (status === 402 || type === "billing_error") return "quota_exhausted"
  if (status === 401 || status === 403 || type === "authentication_error" || type === "permission_error") return "auth"
  if (status === 404 || type === "not_found_error") return "model_not_found"
  if (status === 429 || type === "rate_limit_error") {
    return OUT_OF_CREDIT.test(message) ? "quota_exhausted" : "rate_limited"
  }
  if (status >= 500 || status === 408 || status < 400) return "unavailable"
  // The body is too large for this API, but maybe not for others: as with a context window, a larger deployment may help.
  if (status === 413 || TOO_LONG.test(message)) return "context_length"
  if (OWN_CREDIT.test(message)) return "quota_exhausted"
  return FILTERED.test(message) ? "content_filter" : "bad_request"
}
