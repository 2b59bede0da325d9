/** What the ways in tell the metrics and ask of them. What happens to routed requests comes from their receipts instead. */
import { Context } from "effect"

export class Telemetry extends Context.Service<
  Telemetry,
  {
    /** A caller of `/v1` was answered with an error. `error` is one of a closed set of names, never a word from outside. */
    readonly refused: (error: string, status: number) => void
    /** All metrics as they are now, in Prometheus' text format 0.0.4. */
    readonly prometheus: () => string
  }
>()("gateway/core/Telemetry") {}
