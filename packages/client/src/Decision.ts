/** Which deployment served a call, why, and what it cost: from the gateway's headers and its answers' `gateway` object. */

export interface Decision {
  /** `<provider>/<model>` that served the call. */
  readonly decision: string
  /** The deployment's id. */
  readonly deployment: string
  readonly provider: string
  /** The model's name at its provider. */
  readonly model: string
  /** What `auto` took the prompt for; `none` where the caller named the model. */
  readonly bucket: string
  /** 0 to 1: how demanding the prompt is. */
  readonly score: number
  /** USD; null where nobody knows the price, never 0 for that. */
  readonly costUsd: number | null
  /** False while a stream runs, and of one that did not reach its end: `costUsd` is then the most that it can cost. */
  readonly costIsFinal: boolean
  /** How many attempts failed before. */
  readonly retries: number
  readonly requestId: string | null
  /** For `gateway.receipts.get`. */
  readonly receiptId: string | null
  /**
   * The strictest thing that guardrails did. Null: nothing, or the answer has no `gateway` object. While a stream runs it is null
   * too.
   */
  readonly guardrail: { readonly check: string; readonly action: "flagged" | "masked" | "denied" } | null
}

/** An answer with the gateway's decision; undefined where another server answered. */
export type Answered<T> = { readonly [K in keyof T as K extends "gateway" ? never : K]: T[K] } & {
  readonly gateway: Decision | undefined
}

/** Undefined when the headers are not the gateway's. */
export const decisionOfHeaders = (headers: Headers): Decision | undefined => {
  const name = decoded(headers.get("x-gateway-decision"))
  if (name === null) return undefined
  const slash = name.indexOf("/")
  return {
    decision: name,
    deployment: decoded(headers.get("x-gateway-deployment")) ?? name,
    provider: name.slice(0, Math.max(slash, 0)),
    model: name.slice(slash + 1),
    bucket: decoded(headers.get("x-gateway-route-bucket")) ?? "none",
    score: numberOf(headers.get("x-gateway-route-score")) ?? 0,
    costUsd: headers.get("x-gateway-cost-known") === "false" ? null : numberOf(headers.get("x-gateway-cost-usd")),
    costIsFinal: headers.get("x-gateway-cost-final") !== "false",
    retries: numberOf(headers.get("x-gateway-retries")) ?? 0,
    requestId: headers.get("x-request-id"),
    receiptId: headers.get("x-gateway-receipt-id"),
    guardrail: null
  }
}

/** The `gateway` object of a whole answer or of a stream's last event: it is final, and knows more of a stream than the headers. */
export const decisionOfBody = (value: unknown, headers: Headers): Decision | undefined => {
  const fromHeaders = decisionOfHeaders(headers)
  if (typeof value !== "object" || value === null) return fromHeaders
  const { bucket, cost_usd, decision, deployment, guardrail, receipt_id, retries, score } = value as Record<
    string,
    unknown
  >
  if (typeof decision !== "string") return fromHeaders
  const slash = decision.indexOf("/")
  return {
    decision,
    deployment: typeof deployment === "string" ? deployment : (fromHeaders?.deployment ?? decision),
    provider: decision.slice(0, Math.max(slash, 0)),
    model: decision.slice(slash + 1),
    bucket: typeof bucket === "string" ? bucket : "none",
    score: numberOf(score) ?? 0,
    costUsd: numberOf(cost_usd),
    costIsFinal: true,
    retries: numberOf(retries) ?? 0,
    requestId: headers.get("x-request-id"),
    receiptId: typeof receipt_id === "string" ? receipt_id : (fromHeaders?.receiptId ?? null),
    guardrail: typeof guardrail === "object" ? (guardrail as Decision["guardrail"]) : null
  }
}

/**
 * The gateway percent-encodes a name only where it holds something outside visible ASCII: one that decodes to nothing else was
 * never encoded, and its `%` are its own.
 */
const decoded = (header: string | null): string | null => {
  if (header === null || !header.includes("%")) return header
  try {
    const name = decodeURIComponent(header)
    return /^[\x21-\x7e]*$/.test(name) ? header : name
  } catch {
    return header
  }
}

const numberOf = (value: unknown): number | null => {
  if (value === null || value === undefined || value === "") return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}
