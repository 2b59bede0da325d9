/** Explanations of decisions on the wire. */
import type { RouteExplanation } from "@model-gateway/protocol"
import { Result } from "effect"
import type { RoutedRequest } from "../../core/operations/CallRequest.ts"
import type { Preference } from "../../core/routing/CutPoints.ts"
import type { Decision } from "../../core/routing/Decision.ts"
import { EXPECTED_OUTPUT, expectedOutput } from "../../core/routing/ExpectedCost.ts"
import { type NanoUsd, nanoToUsd } from "../../core/domain/Money.ts"
import type { Candidate, Explanation } from "../../core/routing/RouteExplanation.ts"
import type { RoutingError } from "../../core/routing/RoutingError.ts"
import { wireShadow } from "../records/ReceiptRecords.ts"
import { wireError } from "../errors/WireError.ts"
import { rfc3339 } from "../errors/WireFormat.ts"

/** Features with little weight are left out. */
const MOST_FEATURES = 10
const LEAST_WEIGHT = 0.005

const ASSUMPTION = `input as estimated, nothing of it read from a cache; ${EXPECTED_OUTPUT} tokens of output, or the caller's limit where that is lower; no unseen reasoning`

export const wireExplanation = (
  { assessment, candidates, cutPoints, decision, model }: Explanation,
  request: RoutedRequest,
  endpoint: string,
  prefer: Preference | undefined,
  now: number
): RouteExplanation => {
  const made = Result.isSuccess(decision) ? decision.success : undefined
  const first = candidates.find(({ fate }) => fate === "chosen")
  return {
    object: "route.explanation",
    endpoint,
    requested_model: request.model,
    bucket: assessment?.bucket ?? "none",
    score: assessment?.score ?? 0,
    cut_points: cutPoints,
    prefer: prefer ?? null,
    features: (assessment?.features ?? [])
      .filter(({ added }) => Math.abs(added) >= LEAST_WEIGHT)
      .slice(0, MOST_FEATURES)
      .map(({ added, name, value }) => ({ name, value: rounded(value), weight: rounded(added) })),
    decision: made === undefined ? null : wireDecision(made),
    refusal: Result.isFailure(decision) ? refusal(decision.failure, now) : null,
    candidates: candidates.map(wireCandidate),
    expected_cost: {
      usd: usd(first?.cost ?? null),
      input_tokens: request.inputEstimate,
      output_tokens: expectedOutput(request),
      assumption: ASSUMPTION
    },
    shadow: made?.shadow === undefined ? null : wireShadow(made.shadow),
    model: {
      name: model.name,
      date: model.date,
      file: model.file ?? null,
      loaded_at: rfc3339(model.loadedAt),
      refused: model.refused === undefined ? null : { ...model.refused, at: rfc3339(model.refused.at) }
    }
  }
}

const wireDecision = ({ bucket, candidates, reasons, score }: Decision) => {
  const { id, model, provider } = candidates[0]!
  return { provider, model, deployment: id, bucket, score, reasons }
}

const refusal = (error: RoutingError, now: number) => {
  const { body, status } = wireError(error, now)
  const { code, message, type } = body.error
  return { status, type, code: code ?? type, message }
}

const wireCandidate = ({ bucket, cost, deployment, fate, place, why }: Candidate) => ({
  deployment: deployment.id,
  provider: deployment.provider,
  model: deployment.model,
  bucket,
  fate,
  place,
  why,
  expected_cost_usd: usd(cost)
})

const usd = (cost: NanoUsd | null): number | null => (cost === null ? null : nanoToUsd(cost))

const rounded = (value: number): number => Number(value.toFixed(4))
