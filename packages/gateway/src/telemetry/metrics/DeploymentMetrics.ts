/** What is counted of one deployment. Made once for each, so that counting a call is a few additions. */
import { type NanoUsd, nanoToUsd } from "../../core/domain/Money.ts"
import type { ReceiptAttempt } from "../../core/receipts/Receipt.ts"
import {
  addTo,
  inputTokens,
  noUsage,
  outputTokens,
  usageClasses,
  type UsageSum,
  wireName
} from "../../core/domain/Usage.ts"
import { Metrics as Definitions, type MetricDefinition } from "@model-gateway/protocol"
import type { MetricLabels } from "../../core/domain/Telemetry.ts"
import type { Meters, Observe } from "./Meters.ts"

/** As OpenTelemetry's GenAI conventions advise. Seconds. */
const DURATIONS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const FIRST_TOKENS = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864]

export interface DeploymentLabels {
  readonly deployment: string
  readonly provider: string
  readonly model: string
}

/** What is measured of one operation at a deployment: the labels of the GenAI conventions name both. */
class OperationMetrics {
  readonly firstToken: Observe
  readonly inputs: Observe
  readonly outputs: Observe
  private readonly meters: Meters
  private readonly labels: MetricLabels
  private readonly calls = new Map<string, Observe>()
  private readonly requests = new Map<string, Observe>()

  constructor(meters: Meters, operation: string, { deployment, model, provider }: DeploymentLabels) {
    this.meters = meters
    this.labels = {
      "gen_ai.operation.name": operation,
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
      deployment
    }
    const usage = (type: string) =>
      meters.histogram(Definitions.tokenUsage, { ...this.labels, "gen_ai.token.type": type }, TOKENS)
    this.inputs = usage("input")
    this.outputs = usage("output")
    this.firstToken = meters.histogram(Definitions.firstToken, this.labels, FIRST_TOKENS)
    this.call("ok")
    this.request("ok")
  }

  call(outcome: string): Observe {
    return this.calls.get(outcome) ?? this.durations(this.calls, Definitions.callDuration, outcome)
  }

  request(error: string): Observe {
    return this.requests.get(error) ?? this.durations(this.requests, Definitions.requestDuration, error)
  }

  private durations(made: Map<string, Observe>, definition: MetricDefinition, error: string): Observe {
    const labels = error === "ok" ? this.labels : { ...this.labels, "error.type": error }
    const histogram = this.meters.histogram(definition, labels, DURATIONS)
    made.set(error, histogram)
    return histogram
  }
}

export class DeploymentMetrics {
  retries = 0
  unpriced = 0
  private readonly meters: Meters
  private readonly named: DeploymentLabels
  private readonly operations = new Map<string, OperationMetrics>()
  private readonly failures = new Map<string, { count: number }>()
  private readonly sums: UsageSum = { ...noUsage }
  private cost: NanoUsd = 0

  constructor(meters: Meters, named: DeploymentLabels) {
    this.meters = meters
    this.named = named
    const own = { deployment: named.deployment }
    meters.counter(Definitions.retries, own, () => this.retries)
    meters.counter(Definitions.unpriced, own, () => this.unpriced)
    meters.counter(Definitions.cost, own, () => nanoToUsd(this.cost))
    for (const { name, unit } of usageClasses) {
      const definition = unit === "token" ? Definitions.tokens : Definitions.units
      meters.counter(definition, { ...own, class: wireName(name) }, () => this.sums[name])
    }
  }

  /** Series of one operation exist from here on. `operation`: its name in the GenAI conventions. */
  operation(operation: string): OperationMetrics {
    const known = this.operations.get(operation)
    if (known !== undefined) return known
    const made = new OperationMetrics(this.meters, operation, this.named)
    this.operations.set(operation, made)
    return made
  }

  called(operation: string, { cost, durationMs, outcome, usage }: ReceiptAttempt): void {
    const metrics = this.operation(operation)
    metrics.call(outcome)(durationMs / 1000)
    if (outcome !== "ok" && outcome !== "client_gone") this.failure(outcome).count++
    this.cost += cost
    const input = inputTokens(usage)
    const output = outputTokens(usage)
    if (usage === noUsage) return
    addTo(this.sums, usage)
    if (input + output === 0) return
    metrics.inputs(input)
    metrics.outputs(output)
  }

  /** A request that ended with it. `error`: "ok", or what went wrong. */
  ended(operation: string, error: string, durationMs: number, firstTokenMs: number | null): void {
    const metrics = this.operation(operation)
    metrics.request(error)(durationMs / 1000)
    if (firstTokenMs !== null) metrics.firstToken(firstTokenMs / 1000)
  }

  private failure(failure: string): { count: number } {
    const known = this.failures.get(failure)
    if (known !== undefined) return known
    const made = { count: 0 }
    this.failures.set(failure, made)
    this.meters.counter(
      Definitions.upstreamFailures,
      { deployment: this.named.deployment, class: failure },
      () => made.count
    )
    return made
  }
}
