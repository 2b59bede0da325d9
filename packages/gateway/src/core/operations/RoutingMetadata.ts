/** What the caller is told about its response, in headers and in the body. */
import type { CacheReport } from "@model-gateway/protocol"
import type { JsonObject } from "../domain/Json.ts"
import { type Deployment, decisionName } from "../domain/Deployment.ts"
import { nanoToUsd, type NanoUsd } from "../domain/Money.ts"
import { receiptId } from "../domain/RequestIds.ts"

export interface RoutingMetadata {
  readonly requestId: string
  readonly deployment: Deployment
  readonly bucket: string
  readonly score: number
  readonly retries: number
  /** The cost of all attempts, as far as their prices are known; null where none is. */
  readonly cost: NanoUsd | null
  /** All attempts have known prices. */
  readonly isPriced: boolean
  /** False: the response was to be stored, and there was no room for it. */
  readonly isStored?: boolean
  /** The strictest thing that guardrails did. Left out: nothing. */
  readonly guardrail?: { readonly check: string; readonly action: "flag" | "mask" | "deny" }
  /** What the response cache did. Left out: it is off for the request. */
  readonly cache?: CacheReport
  /** The caller's parameters that the provider does not support. */
  readonly dropped: ReadonlyArray<string>
}

export const costInUsd = (report: RoutingMetadata): number | null =>
  report.cost === null ? null : nanoToUsd(report.cost)

/** The `gateway` member of a response's body. */
export const gatewayObject = (report: RoutingMetadata): JsonObject => ({
  decision: decisionName(report.deployment),
  deployment: report.deployment.id,
  bucket: report.bucket,
  score: report.score,
  cost_usd: costInUsd(report),
  retries: report.retries,
  receipt_id: receiptId(report.requestId),
  ...(report.guardrail === undefined ? undefined : { guardrail: report.guardrail }),
  ...(report.cache?.result === "hit" ? { cache: "hit" } : undefined)
})
