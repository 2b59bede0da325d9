/** Errors in Anthropic's shape: https://platform.claude.com/docs/en/api/errors (2026-11-22). */
import type { AskedBy } from "../routing/Endpoint.ts"
import { googleErrors, isGoogle } from "./GoogleErrorShape.ts"
import { type ErrorShape, openAiErrors } from "./ErrorShape.ts"
import type { WireError } from "./WireFormat.ts"

const OVERLOADED = 529

/** Anthropic's types, by status. */
const TYPES = new Map([
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [504, "timeout_error"],
  [OVERLOADED, "overloaded_error"]
])

/** Codes of a 503 that means too much work at the moment, for which Anthropic has a status of its own. */
const BUSY = new Set<unknown>(["upstream_unavailable", "upstream_busy"])

const statusOf = ({ body, status }: WireError): number =>
  status === 503 && BUSY.has(body.error.code) ? OVERLOADED : status

/** The detail keeps all fields that it has in OpenAI's shape; only its type is Anthropic's. */
const errorBody = (wire: WireError, requestId: string) => {
  const status = statusOf(wire)
  const type = TYPES.get(status) ?? (status < 500 ? "invalid_request_error" : "api_error")
  const { code, message } = wire.body.error
  const words = code === "context_length_exceeded" ? promptTooLong(message) : message
  return { type: "error", error: { ...wire.body.error, type, message: words }, request_id: requestId }
}

/** `prompt is too long: N tokens > M maximum`, Anthropic's words, by which Claude Code compacts a conversation. */
const promptTooLong = (message: string): string => {
  if (/prompt is too long/i.test(message)) return message
  const most = Math.max(0, ...Array.from(message.matchAll(LIMIT), ([, after, before]) => numberOf(after ?? before)))
  const tokens = Math.max(0, ...Array.from(message.matchAll(NUMBER), ([number]) => numberOf(number)))
  const sizes = most > 0 && tokens > most ? `${tokens} tokens > ${most} maximum. ` : ""
  return `prompt is too long: ${sizes}${message}`
}

const LIMIT = /(?:maximum|limit|window|allowed)\D{0,40}?(\d[\d,]{2,})|(\d[\d,]{2,})(?: tokens?)? maximum/gi

/** Not a part of a name or a date. */
const NUMBER = /(?<![\w.:-])\d[\d,]{2,}(?![\w.:-]*\w)/g

const numberOf = (digits: string | undefined): number => Number((digits ?? "").replaceAll(",", ""))

export const anthropicErrors: ErrorShape = {
  body: errorBody,
  event: (wire, requestId) => `event: error\ndata: ${JSON.stringify(errorBody(wire, requestId))}\n\n`,
  status: statusOf,
  idHeader: "request-id"
}

/** Whether the request comes from a client of Anthropic's API, on paths that do not tell. */
export const isAnthropic = (headers: Readonly<Record<string, unknown>>): boolean =>
  headers["anthropic-version"] !== undefined

export const errorsFor = (request: AskedBy): ErrorShape =>
  isAnthropic(request.headers) ? anthropicErrors : isGoogle(request) ? googleErrors : openAiErrors
