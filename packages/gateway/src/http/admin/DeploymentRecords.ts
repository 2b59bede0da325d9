/** Deployments on the wire. */
import type { Deployment as WireDeployment, Price } from "@model-gateway/protocol"
import type { HealthReport } from "../../core/pool/Health.ts"
import type { PriceSheet, Rates } from "../../core/domain/pricing/Pricing.ts"
import type { CallCounts } from "../../core/admin/FailureRate.ts"
import type { DeploymentStatus } from "../../core/pool/ProviderPool.ts"
import { rfc3339 } from "../errors/WireFormat.ts"

/** Recent traffic: calls of the last hour, and the failure rate of the last 15 minutes. */
export interface Lately extends CallCounts {
  readonly failureRate: number | null
  readonly tokensPerSecond: number | null
}

/** Prices are those in force at `now` (epoch milliseconds). */
export const wireDeployment = (
  { deployment, health, inFlight, inRotation, keys }: DeploymentStatus,
  buckets: ReadonlyArray<string>,
  lately: Lately | undefined,
  now: number
): WireDeployment => ({
  id: deployment.id,
  object: "deployment",
  provider: deployment.provider,
  model: deployment.model,
  protocol: deployment.protocol,
  status: inRotation ? "in_rotation" : "out_of_rotation",
  health: wireHealth(health),
  tokens_per_second_p50: lately?.tokensPerSecond ?? null,
  failure_rate_15m: lately?.failureRate ?? null,
  requests_1h: lately?.calls ?? 0,
  failed_1h: lately?.failed ?? 0,
  keys: keys.map(({ index, state, until }) => ({ index, state, until: until === null ? null : rfc3339(until) })),
  buckets,
  weight: deployment.weight,
  priority: deployment.priority,
  price: deployment.price === undefined ? null : wirePrice(deployment.price, now),
  context_window: deployment.contextWindow ?? null,
  max_output_tokens: deployment.maxOutputTokens ?? null,
  supports: [...deployment.supports],
  in_flight: inFlight,
  max_in_flight: deployment.maxInFlight ?? null
})

export const wireHealth = (health: HealthReport): WireDeployment["health"] => ({
  circuit: health.circuit,
  since: health.since === null ? null : rfc3339(health.since),
  consecutive_failures: health.consecutiveFailures,
  error_rate: health.errorRate,
  latency_ms_p50: health.latencyP50,
  latency_ms_p95: health.latencyP95,
  ttft_ms_p50: health.firstTokenP50,
  ttft_ms_p95: health.firstTokenP95,
  last_error: health.lastError === null ? null : { ...health.lastError, at: rfc3339(health.lastError.at) }
})

const wirePrice = (sheet: PriceSheet, now: number): Price => {
  const { base, tiers } = sheet.ratesAt(now)
  return {
    ...wireRates(base),
    tiers: tiers.map(({ above, rates }) => ({ above_input_tokens: above, ...wireRates(rates) })),
    source: sheet.source,
    version: sheet.version
  }
}

/** Pico-USD per token are micro-USD per million tokens. */
const PICO_PER_MILLION = 1_000_000

const wireRates = (rates: Rates) => ({
  input: rates.input / PICO_PER_MILLION,
  cached_input: rates.cachedInput / PICO_PER_MILLION,
  cache_write: rates.cacheWrite / PICO_PER_MILLION,
  output: rates.output / PICO_PER_MILLION,
  reasoning: rates.reasoning / PICO_PER_MILLION
})
