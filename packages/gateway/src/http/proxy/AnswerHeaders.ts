/** The headers of a successful response: the five of the contract, and further ones. */
import { cacheHeaders } from "@model-gateway/protocol"
import { decisionName } from "../../core/domain/Deployment.ts"
import { nanoToDecimal, type NanoUsd } from "../../core/domain/Money.ts"
import type { Allowances } from "../../core/limits/RateLimiter.ts"
import { receiptId } from "../../core/domain/RequestIds.ts"
import type { RoutingMetadata } from "../../core/operations/RoutingMetadata.ts"

const GUARDRAIL_ACTIONS = { flag: "flagged", mask: "masked", deny: "denied" } as const

export const answerHeaders = (
  report: RoutingMetadata,
  allowances: Allowances,
  budgetRemaining: NanoUsd | undefined
): Record<string, string> => {
  const headers: Record<string, string> = {
    "x-gateway-decision": encoded(decisionName(report.deployment)),
    "x-gateway-route-bucket": encoded(report.bucket),
    "x-gateway-route-score": decimal(report.score),
    "x-gateway-cost-usd": nanoToDecimal(report.cost ?? 0),
    "x-gateway-retries": String(report.retries),
    "x-gateway-deployment": encoded(report.deployment.id),
    "x-gateway-receipt-id": receiptId(report.requestId)
  }
  if (!report.isPriced) headers["x-gateway-cost-known"] = "false"
  if (report.guardrail !== undefined) headers["x-gateway-guardrail-action"] = GUARDRAIL_ACTIONS[report.guardrail.action]
  if (report.cache !== undefined) Object.assign(headers, cacheHeaders(report.cache))
  if (report.dropped.length > 0) headers["x-gateway-dropped-params"] = report.dropped.map(encoded).join(",")
  return withAllowances(headers, allowances, budgetRemaining)
}

/** What is left to the caller at the moment. */
export const allowanceHeaders = (
  allowances: Allowances,
  budgetRemaining: NanoUsd | undefined
): Record<string, string> => withAllowances({}, allowances, budgetRemaining)

/** Names that are put together would have to be looked up in V8's table of names for each response. */
const RATE_HEADERS = {
  requests: ["x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"],
  tokens: ["x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"]
} as const

const withAllowances = (
  headers: Record<string, string>,
  allowances: Allowances,
  budgetRemaining: NanoUsd | undefined
): Record<string, string> => {
  if (budgetRemaining !== undefined) headers["x-gateway-budget-remaining-usd"] = nanoToDecimal(budgetRemaining)
  for (const kind of ["requests", "tokens"] as const) {
    const allowance = allowances[kind]
    if (allowance === undefined) continue
    const [limit, remaining, reset] = RATE_HEADERS[kind]
    headers[limit] = String(allowance.limit)
    headers[remaining] = String(Math.floor(allowance.remaining))
    headers[reset] = `${Math.ceil(allowance.resetMs) / 1000}s`
  }
  return headers
}

/** Who answered, after how many retries. */
export const servedBy = ({ deployment, retries }: RoutingMetadata): Record<string, string> => ({
  "x-gateway-decision": encoded(decisionName(deployment)),
  "x-gateway-deployment": encoded(deployment.id),
  "x-gateway-retries": String(retries)
})

/** Names come from outside. Everything but visible ASCII is percent-encoded, so that no name makes a header invalid. */
const encoded = (name: string): string =>
  /^[\x21-\x7e]*$/.test(name) ? name : name.toWellFormed().replace(/[^\x21-\x24\x26-\x7e]/gu, encodeURIComponent)

/** At most four decimals, never in exponent form. */
const decimal = (score: number): string => String(Math.round(score * 10_000) / 10_000)
