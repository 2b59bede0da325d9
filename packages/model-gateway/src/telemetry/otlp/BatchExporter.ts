/**
 * Sends what was put into its list to a collector, through Effect's exporter. Spans are made when a batch is sent. A collector that is
 * slow or gone costs what the list holds, and what does not fit is dropped and counted.
 */
import { Effect, Fiber } from "effect"
import { HttpClient } from "effect/http"
import { OtlpExporter, OtlpResource, OtlpSerialization } from "effect/observability"
import { boundedClient } from "./BoundedClient.ts"
import type { BatchSettings, OtlpSettings } from "./OtlpSettings.ts"
import { serializationOf } from "./Serialization.ts"
import type { Span } from "./Spans.ts"

/** Requests in a batch of protobuf: Effect's writer takes about 0.2 ms for each, and nothing else runs meanwhile. */
const MOST_AS_PROTOBUF = 32

/** What is left when the gateway ends gets this long to be sent. */
const LAST_MS = 2_000

interface Batches<Item> {
  /** For log lines: `traces`. */
  readonly signal: string
  readonly spansOf: (item: Item) => ReadonlyArray<Span>
  /** How much of `mostWaiting` it takes. Left out: 1. */
  readonly weightOf?: (item: Item) => number
}

/** `push`: false if there was no room. */
export const makeBatchExporter = <Item>(
  settings: BatchSettings,
  resource: OtlpSettings["resource"],
  { signal, spansOf, weightOf = () => 1 }: Batches<Item>
) =>
  Effect.gen(function* () {
    const { traces } = yield* OtlpSerialization.OtlpSerialization
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const otelResource = OtlpResource.make(resource)
    /** Items in the exporter's list, and those that are being sent. */
    let waiting = 0
    /** What they weigh, and what is being sent weighs. */
    let weight = 0
    let weightSent = 0
    let dropped = 0
    let sentItems = 0
    let failing = false

    /** Logged once, not with each batch. */
    const report = (fails: boolean, log: Effect.Effect<void>) => {
      if (fails === failing) return Effect.void
      failing = fails
      return Effect.annotateLogs(log, { signal })
    }
    const accepted = Effect.suspend(() => report(false, Effect.logInfo(`${signal} reach the collector again`)))
    const refused = Effect.suspend(() =>
      report(true, Effect.logWarning(`the collector does not accept ${signal}: they are dropped until it does`))
    )

    const body = (items: Array<Item>) => {
      // The exporter takes nothing for a minute after a batch that failed.
      dropped += waiting - items.length
      waiting = 0
      const sending = items.reduce((sum, item) => sum + weightOf(item), 0)
      weight = weightSent += sending
      let isSent = false
      // The exporter reports success only, and sends each batch in a fiber of its own.
      Fiber.getCurrent()?.addObserver(() => {
        weight -= sending
        weightSent -= sending
        if (isSent) return
        dropped += items.length
        run(refused)
      })
      const scopeSpans = [{ scope: { name: "model-gateway" }, spans: items.flatMap(spansOf) }]
      const sent = Effect.suspend(() => {
        isSent = true
        sentItems += items.length
        return accepted
      })
      return [traces({ resourceSpans: [{ resource: otelResource, scopeSpans }] }), sent] as const
    }

    const exporter = yield* OtlpExporter.make({
      label: signal,
      url: settings.url,
      headers: settings.headers,
      compression: settings.gzip ? "gzip" : "none",
      exportInterval: settings.delayMs,
      maxBatchSize:
        settings.protocol === "http/json" ? settings.mostAtOnce : Math.min(settings.mostAtOnce, MOST_AS_PROTOBUF),
      body,
      shutdownTimeout: LAST_MS
    }).pipe(
      Effect.provideServiceEffect(HttpClient.HttpClient, boundedClient(settings.timeoutMs)),
      Effect.provide(OtlpExporter.layerFlusher)
    )

    const push = (item: Item): boolean => {
      if (weight >= settings.mostWaiting) {
        dropped++
        return false
      }
      waiting++
      weight += weightOf(item)
      exporter.push(item)
      return true
    }

    return { push, dropped: () => dropped, sent: () => sentItems, weight: () => weight }
  }).pipe(Effect.provide(serializationOf(settings)))
