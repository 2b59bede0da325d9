/**
 * Sends the traces of finished requests to a collector. On the hot path a receipt is put into a list, nothing else; spans are made
 * when a batch is sent. A collector that is slow or gone costs what the list holds, and what does not fit is dropped and counted.
 */
import { Context, Effect, Fiber, Latch, Layer, Metric } from "effect"
import { HttpBody, HttpClient } from "effect/http"
import { OtlpResource, type OtlpTracer } from "effect/observability"
import type { Receipt } from "../../core/receipts/Receipt.ts"
import * as Definitions from "../metrics/Definitions.ts"
import { Meters } from "../metrics/Meters.ts"
import type { OtlpSettings, TraceSettings } from "./OtlpSettings.ts"
import { poster } from "./Post.ts"
import { encodeTraces } from "./ProtoTraces.ts"
import { isSampled } from "./Sampler.ts"
import { spansOf } from "./Spans.ts"
import { idsOf, parseTraceParent } from "./TraceContext.ts"

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
    Layer.effect(SpanExporter, make(settings, resource))
}

const make = Effect.fnUntraced(function* (settings: TraceSettings, resource: OtlpSettings["resource"]) {
  const { delayMs, mostAtOnce, mostWaiting, sampler } = settings
  const post = poster(yield* HttpClient.HttpClient, settings)
  const meters = new Meters(yield* Metric.MetricRegistry)
  const otelResource = OtlpResource.make(resource)
  /** Open while somebody waits; while a batch is full. */
  const waiting = yield* Latch.make()
  const full = yield* Latch.make()
  let queue: Array<Receipt> = []
  let dropped = 0
  let closing = false
  let failing = false

  const push = (receipt: Receipt): void => {
    const parent = parseTraceParent(receipt.traceParent)
    if (!isSampled(sampler, parent, () => parent?.traceId ?? idsOf(receipt.requestId).traceId)) return
    if (queue.length >= mostWaiting) {
      dropped++
      return
    }
    const length = queue.push(receipt)
    if (length === 1) waiting.openUnsafe()
    if (length === mostAtOnce) full.openUnsafe()
  }

  const take = (): ReadonlyArray<Receipt> => {
    const batch = queue.slice(0, mostAtOnce)
    queue = queue.slice(mostAtOnce)
    if (queue.length === 0 && !closing) waiting.closeUnsafe()
    if (queue.length < mostAtOnce && !closing) full.closeUnsafe()
    return batch
  }

  const send = Effect.suspend(() => {
    const batch = take()
    const scopeSpans = [{ scope: { name: "model-gateway" }, spans: batch.flatMap(spansOf) }]
    return post(bodyOf({ resourceSpans: [{ resource: otelResource, scopeSpans }] }, settings.protocol)).pipe(
      Effect.matchEffect({
        onSuccess: () => told(false, Effect.logInfo("traces reach the collector again")),
        onFailure: () => {
          dropped += batch.length
          return told(true, Effect.logWarning("the collector does not accept traces: they are dropped until it does"))
        }
      })
    )
  })

  /** Said once, not with each batch. */
  const told = (fails: boolean, say: Effect.Effect<void>) => {
    if (fails === failing) return Effect.void
    failing = fails
    return Effect.annotateLogs(say, { signal: "traces" })
  }

  const worker = waiting.await.pipe(
    Effect.andThen(Effect.timeoutOption(full.await, delayMs)),
    // While nobody takes them, one batch for each delay is enough.
    Effect.andThen(Effect.suspend(() => (failing && !closing ? Effect.sleep(delayMs) : Effect.void))),
    Effect.andThen(send),
    Effect.repeat({ while: () => !closing || queue.length > 0 })
  )

  meters.counter(Definitions.dropped, { signal: "traces" }, () => dropped)
  const fiber = yield* Effect.forkDetach(worker)
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      closing = true
      if (queue.length === 0) return Fiber.interrupt(fiber)
      waiting.openUnsafe()
      full.openUnsafe()
      return Effect.andThen(
        Effect.timeoutOption(Effect.interruptible(Fiber.await(fiber)), LAST_MS),
        Fiber.interrupt(fiber)
      )
    })
  )
  return { push, dropped: () => dropped }
})

const bodyOf = (data: OtlpTracer.TraceData, protocol: TraceSettings["protocol"]): HttpBody.HttpBody =>
  protocol === "http/json"
    ? HttpBody.text(JSON.stringify(data), "application/json")
    : HttpBody.uint8Array(encodeTraces(data), "application/x-protobuf")
