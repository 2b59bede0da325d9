/** An answer that is no success, as the error to throw. */
import { ContextOverflowError } from "@langchain/core/errors"
import {
  GatewayAuthenticationError,
  GatewayBudgetError,
  GatewayError,
  type GatewayLimitFields,
  GatewayPermissionError,
  GatewayRateLimitError,
  markRetryable
} from "../Errors.ts"

/** `{error: {…}}`, or what an event of a stream or a foreign server has in its place. */
export const errorOfBody = (status: number | undefined, headers: Headers | undefined, body: unknown): Error => {
  const detail = detailOf(body)
  const { guardrail, models } = detail
  const text = (name: string): string | undefined =>
    typeof detail[name] === "string" ? (detail[name] as string) : undefined
  const number = (name: string): number | undefined =>
    typeof detail[name] === "number" ? (detail[name] as number) : undefined
  const seconds = number("retry_after_seconds") ?? Number(headers?.get("retry-after") ?? undefined)
  const fields: GatewayLimitFields = {
    status,
    type: text("type"),
    code: text("code"),
    param: text("param"),
    guardrail: isGuardrail(guardrail) ? guardrail : undefined,
    requestId: headers?.get("x-request-id") ?? undefined,
    headers,
    retryable: retryable(status, headers),
    kind: text("kind") ?? headers?.get("x-gateway-limit-kind") ?? undefined,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
    limit: number("limit"),
    used: number("used"),
    scope: text("scope"),
    subject: text("subject"),
    models: Array.isArray(models) ? models.filter((model) => typeof model === "string") : undefined,
    resetsAt: text("resets_at")
  }
  const message = text("message") ?? `The gateway answered with the status ${status ?? "?"}.`
  if (fields.code === "context_length_exceeded") {
    const cause = new GatewayError(message, { ...fields, retryable: false })
    return markRetryable(ContextOverflowError.fromError(cause), false)
  }
  return new (classOf(status, fields))(message, fields)
}

const classOf = (status: number | undefined, { code, kind, type }: GatewayLimitFields) => {
  const isBudget = type === "insufficient_quota" || code === "insufficient_quota" || kind?.startsWith("budget") === true
  if (status === 402 || isBudget) return GatewayBudgetError
  if (status === 429) return GatewayRateLimitError
  if (status === 401) return GatewayAuthenticationError
  return status === 403 ? GatewayPermissionError : GatewayError
}

/** Undefined where LangChain looks at `Retry-After` and the words itself: a 429. */
const retryable = (status: number | undefined, headers: Headers | undefined): boolean | undefined => {
  if (headers?.get("x-should-retry") === "false") return false
  if (status === undefined || status === 429) return undefined
  return status >= 500 || status === 408 || status === 425
}

const isGuardrail = (value: unknown): value is NonNullable<GatewayLimitFields["guardrail"]> => {
  const { check, rule } = (value ?? {}) as { readonly check?: unknown; readonly rule?: unknown }
  return typeof check === "string" && typeof rule === "string"
}

const detailOf = (body: unknown): Record<string, unknown> => {
  if (typeof body !== "object" || body === null) return {}
  const { error, ...rest } = body as Record<string, unknown>
  if (typeof error === "object" && error !== null) return error as Record<string, unknown>
  return typeof error === "string" ? { message: error } : rest
}

/** What came instead of what was expected, in a few words that fit into a message. */
export const excerpt = (contentType: string | null, text: string): string => {
  const flat = text.replace(/\s+/g, " ").trim()
  const start = flat.length > 120 ? `${flat.slice(0, 120)}…` : flat
  const what = isHtml(contentType, flat) ? "an HTML page" : (contentType ?? "no content type")
  return start === "" ? `${what}, empty` : `${what}: ${start}`
}

const isHtml = (contentType: string | null, text: string): boolean =>
  contentType?.includes("html") === true || /^<(!doctype|html)/i.test(text)
