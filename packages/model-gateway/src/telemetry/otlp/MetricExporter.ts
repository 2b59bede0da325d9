/** Sends the metrics of the registry to a collector, from time to time and when the gateway ends. Values add up: what did not arrive comes with the next. */
import { ConfigProvider, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { OtlpExporter, OtlpMetrics, OtlpSerialization } from "effect/observability"
import type { MetricSettings, OtlpSettings } from "./OtlpSettings.ts"
import { boundedClient } from "./BoundedClient.ts"
import { serializationOf } from "./Serialization.ts"

const LAST_MS = 2_000

export const layer = (settings: MetricSettings, resource: OtlpSettings["resource"]) =>
  OtlpMetrics.layer({
    url: settings.url,
    headers: settings.headers,
    compression: settings.gzip ? "gzip" : "none",
    exportInterval: settings.intervalMs,
    temporality: settings.temporality,
    shutdownTimeout: LAST_MS,
    resource
  }).pipe(
    Layer.provide(Layer.effect(HttpClient.HttpClient, boundedClient(settings.timeoutMs))),
    Layer.provide(Layer.effect(OtlpSerialization.OtlpSerialization, plainAttributes)),
    Layer.provide(serializationOf(settings)),
    // The variables were read: nothing here looks at the environment by itself.
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({}))),
    Layer.provide(OtlpExporter.layerFlusher)
  )

/** The unit of a series is told as such: as an attribute, which is how the exporter learns of it, it would only be in the way. */
const plainAttributes = Effect.map(OtlpSerialization.OtlpSerialization, (inner) => ({
  ...inner,
  metrics: (data: OtlpMetrics.MetricsData) => {
    for (const { scopeMetrics } of data.resourceMetrics) {
      for (const { metrics } of scopeMetrics) metrics.forEach(withoutUnit)
    }
    return inner.metrics(data)
  }
}))

interface Points {
  readonly dataPoints: Array<{ attributes: Array<{ readonly key: string }> }>
}

const withoutUnit = (metric: object): void => {
  for (const kind of Object.values(metric) as ReadonlyArray<Points | undefined>) {
    for (const point of kind?.dataPoints ?? []) point.attributes = point.attributes.filter(({ key }) => key !== "unit")
  }
}
