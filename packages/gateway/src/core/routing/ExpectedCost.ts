/** What a request is expected to cost at a deployment before anybody answered it. */
import type { RoutedRequest } from "../operations/ChatRequest.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { NanoUsd } from "../domain/Money.ts"
import { costOf } from "../domain/Pricing.ts"
import { noUsage } from "../domain/Usage.ts"

/** Output tokens of an answer, where the caller gives no lower limit. */
export const EXPECTED_OUTPUT = 1_000

/** Tokens of the answer, or the answers; none where vectors are asked for. */
export const expectedOutput = ({ choices, maxOutput, needs }: RoutedRequest): number =>
  needs.includes("embeddings") ? 0 : Math.min(maxOutput ?? EXPECTED_OUTPUT, EXPECTED_OUTPUT) * choices

/** At the prices of `now` (epoch ms), nothing read from a cache and nothing reasoned unseen; null where nobody knows the price. */
export const expectedCost = ({ price }: Deployment, request: RoutedRequest, now: number): NanoUsd | null =>
  price === undefined
    ? null
    : costOf(price, { ...noUsage, input: request.inputEstimate, output: expectedOutput(request) }, now)
