/** The expected cost of a request at a deployment, before it is answered. */
import type { RoutedRequest } from "../operations/CallRequest.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { NanoUsd } from "../domain/Money.ts"
import { costOf } from "../domain/pricing/Pricing.ts"
import { noUsage } from "../domain/Usage.ts"

/** Expected output tokens of a response, unless the caller's limit is lower. */
export const EXPECTED_OUTPUT = 1_000

/** Output tokens of all choices; none for embeddings. */
export const expectedOutput = ({ choices, maxOutput, needs }: RoutedRequest): number =>
  needs.includes("embeddings") ? 0 : Math.min(maxOutput ?? EXPECTED_OUTPUT, EXPECTED_OUTPUT) * choices

/** At the prices of `now` (epoch milliseconds), without cache reads and hidden reasoning; null if the price is unknown. */
export const expectedCost = ({ price }: Deployment, request: RoutedRequest, now: number): NanoUsd | null =>
  price === undefined
    ? null
    : costOf(price, { ...noUsage, input: request.inputEstimate, output: expectedOutput(request) }, now)
