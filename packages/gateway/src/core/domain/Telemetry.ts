/** What `http` reports to the metrics and reads from them. Routed requests are reported by their receipts instead. */
import { Context } from "effect"

export class Telemetry extends Context.Service<
  Telemetry,
  {
    /** A caller of `/v1` got an error. `error` is one of a closed set of names, never text from outside. */
    readonly refused: (error: string, status: number) => void
    /** The current metrics in Prometheus' text format 0.0.4. */
    readonly prometheus: () => string
  }
>()("gateway/core/Telemetry") {}
