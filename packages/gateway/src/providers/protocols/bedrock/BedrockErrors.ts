/**
 * Bedrock's errors, in HTTP answers and inside streams, as failure classes. Types and statuses:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html and
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html (2026-11-22).
 */
import { ProviderFailure, type FailureClass } from "../../../core/domain/Failures.ts"
import type { Protocol } from "../../../core/pool/Protocol.ts"
import { reportedError } from "../../framing/EventHeaders.ts"
import { retryAfter } from "../shared/RetryAfter.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { isObject, objectOf, textOf } from "../../json/LooseJson.ts"

/** In lower case, without `Exception`: streams and headers spell them differently. */
const statuses = new Map([
  ["accessdenied", 403],
  ["unrecognizedclient", 403],
  ["resourcenotfound", 404],
  ["modeltimeout", 408],
  ["modelerror", 424],
  ["modelstreamerror", 424],
  ["throttling", 429],
  ["modelnotready", 429],
  ["internalserver", 500],
  ["serviceunavailable", 503],
  ["validation", 400],
  ["servicequotaexceeded", 400]
])

/** Our credentials are wrong, whichever model is called. */
const BAD_CREDENTIALS =
  /^(?:unrecognizedclient|invalidsignature|signaturedoesnotmatch|incompletesignature|missingauthenticationtoken|expiredtoken|requestexpired|invalidclienttokenid|optinrequired)$/
/**
 * The account or the region does not have the model, or not under this name. Only Bedrock's own sentences count: elsewhere in a message
 * the words may be the caller's, which must not take a deployment down.
 */
const NO_MODEL =
  /^(?:the provided model identifier is invalid|you don.t have access to the model|model access is denied|invocation of model id|this model version has reached the end of its life|the provided model doesn.t support counting)/i
/** As IAM says it, behind the name of the role. */
const NOT_ALLOWED = /^user: \S+ is not authorized to perform: bedrock:/i
const TOO_LONG =
  /input is too long|prompt is too long|too many (?:total )?(?:input )?tokens|(?:maximum|max) context|context (?:window|length|limit)|input tokens exceeded|exceeds? the (?:maximum|max) (?:number of tokens|length)/i
const PER_DAY = /per day/i
const FILTERED = /content filter|blocked by (?:our )?content|content policy/i

export const failure: Protocol["failure"] = ({ headers, status, text }) => {
  const body = objectOf(parseJson(text))
  const type = textOf(headers["x-amzn-errortype"]) ?? textOf(body?.["__type"])
  const wait = retryAfter(headers)
  return failed(status, nameOf(type), messageIn(body), wait)
}

/** An exception inside a stream, whose status was 200; undefined for any other event. */
export const streamFailure = (kind: string, data: string): ProviderFailure | undefined => {
  const reported = reportedError(kind)
  if (reported === undefined) return undefined
  const [type = "", ...words] = reported.split(" ")
  const name = nameOf(type)
  const told = messageIn(objectOf(parseJson(data))) ?? (words.length === 0 ? undefined : words.join(" "))
  return failed(statuses.get(plain(name)) ?? 500, name, told, undefined)
}

const failed = (
  status: number,
  type: string | null,
  told: string | undefined,
  retryAfterMs: number | undefined
): ProviderFailure => {
  const name = classify(status, plain(type), told ?? "")
  return new ProviderFailure({
    class: name,
    status,
    message: told ?? `The provider responded with status ${status} and no message`,
    type,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(name === "auth" && plain(type) === "accessdenied" ? { mayBeOfRequest: true } : {})
  })
}

const classify = (status: number, type: string, message: string): FailureClass => {
  if (BAD_CREDENTIALS.test(type) || status === 401) return "auth"
  if (status === 404 || ((status === 400 || status === 403) && NO_MODEL.test(message))) return "model_not_found"
  if (status === 403 && NOT_ALLOWED.test(message)) return "model_not_found"
  if (status === 402) return "quota_exhausted"
  if (status === 403) return "auth"
  if (type === "modelnotready") return "unavailable"
  if (status === 429 || type === "throttling") return PER_DAY.test(message) ? "quota_exhausted" : "rate_limited"
  if (type === "servicequotaexceeded") return "rate_limited"
  // 424: the model failed at the request. One of the oldest fails so at prompts that are too long, which nothing tells.
  if (status >= 500 || status === 408 || status === 424 || status < 400) return "unavailable"
  if (status === 413 || TOO_LONG.test(message)) return "context_length"
  return FILTERED.test(message) ? "content_filter" : "bad_request"
}

/** `ThrottlingException:http://internal.amazon.com/…` or `com.amazon.coral.service#ThrottlingException`. */
const nameOf = (type: string | undefined): string | null => {
  const name = type?.split(":")[0]?.split("#").at(-1)?.trim()
  return name === undefined || !/^\w{1,100}$/.test(name) ? null : name
}

const plain = (type: string | null): string => (type ?? "").toLowerCase().replace(/exception$/, "")

const messageIn = (body: unknown): string | undefined =>
  isObject(body) ? (textOf(body["message"]) ?? textOf(body["Message"])) : undefined
