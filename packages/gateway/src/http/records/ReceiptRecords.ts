/** Receipts as they are written on the wire, for callers and administrators alike. */
import { type CacheReport, type PriceLine, type Receipt as WireReceipt, refusalLimits } from "@model-gateway/protocol"
import type { Considered } from "../../core/routing/Considered.ts"
import type { Shadow } from "../../core/routing/Decision.ts"
import { NotFound } from "../../core/domain/Errors.ts"
import { nanoToUsd } from "../../core/domain/Money.ts"
import { HELD, type PriceLine as CorePriceLine, priceLines } from "../../core/domain/pricing/PriceLines.ts"
import { pricedPer } from "../../core/domain/pricing/Pricing.ts"
import {
  costOf,
  errorOf,
  type Feedback,
  type FullBudget,
  isEstimate,
  type Receipt,
  type Refusal,
  usageOf
} from "../../core/receipts/Receipt.ts"
import { receiptId } from "../../core/domain/RequestIds.ts"
import { rareClasses, type Usage, usageClasses, wireName } from "../../core/domain/Usage.ts"
import { rfc3339 } from "../errors/WireFormat.ts"

/** Outcomes that are the request's fault: its caller got the provider's words. Others may name the operator's account. */
const callersFault: ReadonlySet<string> = new Set(["bad_request", "context_length", "content_filter"])

/** The caller's own: without the deployments that its key may not use, and without what was said to the operator. */
export const ownWireReceipt = (receipt: Receipt): WireReceipt => {
  const { considered } = receipt
  const whole = wireReceipt(receipt)
  const attempts = whole.attempts.map((one) => (callersFault.has(one.outcome) ? one : { ...one, error: null }))
  const told = { ...whole, attempts }
  if (considered?.some(({ isForbidden }) => isForbidden) !== true) return told
  const open = considered.filter(({ isForbidden }) => !isForbidden)
  return { ...told, decision: { ...told.decision, considered: open.map(wireConsidered) } }
}

export const wireReceipt = (receipt: Receipt): WireReceipt => {
  const { priced, priceSource, priceVersion } = receipt
  const usage = usageOf(receipt)
  const cost = costOf(receipt)
  return {
    id: receiptId(receipt.requestId),
    object: "receipt",
    at: rfc3339(receipt.at),
    duration_ms: receipt.durationMs,
    key_id: receipt.keyId,
    key_name: receipt.keyName ?? null,
    team: receipt.team,
    endpoint: orNull(receipt.endpoint),
    requested_model: orNull(receipt.requestedModel),
    decision: {
      provider: receipt.provider,
      model: receipt.model,
      deployment: receipt.deployment,
      bucket: receipt.bucket,
      score: receipt.score,
      reasons: receipt.reasons,
      cut_points: receipt.cutPoints ?? null,
      features: (receipt.features ?? []).map(({ added, name, value }) => ({ name, value, weight: added })),
      considered: receipt.considered?.map(wireConsidered) ?? null,
      shadow: receipt.shadow === undefined ? null : wireShadow(receipt.shadow)
    },
    attempts: receipt.attempts.map((attempt) => ({
      deployment: attempt.deployment,
      outcome: attempt.outcome,
      http_status: attempt.httpStatus,
      error: attempt.error ?? null,
      ...(attempt.adapted === undefined ? {} : { adapted: attempt.adapted }),
      started_ms: attempt.startedMs,
      first_token_ms: attempt.firstTokenMs,
      duration_ms: attempt.durationMs,
      // What has no price must not look free.
      cost_usd: !priced && attempt.cost === 0 ? null : nanoToUsd(attempt.cost),
      ...(attempt.serviceTier === undefined ? {} : { service_tier: attempt.serviceTier })
    })),
    usage: wireUsage(usage),
    cost_usd: priced || cost > 0 ? nanoToUsd(cost) : null,
    price_lines: wirePriceLines(receipt),
    baseline_usd: isComparable(receipt) ? nanoToUsd(receipt.baseline) : null,
    cost_is_estimate: isEstimate(receipt),
    price: priceSource === null ? null : { source: priceSource, version: priceVersion ?? "" },
    status: receipt.status,
    error: errorOf(receipt) ?? null,
    refusal: receipt.refusal === undefined ? null : wireRefusal(receipt.refusal, receipt.limit),
    refused_by: receipt.fullBudget === undefined ? null : wireFullBudget(receipt.fullBudget),
    ...(receipt.guardrails === undefined ? {} : { guardrails: receipt.guardrails }),
    ...(receipt.cache?.result === "hit" ? { cache: wireCache(receipt.cache) } : {}),
    stream: receipt.stream,
    client_disconnected: receipt.status === "client_gone",
    session_id: receipt.sessionId ?? null,
    ...(receipt.endUser === undefined ? {} : { end_user: receipt.endUser }),
    tags: receipt.tags,
    feedback: receipt.feedback === undefined ? null : wireFeedback(receipt.feedback)
  }
}

const wireCache = ({ ageMs, fromRequest, saved }: CacheReport & { readonly result: "hit" }) => ({
  result: "hit" as const,
  age_ms: ageMs,
  saved_usd: nanoToUsd(saved),
  from_receipt: receiptId(fromRequest)
})

const wireRefusal = (
  { code, count, httpStatus, message, method }: Refusal,
  limit: Receipt["limit"]
): WireReceipt["refusal"] => ({
  method,
  http_status: httpStatus,
  code,
  message,
  limit: refusalLimits.find((one) => one === limit) ?? null,
  count
})

const wireFullBudget = ({ limit, needed, scope, used, window }: FullBudget): WireReceipt["refused_by"] => ({
  limit: "budget",
  scope,
  window,
  limit_usd: nanoToUsd(limit),
  used_usd: nanoToUsd(used),
  needed_usd: nanoToUsd(needed)
})

const wireConsidered = ({ deployment, fate, why }: Considered) => ({ deployment, fate, why })

const isComparable = (receipt: Receipt): receipt is Receipt & { readonly baseline: number } =>
  receipt.baseline !== undefined && receipt.isIncomparable !== true

const PICO_PER_USD = 1e12

/** Of all attempts, which are counted from 1. Null where those of one are not known. */
const wirePriceLines = ({ attempts }: Receipt): WireReceipt["price_lines"] => {
  const lines: Array<PriceLine> = []
  for (const [index, { cost, deployment, rates, usage }] of attempts.entries()) {
    const found = priceLines(rates, usage, cost)
    if (found === undefined) return null
    for (const line of found) lines.push({ attempt: index + 1, deployment, ...wireLine(line) })
  }
  return lines
}

const wireLine = ({ cost, count, of, rate }: CorePriceLine) => {
  const entry = usageClasses.find(({ name }) => name === of)
  return {
    class: entry === undefined ? HELD : wireName(entry.name),
    count,
    unit: entry?.unit ?? null,
    rate_usd: rate === null || entry === undefined ? null : (rate * pricedPer[entry.unit]) / PICO_PER_USD,
    per: entry === undefined ? null : pricedPer[entry.unit],
    cost_usd: cost === null ? null : nanoToUsd(cost)
  }
}

/** The usual classes, and of the rare ones what there was. */
const wireUsage = (usage: Usage): WireReceipt["usage"] =>
  Object.fromEntries(
    usageClasses.flatMap(({ name }) => {
      return usage[name] === 0 && rare.has(name) ? [] : [[wireName(name), usage[name]]]
    })
  ) as unknown as WireReceipt["usage"]

const rare: ReadonlySet<string> = new Set(rareClasses)

export const wireShadow = ({ bucket, deployment, difference, score }: Shadow) => ({
  bucket,
  score,
  deployment,
  expected_difference_usd: difference === null ? null : nanoToUsd(difference)
})

export const wireFeedback = ({ at, score }: Feedback) => ({ score, at: rfc3339(at) })

const orNull = (text: string): string | null => (text === "" ? null : text)

/** There is no receipt of that id, or none for who asks. */
export const noContent = (id: string): NotFound =>
  new NotFound({
    what: "content",
    id,
    hint: "No `jsonl` sink has it: the policy of its key logs none, it was dropped, or the time to keep it is over."
  })

export const noReceipt = (id: string): NotFound =>
  new NotFound({
    what: "receipt",
    id,
    hint: "The request is not known (any more), or it is not over yet, or it is one of many refused ones that share a receipt."
  })
