/** What `http` and `core` report to the metrics and `http` reads from them. Routed requests are reported by their receipts instead. */
import type { MetricDefinition } from "@model-gateway/protocol"
import { Context } from "effect"

/** Each has one of a closed set of values, never text from outside. */
export type MetricLabels = Readonly<Record<string, string>>

export class Telemetry extends Context.Service<
  Telemetry,
  {
    readonly count: (metric: MetricDefinition, labels: MetricLabels) => void
    /** A gauge that is read at each scrape. */
    readonly gauge: (metric: MetricDefinition, labels: MetricLabels, read: () => number) => void
    /** The current metrics in Prometheus' text format 0.0.4. */
    readonly prometheus: () => string
  }
>()("gateway/core/Telemetry") {}
