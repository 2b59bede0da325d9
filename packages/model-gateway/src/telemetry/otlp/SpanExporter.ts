/** Sends the traces of finished requests to a collector. On the hot path a receipt is put into a list, nothing else. */
import { Context, Effect, Layer, Metric } from "effect"
import type { Receipt } from "@model-gateway/gateway/internal/core/receipts/Receipt"
import { Metrics as Definitions } from "@model-gateway/protocol"
import { Meters } from "@model-gateway/gateway/internal/telemetry/metrics/Meters"
import { makeBatchExporter } from "./BatchExporter.ts"
import type { OtlpSettings, TraceSettings } from "./OtlpSettings.ts"
import { isSampled } from "./Sampler.ts"
import { spansOf } from "./Spans.ts"
import { idsOf, parseTraceParent } from "./TraceContext.ts"

export class SpanExporter extends Context.Service<
  SpanExporter,
  {
    readonly push: (receipt: Receipt) => void
    /** Requests whose spans nobody got. */
    readonly dropped: () => number
  }
>()("gateway/telemetry/SpanExporter") {
  static readonly layer = (settings: TraceSettings, resource: OtlpSettings["resource"]) =>
    Layer.effect(SpanExporter, make(settings, resource))
}

const make = Effect.fnUntraced(function* (settings: TraceSettings, resource: OtlpSettings["resource"]) {
  const meters = new Meters(yield* Metric.MetricRegistry)
  const { dropped, push } = yield* makeBatchExporter<Receipt>(settings, resource, { signal: "traces", spansOf })
  meters.counter(Definitions.dropped, { signal: "traces" }, dropped)
  return {
    push: (receipt: Receipt) => {
      const parent = parseTraceParent(receipt.traceParent)
      const isTaken = isSampled(settings.sampler, parent, () => parent?.traceId ?? idsOf(receipt.requestId).traceId)
      if (isTaken) push(receipt)
    },
    dropped
  }
})
