/** What an error of OpenAI, or of a server that speaks like it, means for failover. */
import { type FailureClass, ProviderFailure, truncated } from "../../../core/domain/Failures.ts"
import type { OperationName } from "../../../core/domain/OperationName.ts"
import { retryAfter, retryDelay } from "../shared/RetryAfter.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { isObject, type JsonObject } from "../../json/LooseJson.ts"
import { Result } from "effect"

/** A message is searched only this far: after that it may quote the caller's text. */
const MAX_READ = 500

interface OpenAiErrorFields {
  readonly message: string
  readonly type: string | null
  readonly code: string | null
  readonly param: string | null
}

/** The failure that a non-2xx response is. Header names in lower case. */
export const failure = (answer: {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  readonly text: string
}): ProviderFailure => {
  const body = bodyOf(answer.text)
  const words = wordsOfBody(body, answer.text, answer.status)
  const instead = operationAdvised(answer.status, words)
  const name = instead === undefined ? classOf(answer.status, words) : "bad_request"
  const retryAfterMs = retryAfter(answer.headers) ?? (isObject(body) ? retryDelay(body["error"]) : undefined)
  return new ProviderFailure({
    class: name,
    status: answer.status,
    ...words,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(mayBeOfRequest(name, answer.status, words) ? { mayBeOfRequest: true } : {}),
    ...(instead === undefined ? {} : { instead })
  })
}

/**
 * "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. To use function tools, use
 * /v1/responses or …", and "This model is only supported in v1/responses and not in v1/chat/completions." (OpenAI and Azure).
 */
const RESPONSES_INSTEAD = /\b(?:use|only supported in) \/?v1\/responses\b/i

const operationAdvised = (status: number, { message }: OpenAiErrorFields): OperationName | undefined =>
  (status === 400 || status === 404) && RESPONSES_INSTEAD.test(message.slice(0, MAX_READ)) ? "responses" : undefined

/** Gemini's compatible API wraps the object in a list. */
const bodyOf = (text: string): unknown => {
  const body = parseJson(text)
  return Array.isArray(body) ? body[0] : body
}

/**
 * Firewalls and missing permissions for a model also answer 403, so only the words for a bad key blame the key. OpenRouter answers
 * 402 to a request for more output than the credit pays for, in the words of `TOO_DEAR`
 * (https://github.com/HKUDS/Vibe-Trading/discussions/1611, read 2026-11-22).
 */
const mayBeOfRequest = (name: FailureClass, status: number, { code, message, type }: OpenAiErrorFields): boolean =>
  name === "auth"
    ? status === 403 && !KEY_CODES.test(code ?? "") && !KEY_CODES.test(type ?? "") && !AUTH_WORDS.test(message)
    : name === "quota_exhausted" && TOO_DEAR.test(message)

const KEY_CODES = /^(?:invalid_api_key|authentication_error|invalid_authentication)$/i
const TOO_DEAR = /^this request requires more credits, or fewer max_tokens/i

/**
 * The failure in an error object inside a 2xx response or stream, if its words or numbers tell which; otherwise of the class
 * `otherwise`. `status`: that of the HTTP answer, 200.
 */
export const failureOfErrorObject = (error: unknown, otherwise: FailureClass): ProviderFailure => {
  const words = wordsOf(error) ?? { message: "the provider reported an error", type: null, code: null, param: null }
  const inner = isObject(error) ? statusInside(error) : undefined
  const known = inner === undefined ? classOfWords(words) : classOf(inner, words)
  const name = known ?? otherwise
  const retryAfterMs = retryDelay(error)
  return new ProviderFailure({
    class: name,
    status: 200,
    ...words,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(mayBeOfRequest(name, inner ?? 403, words) ? { mayBeOfRequest: true } : {})
  })
}

/**
 * The failure in a whole 2xx body that holds `error`. In words that say nothing it is an outage, as in streams, and not billed; beside
 * a response or its usage it is a response that broke off.
 */
export const failureOfErrorBody = (error: unknown, { choices, usage }: JsonObject): ProviderFailure => {
  const isBegun = isObject(usage) || (Array.isArray(choices) && choices.length > 0)
  return failureOfErrorObject(error, isBegun ? "truncated" : "unavailable")
}

/** The error that a 2xx body holds instead of a response; undefined if there is none. */
export const errorIn = (body: JsonObject): unknown => {
  if (body["object"] === "error") return body
  if (body["error"] !== undefined && body["error"] !== null) return body["error"]
  const isWords = body["choices"] === undefined && (typeof body["message"] === "string" || body["detail"] !== undefined)
  return isWords ? body : undefined
}

/** The failure in an event of a stream, which is of the kind or type `error`, or holds one. */
export const reportedIn = (event: JsonObject, kind: string): ProviderFailure | undefined => {
  const { error, type } = event
  if (kind !== "error" && type !== "error" && (error === undefined || error === null)) return undefined
  return failureOfErrorObject(isObject(error) ? error : event, "unavailable")
}

const classOf = (status: number, words: OpenAiErrorFields): FailureClass => {
  // A redirect or an informational answer comes from something that is not the provider's API.
  if (status === 408 || status >= 500 || status < 400) return "unavailable"
  if (status === 402) return "quota_exhausted"
  if (status === 404) return "model_not_found"
  const known = classOfWords(words)
  if (status === 429) return known === "quota_exhausted" ? known : "rate_limited"
  if (status === 401 || status === 403) {
    return known === "quota_exhausted" || known === "model_not_found" || known === "content_filter" ? known : "auth"
  }
  if (status === 413 && known !== "rate_limited") return "context_length"
  return known ?? "bad_request"
}

const CODES: ReadonlyArray<readonly [means: FailureClass, codes: RegExp]> = [
  [
    "quota_exhausted",
    /^(?:insufficient_quota|insufficient_(?:balance|credits|funds)|billing_(?:error|not_active|hard_limit_reached)|credit_balance_exhausted|(?:organization|project)_(?:spend|usage)_limit_exceeded)$/
  ],
  ["model_not_found", /^(?:model_not_found|model_not_available|invalid_model|deploymentnotfound|unknown_model)$/],
  ["context_length", /^(?:context_length_exceeded|context_window_exceeded|string_above_max_length|request_too_large)$/],
  ["content_filter", /^(?:content_filter|content_policy_violation|responsibleaipolicyviolation|moderation_blocked)$/],
  ["auth", /^(?:invalid_api_key|authentication_error|invalid_authentication|permission_error|permission_denied)$/],
  ["rate_limited", /^(?:rate_limit_exceeded|rate_limit_error|rate_limit_reached|too_many_requests|requests|tokens)$/],
  [
    "unavailable",
    /^(?:server_error|internal_server_error|internal_error|api_error|overloaded_error|overloaded|service_unavailable|engine_overloaded|timeout|timeout_error)$/
  ],
  ["bad_request", /^(?:invalid_request_error|badrequesterror|invalid_value|validation_error|tool_use_failed)$/]
]

/**
 * These words take a deployment out of service, so a message must begin with them. Further on it may quote the caller, who must
 * not be able to do that.
 */
const QUOTA_WORDS =
  /^(?:error: )?(?:you(?:r|'re| are| have|'ve)? )?(?:account )?(?:has )?(?:insufficient (?:balance|credits?|funds|quota)|credit balance is too low|out of credits|exceeded your current quota)/i
const AUTH_WORDS = /^(?:error: )?(?:(?:invalid|incorrect) api key|api key not valid)/i
const WORDS: ReadonlyArray<readonly [means: FailureClass, words: RegExp]> = [
  [
    "rate_limited",
    /^(?:error: )?(?:rate limit|too many requests|(?:your )?request was throttled|you(?:'ve| have)? (?:hit|reached|exceeded) (?:your|the) (?:rate|request) limit)/i
  ],
  [
    "context_length",
    /maximum context length|context(?: |_)(?:length|window|size)|prompt is too long|input is too long|too many (?:input )?tokens|reduce the length|max_model_len|exceed(?:s|ed)? (?:the )?(?:maximum |max )?(?:allowed )?(?:number of |input )?tokens|longer than the model/i
  ],
  ["content_filter", /content management policy|content filter|safety system|flagged (?:as|by|for)/i],
  ["auth", AUTH_WORDS],
  [
    "model_not_found",
    /model(?: [`'"]?[\w./:-]+[`'"]?)? (?:does not exist|not exist|not found|is not found)|unknown model|invalid model/i
  ]
]

/** Codes say more than types, and both more than messages; a message is read only where the code says no more than "bad request". */
const classOfWords = ({ code, message: whole, type }: OpenAiErrorFields): FailureClass | undefined => {
  const message = whole.slice(0, MAX_READ)
  const byCode = classOfCode(code)
  if (byCode !== undefined && byCode !== "bad_request") return byCode
  const byType = classOfCode(type)
  if (byType !== undefined && byType !== "bad_request" && byType !== "unavailable" && byType !== "rate_limited")
    return byType
  // "You exceeded your current quota" is also how Gemini says that the minute's requests are used up.
  if (QUOTA_WORDS.test(message) && type !== "RESOURCE_EXHAUSTED" && code !== "429") return "quota_exhausted"
  if (byType !== undefined && byType !== "bad_request") return byType
  return WORDS.find(([, words]) => words.test(message))?.[0] ?? byCode ?? byType
}

const classOfCode = (word: string | null): FailureClass | undefined => {
  if (word === null) return undefined
  return CODES.find(([, codes]) => codes.test(word.toLowerCase()))?.[0]
}

/** An HTTP status that an error object carries in a number (OpenRouter's `code`, Groq's `status_code`). */
const statusInside = (error: JsonObject): number | undefined =>
  [error["status_code"], error["code"], error["status"]]
    .map((value) => (typeof value === "string" ? Number(value) : value))
    .find((value): value is number => Number.isInteger(value) && (value as number) >= 400 && (value as number) < 600)

const wordsOfBody = (body: unknown, text: string, status: number): OpenAiErrorFields => {
  const unreadable = { message: `the provider responded with status ${status}`, type: null, code: null, param: null }
  if (isObject(body)) return wordsOf(body["error"]) ?? wordsOf(body["detail"]) ?? wordsOf(body) ?? unreadable
  const plain = text.trim()
  return plain === "" || plain.startsWith("<") || plain.startsWith("{") ? unreadable : { ...unreadable, message: plain }
}

/** An error as an object, a list of them (FastAPI) or plain words. */
const wordsOf = (error: unknown): OpenAiErrorFields | undefined => {
  if (typeof error === "string" && error !== "") return { message: error, type: null, code: null, param: null }
  if (Array.isArray(error)) return wordsOf(error[0])
  if (!isObject(error)) return undefined
  const message = error["message"] ?? error["msg"] ?? error["detail"]
  const type = word(error["type"] ?? error["status"])
  const code = word(error["code"])
  if (typeof message !== "string" && type === null && code === null) return undefined
  return {
    message: typeof message === "string" ? message : "the provider gave no message",
    type,
    code,
    param: word(error["param"])
  }
}

const word = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : null

/* What every complete response is read by first. */

/** The object that `text` is, or the error that it holds instead of a response. */
export const answerBody = (text: string): Result.Result<JsonObject, ProviderFailure> => {
  const parsed = parseJson(text)
  // Gemini's compatible API wraps an error in a list.
  const body = Array.isArray(parsed) && isObject(parsed[0]) && errorIn(parsed[0]) !== undefined ? parsed[0] : parsed
  if (!isObject(body)) return Result.fail(noObject(text))
  const error = errorIn(body)
  return error === undefined ? Result.succeed(body) : Result.fail(failureOfErrorBody(error, body))
}

export const noObject = (text: string): ProviderFailure =>
  truncated(text.trim() === "" ? "the response is empty" : "the response is not JSON")
