/** Counts finished requests. Runs on the hot path, about a microsecond for each. */
import { firstStep, step } from "../../core/collections/Steps.ts"
import { type NanoUsd, nanoToUsd } from "../../core/domain/Money.ts"
import { costOf, errorOf, type Receipt, requestsIn } from "../../core/receipts/Receipt.ts"
import { genAiOperation } from "../Conventions.ts"
import { type GuardrailVerdict, type MetricDefinition, Metrics as Definitions } from "@model-gateway/protocol"
import { DeploymentMetrics, type DeploymentLabels } from "./DeploymentMetrics.ts"
import type { MetricLabels } from "../../core/domain/Telemetry.ts"
import type { Meters, Observe } from "./Meters.ts"

/** Seconds. */
const WAITS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export interface Known extends DeploymentLabels {
  /** What it is most likely called for, in the GenAI conventions. */
  readonly operation: string | undefined
}

export class RequestMetrics {
  private readonly meters: Meters
  private readonly deployments = new Map<string, DeploymentMetrics>()
  private readonly requests = firstStep<string, { count: number }>()
  private readonly auto = new Map<string, { cost: NanoUsd; baseline: NanoUsd }>()
  private readonly cache = new Map<string, { count: number; saved: NanoUsd }>()
  private readonly waits = firstStep<string, Observe>()
  private readonly counts = new Map<string, { count: number }>()

  constructor(meters: Meters) {
    this.meters = meters
  }

  /** Deployments that are known before their first request have series of zeros: rates begin with it. */
  know(deployments: ReadonlyArray<Known>): void {
    for (const deployment of deployments) {
      const metrics = this.deployment(deployment)
      if (deployment.operation !== undefined) metrics.operation(deployment.operation)
    }
  }

  readonly ended = (receipt: Receipt): void => {
    this.request(receipt).count += requestsIn(receipt)
    const { attempts, cache, durationMs, endpoint, guardrails, priced, status } = receipt
    if (cache !== undefined) {
      const sums = this.cached(endpoint, cache.result)
      sums.count++
      if (cache.result === "hit") sums.saved += cache.saved
    }
    if (guardrails !== undefined) for (const verdict of guardrails) this.checked(verdict)
    const operation = genAiOperation(endpoint)
    for (let index = 0; index < attempts.length; index++) {
      const attempt = attempts[index]!
      // It was not called.
      if (attempt.outcome === "unsupported") continue
      const deployment = this.deployment(attempt)
      deployment.called(operation, attempt)
      if (index > 0) deployment.retries++
    }
    if (receipt.baseline !== undefined) {
      const sums = this.savings(receipt)
      sums.cost += costOf(receipt)
      sums.baseline += receipt.baseline
    }
    const last = attempts[attempts.length - 1]
    if (last === undefined) return
    const deployment = this.deployment(last)
    const error = status === "refused" ? status : (errorOf(receipt) ?? "ok")
    deployment.ended(operation, error, durationMs, last.firstTokenMs)
    if (!priced && (status === "ok" || status === "cut")) deployment.unpriced++
  }

  readonly count = (metric: MetricDefinition, labels: MetricLabels): void => {
    const key = [metric.id, ...Object.values(labels)].join(" ")
    const known = this.counts.get(key)
    if (known !== undefined) {
      known.count++
      return
    }
    const made = { count: 1 }
    this.counts.set(key, made)
    this.meters.counter(metric, labels, () => made.count)
  }

  private deployment(named: DeploymentLabels): DeploymentMetrics {
    const known = this.deployments.get(named.deployment)
    if (known !== undefined) return known
    const made = new DeploymentMetrics(this.meters, named)
    this.deployments.set(named.deployment, made)
    return made
  }

  private savings({ bucket }: Receipt): { cost: NanoUsd; baseline: NanoUsd } {
    const known = this.auto.get(bucket)
    if (known !== undefined) return known
    const made = { cost: 0, baseline: 0 }
    this.auto.set(bucket, made)
    this.meters.counter(Definitions.autoCost, { bucket }, () => nanoToUsd(made.cost))
    this.meters.counter(Definitions.autoBaseline, { bucket }, () => nanoToUsd(made.baseline))
    return made
  }

  /** Checks are those of the configuration. */
  private checked({ action, check, ms, stage }: GuardrailVerdict): void {
    this.count(Definitions.guardrailChecks, { check, stage, action })
    if (ms === undefined) return
    const waited = step(step(this.waits, check), stage)
    waited.value ??= this.meters.histogram(Definitions.guardrailDuration, { check, stage }, WAITS)
    waited.value(ms / 1000)
  }

  private cached(endpoint: string, result: string): { count: number; saved: NanoUsd } {
    const key = `${endpoint} ${result}`
    const known = this.cache.get(key)
    if (known !== undefined) return known
    const made = { count: 0, saved: 0 }
    this.cache.set(key, made)
    this.meters.counter(Definitions.cacheRequests, { endpoint, result }, () => made.count)
    if (result === "hit") this.meters.counter(Definitions.cacheSaved, { endpoint }, () => nanoToUsd(made.saved))
    return made
  }

  /** Endpoints, buckets and statuses are few, and none comes from outside. */
  private request({ bucket, endpoint, status, stream }: Receipt): { count: number } {
    const streamed = stream ? "true" : "false"
    const found = step(step(step(step(this.requests, endpoint), bucket), status), streamed)
    if (found.value !== undefined) return found.value
    const made = (found.value = { count: 0 })
    this.meters.counter(Definitions.requests, { endpoint, bucket, status, stream: streamed }, () => made.count)
    return made
  }
}
