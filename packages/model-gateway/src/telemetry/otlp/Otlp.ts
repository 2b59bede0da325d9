/** Export over OTLP, as far as the settings ask for it. */
import { randomUUID } from "node:crypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Option } from "effect"
import { ProductVersion } from "@model-gateway/gateway/internal/core/domain/About"
import { ReceiptEvents } from "@model-gateway/gateway/internal/core/receipts/ReceiptEvents"
import * as MetricExporter from "./MetricExporter.ts"
import type { OtlpSettings } from "./OtlpSettings.ts"
import { SpanExporter } from "./SpanExporter.ts"

/** What is told of the process with each batch. */
export const processResource = Effect.fnUntraced(function* ({ resource }: OtlpSettings) {
  const attributes = {
    "service.version": yield* ProductVersion,
    // One for each process, as the conventions want it where nobody names another.
    "service.instance.id": yield* Effect.sync(() => randomUUID()),
    ...resource.attributes
  }
  return { ...resource, attributes }
})

/** The exporters. They outlive the server, so that its last requests are told of, too. */
export const layer = (settings: OtlpSettings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { metrics, problems, traces } = settings
      const resource = yield* processResource(settings)
      return Layer.mergeAll(
        traces === undefined ? Layer.empty : SpanExporter.layer(traces, resource),
        metrics === undefined ? Layer.empty : MetricExporter.layer(metrics, resource),
        Layer.effectDiscard(Effect.forEach(problems, (problem) => Effect.logWarning(problem)))
      )
    })
  ).pipe(Layer.provide(NodeHttpClient.layerUndici))

/** Tells the exporter of traces, if there is one, of every finished request. */
export const listening = Layer.effectDiscard(
  Effect.gen(function* () {
    const exporter = yield* Effect.serviceOption(SpanExporter)
    const log = yield* ReceiptEvents
    if (Option.isSome(exporter)) log.listen(exporter.value.push)
  })
)
