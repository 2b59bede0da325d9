/** Effect's metrics over numbers that their owners keep: an update costs nanoseconds, Prometheus and OTLP read one registry. */
import { Context, Layer, Metric } from "effect"
// By itself: the package as a whole loads what exports over OTLP, too, which doubles the time it takes.
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { Metrics, type MetricDefinition } from "@model-gateway/protocol"
import type { MetricLabels } from "../../core/domain/Telemetry.ts"
import { Histogram } from "./Histogram.ts"

export type Observe = (value: number) => void

/** The metrics of one gateway: several in one process do not add up. */
export const registryLayer = Layer.sync(Metric.MetricRegistry, () => new Map())

const prometheusNames = new Map(Metrics.definitions.map(({ id, prometheus }) => [id, prometheus]))

export class Meters {
  private readonly context: Context.Context<never>

  constructor(registry: Metric.MetricRegistry) {
    this.context = Context.make(Metric.MetricRegistry, registry) as Context.Context<never>
  }

  /** `read` says how much it has counted so far. */
  counter(definition: MetricDefinition, labels: MetricLabels, read: () => number): void {
    const metric = Metric.counter(definition.id, { ...described(definition, labels), incremental: true })
    Metric.registerUnsafe(metric, this.context, { ...readOnly, get: () => ({ count: read(), incremental: true }) })
  }

  gauge(definition: MetricDefinition, labels: MetricLabels, read: () => number): void {
    const metric = Metric.gauge(definition.id, described(definition, labels))
    Metric.registerUnsafe(metric, this.context, { ...readOnly, get: () => ({ value: read() }) })
  }

  /** Ascending `boundaries`, without infinity. */
  histogram(definition: MetricDefinition, labels: MetricLabels, boundaries: ReadonlyArray<number>): Observe {
    const metric = Metric.histogram(definition.id, { ...described(definition, labels), boundaries })
    const histogram = new Histogram(boundaries)
    Metric.registerUnsafe(metric, this.context, { ...readOnly, get: () => histogram.state })
    return histogram.observe
  }

  prometheus(): string {
    return PrometheusMetrics.formatUnsafe(this.context, { metricNameMapper: (id) => prometheusNames.get(id) ?? id })
  }
}

const readOnly = { update: () => {}, modify: () => {} }

/** The exporters take a series' unit from the attribute of that name. */
const described = ({ help, unit }: MetricDefinition, labels: MetricLabels) => ({
  description: help,
  attributes: unit === undefined ? labels : { ...labels, unit }
})
