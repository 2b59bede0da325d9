/**
 * What observing a request costs: CPU of this process for each receipt that is told, with everything on against nothing. The work
 * that follows later (writing lines, sending spans) is in it, the operating system's share too.
 */
import { Effect, Layer, Logger, Metric, Scope } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import type { Receipt } from "../../../gateway/src/core/receipts/Receipt.ts"
import { ReceiptEvents } from "../../../gateway/src/core/receipts/ReceiptEvents.ts"
import { LogOutput, LogWriter } from "../../src/telemetry/logs/LogWriter.ts"
import * as RequestLines from "../../src/telemetry/logs/RequestLines.ts"
import { Meters } from "../../../gateway/src/telemetry/metrics/Meters.ts"
import { RequestMetrics } from "../../../gateway/src/telemetry/metrics/RequestMetrics.ts"
import { readOtlp } from "../../src/telemetry/otlp/OtlpSettings.ts"
import * as Otlp from "../../src/telemetry/otlp/Otlp.ts"
import { SpanExporter } from "../../src/telemetry/otlp/SpanExporter.ts"
import { attempt, failed, receipt } from "../../../gateway/test/telemetry/Receipts.ts"

export interface Cost {
  readonly name: string
  /** Microseconds of CPU for each request, above what telling nobody costs. */
  readonly micros: number
}

/** Told between two turns of the event loop. */
const AT_ONCE = 100

/** Nine of ten go well at once; one needs a second deployment. */
const receipts: ReadonlyArray<Receipt> = Array.from({ length: 1_000 }, (_, index) => {
  const deployment = `openai/model-${index % 8}`
  const fields = { requestId: `req_${String(index).padStart(24, "0")}`, stream: index % 2 === 0, durationMs: index }
  const well = attempt({ deployment, durationMs: index, firstTokenMs: index % 2 === 0 ? index / 2 : null })
  return receipt({ ...fields, attempts: index % 10 === 0 ? [failed({ deployment: "openai/down" }), well] : [well] })
})

/** A collector that takes everything at once: its own work is not ours. */
const client = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response("{}"))))
)

const silent = Layer.succeed(LogOutput, { write: () => Effect.void })

const traces = (protocol: "http/json" | "http/protobuf") => {
  const settings = readOtlp({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector",
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol
  })
  return Otlp.listening.pipe(
    Layer.provide(SpanExporter.layer(settings.traces!, settings.resource)),
    Layer.provide(client)
  )
}

const metrics = Layer.effectDiscard(
  Effect.gen(function* () {
    const meters = new Meters(yield* Metric.MetricRegistry)
    const log = yield* ReceiptEvents
    log.listen(new RequestMetrics(meters).ended)
  })
)

const lines = (requests: "errors" | "all") => Layer.provide(RequestLines.layer({ requests, format: "json" }), writer)
const writer = LogWriter.layer.pipe(Layer.provide(silent))

const observers = {
  metrics: metrics,
  "metrics, log of errors (the default)": Layer.merge(metrics, lines("errors")),
  "metrics, log of all requests": Layer.merge(metrics, lines("all")),
  "the same and traces, http/json": Layer.mergeAll(metrics, lines("all"), traces("http/json")),
  "the same and traces, http/protobuf": Layer.mergeAll(metrics, lines("all"), traces("http/protobuf"))
}

export const DEFAULT = "metrics, log of errors (the default)"

/** CPU of telling `count` receipts, in microseconds for each. */
const measure = Effect.fnUntraced(function* (listeners: Layer.Layer<never, never, ReceiptEvents>, count: number) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const quiet = Layer.mergeAll(Logger.layer([]), Layer.succeed(Metric.MetricRegistry, new Map()))
  const layer = Layer.fresh(listeners).pipe(
    Layer.provideMerge(Layer.fresh(ReceiptEvents.layer)),
    Layer.provideMerge(quiet)
  )
  const { ended } = yield* Effect.provide(ReceiptEvents, yield* Layer.buildWithScope(layer, scope))
  const told = Effect.fnUntraced(function* (count: number) {
    for (let done = 0; done < count; done += AT_ONCE) {
      for (let index = 0; index < AT_ONCE; index++) ended(receipts[(done + index) % receipts.length]!)
      yield* turn
    }
  })
  yield* told(Math.min(count, 50_000))
  const before = process.cpuUsage()
  yield* told(count)
  const { system, user } = process.cpuUsage(before)
  return (user + system) / count
})

const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** One after the other. */
export const measureCosts = Effect.fnUntraced(function* (count: number) {
  const nothing = yield* Effect.scoped(measure(Layer.empty, count))
  return yield* Effect.forEach(Object.entries(observers), ([name, listeners]) =>
    Effect.map(Effect.scoped(measure(listeners, count)), (micros): Cost => ({ name, micros: micros - nothing }))
  )
})
