/** The receipt of a request that a dead process left open, made from the ledger alone. */
import type { Receipt, ReceiptAttempt } from "../../../core/receipts/Receipt.ts"
import { allOperations } from "../../../core/operations/Operations.ts"
import { AUTO } from "../../../core/routing/Eligibility.ts"
import type { AbandonedRule } from "../../../core/domain/AbandonedRule.ts"
import { usageIn } from "../Columns.ts"

/** A row of the ledger. */
export interface ClosedAttempt {
  readonly id: number
  readonly request_id: string
  readonly attempt: number
  readonly at: number
  readonly key_id: string
  readonly team: string
  readonly provider: string
  readonly model: string
  readonly deployment: string
  readonly operation: string
  /** Null unless the caller requested `auto`. */
  readonly baseline: number | null
  readonly tags: string
  readonly price_source: string | null
  readonly price_version: string | null
  readonly status: string
  readonly settled_at: number
  readonly cost: number
  readonly estimated: number
  readonly input: number
  readonly cached_input: number
  readonly cache_write: number
  readonly cache_write_1h: number
  readonly output: number
  readonly reasoning: number
  readonly audio_input: number
  readonly audio_output: number
  readonly details: string | null
}

const REASONS: { readonly [Rule in AbandonedRule]: string } = {
  estimate:
    "the gateway's process died during this request; the charge is an estimate: its input and the output possible until then, or the reservation if that is not known",
  book: "the gateway's process died during this request; its worst-case cost was charged at the next start",
  void: "the gateway's process died during this request; nothing was charged at the next start, as configured"
}

/** The receipt of one request from its attempts, first to last. Alias, score and reasons were lost with the process. */
export const abandonedReceipt = (rows: ReadonlyArray<ClosedAttempt>, rule: AbandonedRule): Receipt => {
  const [first, last] = [rows[0]!, rows.at(-1)!]
  return {
    requestId: last.request_id,
    at: first.at,
    durationMs: last.settled_at - first.at,
    keyId: last.key_id,
    team: last.team === "" ? null : last.team,
    endpoint: allOperations.find(({ name }) => name === last.operation)?.path ?? "",
    requestedModel: last.baseline === null ? last.deployment : AUTO,
    deployment: last.deployment,
    provider: last.provider,
    model: last.model,
    bucket: "none",
    score: 0,
    reasons: [REASONS[rule]],
    attempts: rows.map((row) => attemptOf(row, first.at)),
    status: "abandoned",
    stream: false,
    priced: last.price_source !== null,
    priceSource: last.price_source,
    priceVersion: last.price_version,
    tags: last.tags === "" ? [] : last.tags.split(",")
  }
}

const attemptOf = (row: ClosedAttempt, began: number): ReceiptAttempt => ({
  deployment: row.deployment,
  provider: row.provider,
  model: row.model,
  outcome: row.status === "abandoned" ? "abandoned" : "failed",
  httpStatus: null,
  startedMs: row.at - began,
  firstTokenMs: null,
  durationMs: row.settled_at - row.at,
  cost: row.cost,
  usage: usageIn({ ...detailsOf(row), ...row }),
  estimated: row.estimated === 1,
  serviceTier: detailsOf(row)["service_tier"] as string | undefined
})

const detailsOf = ({ details }: ClosedAttempt): { readonly [name: string]: unknown } =>
  details === null ? {} : JSON.parse(details)
