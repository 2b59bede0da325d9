/** Which deployment served a call, why, and what it cost: read from the gateway's headers and from its answers' `gateway` object. */
import type { BaseMessage } from "@langchain/core/messages"
import { readUsd } from "./Money.ts"

export interface GatewayDecision {
  /** The deployment's id. */
  readonly deployment: string
  readonly provider: string
  /** The model's name at its provider. */
  readonly model: string
  /** What `auto` took the prompt for; `none` where the caller named the model. */
  readonly bucket: string
  /** 0 to 1: how demanding the prompt is. */
  readonly score: number
  /** USD, exact to the nano-dollar; null where nobody knows the model's price. */
  readonly costUsd: number | null
  /** False for a stream that did not reach its end: `costUsd` is then the most that it can have cost. */
  readonly costIsFinal: boolean
  /** How many deployments failed before this one. */
  readonly retries: number
  readonly requestId: string | null
  /** For `GET /v1/receipts/{id}`. */
  readonly receiptId: string | null
  /** The strictest thing that guardrails did. Null: nothing, or the answer has no `gateway` object. */
  readonly guardrail: { readonly check: string; readonly action: "flagged" | "masked" | "denied" } | null
}

/** The decision that the headers tell; undefined when they are not the gateway's. */
export const decisionOfHeaders = (headers: Headers): GatewayDecision | undefined => {
  const name = decoded(headers.get("x-gateway-decision"))
  if (name === null) return undefined
  return {
    deployment: decoded(headers.get("x-gateway-deployment")) ?? name,
    ...splitName(name),
    bucket: decoded(headers.get("x-gateway-route-bucket")) ?? "none",
    score: readNumber(headers.get("x-gateway-route-score")) ?? 0,
    costUsd:
      headers.get("x-gateway-cost-known") === "false" ? null : (readUsd(headers.get("x-gateway-cost-usd")) ?? null),
    costIsFinal: headers.get("x-gateway-cost-final") !== "false",
    retries: readNumber(headers.get("x-gateway-retries")) ?? 0,
    requestId: headers.get("x-request-id"),
    receiptId: headers.get("x-gateway-receipt-id"),
    guardrail: null
  }
}

/**
 * The decision that the `gateway` object of a body or of a stream's last event tells. It is final, and goes before the headers,
 * which know less of a stream. Undefined when there is none.
 */
export const decisionOfBody = (value: unknown, headers: Headers): GatewayDecision | undefined => {
  const fromHeaders = decisionOfHeaders(headers)
  if (typeof value !== "object" || value === null) return undefined
  const body = value as Record<string, unknown>
  if (typeof body["decision"] !== "string") return undefined
  return {
    deployment: readText(body["deployment"]) ?? fromHeaders?.deployment ?? body["decision"],
    ...splitName(body["decision"]),
    bucket: readText(body["bucket"]) ?? fromHeaders?.bucket ?? "none",
    score: readNumber(body["score"]) ?? fromHeaders?.score ?? 0,
    costUsd: readUsd(body["cost_usd"]) ?? null,
    costIsFinal: true,
    retries: readNumber(body["retries"]) ?? fromHeaders?.retries ?? 0,
    requestId: headers.get("x-request-id"),
    receiptId: readText(body["receipt_id"]) ?? fromHeaders?.receiptId ?? null,
    guardrail: isGuardrail(body["guardrail"]) ? body["guardrail"] : null
  }
}

/** The decision behind a message that `ChatGateway` made; undefined for any other, and where the server was no gateway. */
export const gatewayDecision = (
  message: Pick<BaseMessage, "response_metadata"> | null | undefined
): GatewayDecision | undefined => {
  const value: unknown = message?.response_metadata?.["gateway"]
  return isDecision(value) ? value : undefined
}

/** Told of a decision as soon as it is known. */
export type OnDecision = (decision: GatewayDecision) => void

/** An answer that was paid for does not fail because of whoever wanted to be told. */
export const tell = (listener: OnDecision | undefined, decision: GatewayDecision | undefined): void => {
  if (decision === undefined || listener === undefined) return
  const complain = (error: unknown): void => console.warn(`onDecision failed: ${String(error)}`)
  try {
    Promise.resolve(listener(decision)).catch(complain)
  } catch (error) {
    complain(error)
  }
}

const isDecision = (value: unknown): value is GatewayDecision =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Record<string, unknown>)["deployment"] === "string" &&
  typeof (value as Record<string, unknown>)["costIsFinal"] === "boolean"

/** A model's name may hold slashes, a provider's does not. */
const splitName = (name: string): { readonly provider: string; readonly model: string } => {
  const slash = name.indexOf("/")
  return slash < 0 ? { provider: "", model: name } : { provider: name.slice(0, slash), model: name.slice(slash + 1) }
}

/**
 * The gateway percent-encodes a name only where it holds something outside visible ASCII. So a name that decodes to nothing but
 * visible ASCII was never encoded, and its `%` are its own.
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

const isGuardrail = (value: unknown): value is NonNullable<GatewayDecision["guardrail"]> =>
  typeof value === "object" && value !== null

const readText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const readNumber = (value: unknown): number | undefined => {
  if (value === null || value === undefined || value === "") return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}
