/**
 * Sends the traces of finished requests to a collector, through Effect's exporter. On the hot path a receipt is put into its list, nothing
 * else; spans are made when a batch is sent. A collector that is slow or gone costs what the list holds, and what does not fit is dropped
 * and counted.
 */
import { Context, Effect, Fiber, Layer, Metric } from "effect"
import { HttpClient } from "effect/http"
import { OtlpExporter, OtlpResource, OtlpSerialization } from "effect/observability"
import type { Receipt } from "@model-gateway/gateway/internal/core/receipts/Receipt"
import { Metrics as Definitions } from "@model-gateway/protocol"
import { Meters } from "@model-gateway/gateway/internal/telemetry/metrics/Meters"
import { boundedClient } from "./BoundedClient.ts"
import type { OtlpSettings, TraceSettings } from "./OtlpSettings.ts"
import { serializationOf } from "./Serialization.ts"
import { isSampled } from "./Sampler.ts"
import { spansOf } from "./Spans.ts"
import { idsOf, parseTraceParent } from "./TraceContext.ts"

/** Requests in a batch of protobuf: Effect's writer takes about 0.2 ms for each, and nothing else runs meanwhile. */
const MOST_AS_PROTOBUF = 32

/** What is left when the gateway ends gets this long to be sent. */
const LAST_MS = 2_000

export class SpanExporter extends Context.Service<
  SpanExporter,
  {
    readonly push: (receipt: Receipt) => void
    /** Requests whose spans nobody got. */
    readonly dropped: () => number
  }
>()("gateway/telemetry/SpanExporter") {
  static readonly layer = (settings: TraceSettings, resource: OtlpSettings["resource"]) =>
    Layer.effect(SpanExporter, make(settings, resource)).pipe(Layer.provide(serializationOf(settings)))
}

const make = Effect.fnUntraced(function* (settings: TraceSettings, resource: OtlpSettings["resource"]) {
  const { delayMs, mostAtOnce, mostWaiting, sampler } = settings
  const { traces } = yield* OtlpSerialization.OtlpSerialization
  const meters = new Meters(yield* Metric.MetricRegistry)
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const otelResource = OtlpResource.make(resource)
  /** Requests in the exporter's list, and those that are being sent. */
  let waiting = 0
  let sending = 0
  let dropped = 0
  let failing = false

  /** Logged once, not with each batch. */
  const report = (fails: boolean, log: Effect.Effect<void>) => {
    if (fails === failing) return Effect.void
    failing = fails
    return Effect.annotateLogs(log, { signal: "traces" })
  }
  const accepted = Effect.suspend(() => report(false, Effect.logInfo("traces reach the collector again")))
  const refused = Effect.suspend(() =>
    report(true, Effect.logWarning("the collector does not accept traces: they are dropped until it does"))
  )

  const body = (receipts: Array<Receipt>) => {
    // The exporter takes nothing for a minute after a batch that failed.
    dropped += waiting - receipts.length
    waiting = 0
    sending += receipts.length
    let isSent = false
    // The exporter reports success only, and sends each batch in a fiber of its own.
    Fiber.getCurrent()?.addObserver(() => {
      sending -= receipts.length
      if (isSent) return
      dropped += receipts.length
      run(refused)
    })
    const scopeSpans = [{ scope: { name: "model-gateway" }, spans: receipts.flatMap(spansOf) }]
    const sent = Effect.suspend(() => {
      isSent = true
      return accepted
    })
    return [traces({ resourceSpans: [{ resource: otelResource, scopeSpans }] }), sent] as const
  }

  const exporter = yield* OtlpExporter.make({
    label: "traces",
    url: settings.url,
    headers: settings.headers,
    compression: settings.gzip ? "gzip" : "none",
    exportInterval: delayMs,
    maxBatchSize: settings.protocol === "http/json" ? mostAtOnce : Math.min(mostAtOnce, MOST_AS_PROTOBUF),
    body,
    shutdownTimeout: LAST_MS
  }).pipe(
    Effect.provideServiceEffect(HttpClient.HttpClient, boundedClient(settings.timeoutMs)),
    Effect.provide(OtlpExporter.layerFlusher)
  )

  const push = (receipt: Receipt): void => {
    const parent = parseTraceParent(receipt.traceParent)
    if (!isSampled(sampler, parent, () => parent?.traceId ?? idsOf(receipt.requestId).traceId)) return
    if (waiting + sending >= mostWaiting) {
      dropped++
      return
    }
    waiting++
    exporter.push(receipt)
  }

  meters.counter(Definitions.dropped, { signal: "traces" }, () => dropped)
  return { push, dropped: () => dropped }
})
