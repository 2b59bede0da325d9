/** Decisions of `auto` with their outcomes, as `router train` reads them. The fields are documented in docs/routing.md. */
import { nanoToUsd } from "@model-gateway/gateway/internal/core/domain/Money"
import type { Receipt } from "@model-gateway/gateway/internal/core/receipts/Receipt"
import { receiptId } from "@model-gateway/gateway/internal/core/domain/RequestIds"
import { rfc3339 } from "@model-gateway/gateway/internal/http/errors/WireFormat"
import type { StoredRoutedRequest } from "../store/reading/RoutedRequest.ts"

/** Why nothing can be learned from a request; `nothing`: it can. */
export type Lack = "nothing" | "answer" | "prompt" | "feedback"

/** The most important problem comes first: a row without its prompt can't be learned from. */
export const lackOf = ({ prompt, receipt }: StoredRoutedRequest): Lack => {
  if (!isAnswered(receipt)) return "answer"
  if (prompt === undefined) return "prompt"
  return receipt.feedback === undefined ? "feedback" : "nothing"
}

/** The caller got something that it could judge. */
const isAnswered = ({ status }: Receipt): boolean => status === "ok" || status === "cut" || status === "client_gone"

/** JSON, with a line feed at the end. */
export const outcomeLine = ({ prompt, receipt }: StoredRoutedRequest): string => {
  const { attempts, feedback } = receipt
  const row = {
    ...(prompt === undefined ? {} : wirePrompt(prompt)),
    outcomes: isAnswered(receipt) ? { [receipt.deployment]: outcomeOf(receipt) } : {},
    receipt_id: receiptId(receipt.requestId),
    at: rfc3339(receipt.at),
    ...decisionOf(receipt),
    requested_model: receipt.requestedModel === "" ? null : receipt.requestedModel,
    status: receipt.status,
    retries: Math.max(0, attempts.length - 1),
    failures: attempts.slice(0, -1).map(({ deployment, outcome }) => ({ deployment, outcome })),
    feedback: feedback?.score ?? null
  }
  return `${JSON.stringify(row)}\n`
}

const wirePrompt = ({ body, featureSet }: NonNullable<StoredRoutedRequest["prompt"]>) => {
  const value = JSON.parse(body) as unknown
  return featureSet === null ? { prompt: value } : { feature_set: featureSet, features: value }
}

/** Where `auto` only watched, what it would have done. */
export const decisionOf = ({ bucket, score, shadow }: Receipt) =>
  shadow === undefined ? { bucket, score, shadow: false } : { bucket: shadow.bucket, score: shadow.score, shadow: true }

/** Only the caller knows the quality of a response. Its cost is that of the deployment alone, without earlier failed attempts. */
const outcomeOf = ({ attempts, deployment, feedback, priced }: Receipt) => {
  const cost = attempts.reduce((sum, attempt) => (attempt.deployment === deployment ? sum + attempt.cost : sum), 0)
  return { quality: feedback?.score ?? null, cost_usd: priced || cost > 0 ? nanoToUsd(cost) : null }
}
