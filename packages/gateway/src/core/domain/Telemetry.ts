/** What `http` reports to the metrics and reads from them. Routed requests are reported by their receipts instead. */
import type { MetricDefinition } from "@model-gateway/protocol"
import { Context } from "effect"

export class Telemetry extends Context.Service<
  Telemetry,
  {
    /** A caller of `/v1` got an error. `error` is one of a closed set of names, never text from outside. */
    readonly refused: (error: string, status: number) => void
    /** One more of a counter. Each label has one of a closed set of values, never text from outside. */
    readonly count: (metric: MetricDefinition, labels: { readonly [name: string]: string }) => void
    /** A gauge that is read at each scrape. */
    readonly gauge: (metric: MetricDefinition, labels: { readonly [name: string]: string }, read: () => number) => void
    /** The current metrics in Prometheus' text format 0.0.4. */
    readonly prometheus: () => string
  }
>()("gateway/core/Telemetry") {}
