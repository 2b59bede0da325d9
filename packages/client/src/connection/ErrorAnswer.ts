/** An answer that is no success, or an event that says so, as the error to throw. */
import {
  AuthenticationError,
  BadRequestError,
  BudgetExceededError,
  ConnectionError,
  type GatewayError,
  InvalidAnswerError,
  type LimitFields,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  UpstreamError
} from "../Errors.ts"
import { MOST_OF_ANSWER } from "./Body.ts"

/** What the body of an error says; `{error: {…}}`, `{error: "…"}`, or the detail alone. */
export const fieldsOf = (
  body: unknown,
  status: number | undefined,
  headers: Headers
): LimitFields & { readonly message: string | undefined } => {
  const detail = detailOf(body)
  const { guardrail, models } = detail
  const text = (name: string) => (typeof detail[name] === "string" ? (detail[name] as string) : undefined)
  const number = (name: string) => (typeof detail[name] === "number" ? (detail[name] as number) : undefined)
  const seconds = number("retry_after_seconds") ?? Number(headers.get("retry-after") ?? Number.NaN)
  return {
    message: text("message"),
    status,
    type: text("type"),
    code: text("code"),
    param: text("param"),
    guardrail: isGuardrail(guardrail) ? guardrail : undefined,
    requestId: headers.get("x-request-id") ?? undefined,
    headers,
    kind: text("kind") ?? headers.get("x-gateway-limit-kind") ?? undefined,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
    limit: number("limit"),
    used: number("used"),
    scope: text("scope"),
    subject: text("subject"),
    models: Array.isArray(models) ? models.filter((model) => typeof model === "string") : undefined,
    resetsAt: text("resets_at")
  }
}

const isGuardrail = (value: unknown): value is NonNullable<LimitFields["guardrail"]> => {
  const { check, rule } = (value ?? {}) as { readonly check?: unknown; readonly rule?: unknown }
  return typeof check === "string" && typeof rule === "string"
}

const detailOf = (body: unknown): Record<string, unknown> => {
  if (typeof body !== "object" || body === null) return {}
  const { error, ...rest } = body as Record<string, unknown>
  if (typeof error === "object" && error !== null) return error as Record<string, unknown>
  return typeof error === "string" ? { message: error } : rest
}

/** `text`: the body as it came, without the keys. */
export const errorOfAnswer = (
  response: Pick<Response, "headers" | "status">,
  text: string,
  where: string
): GatewayError => {
  const { headers, status } = response
  if (status >= 300 && status < 400) return moved(response, where)
  const body = parsed(text)
  const fields = fieldsOf(body, status, headers)
  const came = fields.message ?? `${where} answered ${status} with ${excerpt(headers.get("content-type"), text)}.`
  return new (classOf(status, fields))(came, fields)
}

/** A success that is none. */
export const invalidAnswer = (response: Response, text: string, where: string): InvalidAnswerError => {
  const came = excerpt(response.headers.get("content-type"), text)
  const said = fieldsOf(parsed(text), response.status, response.headers)
  return new InvalidAnswerError(
    said.message ?? `${where} answered ${response.status} with ${came}. Is \`baseUrl\` the gateway's address?`,
    said
  )
}

/** A success that goes on and on. */
export const endlessAnswer = ({ headers, status }: Response, where: string): InvalidAnswerError =>
  new InvalidAnswerError(
    `${where} answered ${status} with more than ${MOST_OF_ANSWER} bytes.`,
    fieldsOf(undefined, status, headers)
  )

const classOf = (status: number, { code, kind, type }: LimitFields) => {
  const isBudget = type === "insufficient_quota" || code === "insufficient_quota" || kind?.startsWith("budget") === true
  if (status === 402 || isBudget) return BudgetExceededError
  switch (status) {
    case 401:
      return AuthenticationError
    case 403:
      return PermissionError
    case 404:
      return NotFoundError
    case 429:
      return RateLimitError
    case 502:
    case 504:
    case 529:
      return UpstreamError
    default:
      if (status < 500) return BadRequestError
      return type === "upstream_error" ? UpstreamError : ServerError
  }
}

/** Whoever followed would take the key and the prompt along, and some would ask for something else there. */
const moved = ({ headers, status }: Pick<Response, "headers" | "status">, where: string): ConnectionError => {
  const location = headers.get("location") ?? ""
  const target = URL.canParse(location, where) ? new URL(location, where) : undefined
  const to = target === undefined ? "" : ` It points to ${target.origin}${target.pathname}.`
  return new ConnectionError(
    `${where} sends its callers elsewhere (${status}), and redirects are not followed.${to} Give \`baseUrl\` the gateway's own address.`,
    fieldsOf(undefined, status, headers)
  )
}

export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What came instead of what was expected, in a few words that fit into a message. */
const excerpt = (contentType: string | null, text: string): string => {
  const flat = text.slice(0, 1_000).replace(/\s+/g, " ").trim()
  const isHtml = contentType?.includes("html") === true || /^<(!doctype|html)/i.test(flat)
  const what = isHtml ? "an HTML page" : (contentType ?? "no content type")
  return flat === "" ? `${what}, empty` : `${what}: ${flat.length > 120 ? `${flat.slice(0, 120)}…` : flat}`
}
