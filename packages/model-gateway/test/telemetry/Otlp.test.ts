import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Logger, Metric, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ReceiptEvents } from "../../../gateway/src/core/receipts/ReceiptEvents.ts"
import { Meters } from "../../../gateway/src/telemetry/metrics/Meters.ts"
import { RequestMetrics } from "../../../gateway/src/telemetry/metrics/RequestMetrics.ts"
import * as Otlp from "../../src/telemetry/otlp/Otlp.ts"
import { type OtlpEnvironment, readOtlp } from "../../src/telemetry/otlp/OtlpSettings.ts"
import { SpanExporter } from "../../src/telemetry/otlp/SpanExporter.ts"
import { turn } from "../../../gateway/test/providers/transport/Loopback.ts"
import { until } from "../../../gateway/test/support/Patience.ts"
import { collector, type Exported, fieldsOf } from "../../../gateway/test/telemetry/Collector.ts"
import { readPrometheus, valueOf } from "../../../gateway/test/telemetry/Prometheus.ts"
import { attempt, receipt } from "../../../gateway/test/telemetry/Receipts.ts"

/** Exporters as `serve` builds them, with a request log to tell them of requests. `close` ends them. */
const exporting = Effect.fnUntraced(function* (environment: OtlpEnvironment) {
  const said: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => void said.push(String(message)))
  const scope = yield* Scope.fork(yield* Effect.scope)
  const registry: Metric.MetricRegistry = new Map()
  const layer = Otlp.listening.pipe(
    Layer.provideMerge(Otlp.layer(readOtlp(environment))),
    Layer.provideMerge(Layer.fresh(ReceiptEvents.layer)),
    Layer.provideMerge(Layer.mergeAll(Logger.layer([logger]), Layer.succeed(Metric.MetricRegistry, registry)))
  )
  const context = yield* Layer.buildWithScope(layer, scope)
  const log = yield* Effect.provide(ReceiptEvents, context)
  const exporter = yield* Effect.serviceOption(SpanExporter).pipe(Effect.provide(context))
  return { log, said, registry, exporter, close: Scope.close(scope, Exit.void) }
})

const quick = { OTEL_BSP_SCHEDULE_DELAY: "5", OTEL_METRICS_EXPORTER: "none" }
const json = { ...quick, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }

/** Whoever waited for an answer would wait longer than any test does. */
const PATIENT = { OTEL_EXPORTER_OTLP_TIMEOUT: "600000" }

const request = (index: number) => receipt({ requestId: `req_${index}` })

describe("traces", () => {
  it.live("arrive as JSON, with resource and headers", () =>
    Effect.gen(function* () {
      const { after, got, url } = yield* collector()
      const { log } = yield* exporting({
        ...json,
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_EXPORTER_OTLP_HEADERS: "x-token=abc",
        OTEL_SERVICE_NAME: "gw",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test"
      })
      log.ended(receipt())
      yield* after(1)
      const first = got[0]!
      assert.strictEqual(first.path, "/v1/traces")
      assert.strictEqual(first.headers["content-type"], "application/json")
      assert.strictEqual(first.headers["x-token"], "abc")
      const [{ resource, scopeSpans }] = first.json.resourceSpans
      const named = Object.fromEntries(
        resource.attributes.map((one: { key: string; value: { stringValue: string } }) => [
          one.key,
          one.value.stringValue
        ])
      )
      assert.deepInclude(named, { "service.name": "gw", "deployment.environment": "test" })
      assert.isNotEmpty(named["service.version"])
      assert.match(named["service.instance.id"], /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(
        scopeSpans[0].spans.map((span: { name: string }) => span.name),
        ["POST /v1/chat/completions", "chat gpt-5-mini"]
      )
    })
  )

  it.live("arrive as protobuf, compressed if asked for", () =>
    Effect.gen(function* () {
      const { after, got, url } = yield* collector()
      const { log } = yield* exporting({
        ...quick,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/custom`,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip"
      })
      for (let i = 0; i < 20; i++) log.ended(request(i))
      yield* after(1)
      const first = got[0]!
      assert.strictEqual(first.path, "/custom")
      assert.strictEqual(first.headers["content-type"], "application/x-protobuf")
      assert.strictEqual(first.headers["content-encoding"], "gzip")
      // TracesData.resource_spans, ResourceSpans.scope_spans, ScopeSpans.spans; Span.trace_id and Span.name.
      const resourceSpans = fieldsOf(first.bytes).get(1)![0]!
      const scopeSpans = fieldsOf(resourceSpans).get(2)![0]!
      const spans = fieldsOf(scopeSpans).get(2)!
      assert.lengthOf(spans, 40)
      assert.strictEqual(fieldsOf(spans[0]!).get(5)![0]!.toString(), "POST /v1/chat/completions")
      assert.lengthOf(fieldsOf(spans[0]!).get(1)![0]!, 16)
    })
  )

  it.live("what is left when the gateway ends is sent", () =>
    Effect.gen(function* () {
      const { got, url } = yield* collector()
      const { close, exporter, log } = yield* exporting({
        ...json,
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_BSP_SCHEDULE_DELAY: "60000",
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "10"
      })
      for (let i = 0; i < 25; i++) log.ended(request(i))
      yield* close
      const spans = got.flatMap(({ json }) => json.resourceSpans[0].scopeSpans[0].spans as ReadonlyArray<unknown>)
      assert.lengthOf(spans, 50)
      assert.strictEqual(exporter._tag === "Some" ? exporter.value.dropped() : -1, 0)
    })
  )

  it.live("a full batch does not wait", () =>
    Effect.gen(function* () {
      const { after, got, url } = yield* collector()
      const { log } = yield* exporting({
        ...json,
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_BSP_SCHEDULE_DELAY: "60000",
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "10"
      })
      for (let i = 0; i < 10; i++) log.ended(request(i))
      yield* after(1)
      assert.lengthOf(got[0]?.json.resourceSpans[0].scopeSpans[0].spans, 20)
    })
  )
})

describe("a collector that does not work", () => {
  it.live("never answers: what does not fit is dropped and counted, and the end does not wait for it", () =>
    Effect.gen(function* () {
      const { after, url } = yield* collector(() => "silence")
      const { close, log, registry } = yield* exporting({
        ...json,
        ...PATIENT,
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_BSP_MAX_QUEUE_SIZE: "100",
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "10"
      })
      for (let i = 0; i < 10; i++) log.ended(request(i))
      yield* after(1)
      for (let i = 0; i < 1_000; i++) log.ended(request(i))
      const families = readPrometheus(new Meters(registry).prometheus())
      assert.strictEqual(valueOf(families, "gateway_telemetry_dropped_total", { signal: "traces" }), 910)
      yield* close
    })
  )

  it.effect(
    "refuses: it gets no traces for a minute, what is lost is counted, and both ends of it are logged once",
    () =>
      Effect.gen(function* () {
        const { after, got, url } = yield* collector((index) => (index < 2 ? 400 : 200))
        const { close, exporter, log, said } = yield* exporting({
          ...json,
          ...PATIENT,
          OTEL_EXPORTER_OTLP_ENDPOINT: url
        })
        let ended = 0
        const traffic = yield* Effect.sync(() => log.ended(request(ended++))).pipe(
          Effect.andThen(TestClock.adjust("1 second")),
          Effect.andThen(turn),
          Effect.forever,
          Effect.forkChild
        )
        yield* after(3)
        yield* until(() => said.length >= 2)
        yield* Fiber.interrupt(traffic)
        yield* close
        assert.deepStrictEqual(said, [
          "the collector does not accept traces: they are dropped until it does",
          "traces reach the collector again"
        ])
        const requests = ({ json }: Exported): number => json.resourceSpans[0].scopeSpans[0].spans.length / 2
        const delivered = got.slice(2).reduce((sum, one) => sum + requests(one), 0)
        const dropped = Option.getOrThrow(exporter).dropped()
        assert.isAbove(dropped, 100)
        assert.strictEqual(delivered + dropped, ended)
      })
  )

  it.live("is not there: the end does not wait for it", () =>
    Effect.gen(function* () {
      const gone = yield* exporting({ ...json, ...PATIENT, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })
      gone.log.ended(request(0))
      yield* gone.close
    })
  )

  it.live("asks to come again: it is asked again, and nothing is lost", () =>
    Effect.gen(function* () {
      const { after, got, url } = yield* collector((index) => (index === 0 ? 503 : 200))
      const { log, said } = yield* exporting({ ...json, OTEL_EXPORTER_OTLP_ENDPOINT: url })
      log.ended(request(1))
      yield* after(2)
      assert.deepStrictEqual(got[1]?.json, got[0]?.json)
      assert.deepStrictEqual(said, [])
    })
  )
})

describe("metrics", () => {
  it.live("arrive with OpenTelemetry's names, units and attributes, at the end at the latest", () =>
    Effect.gen(function* () {
      const { got, url } = yield* collector()
      const { close, registry } = yield* exporting({
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_TRACES_EXPORTER: "none",
        OTEL_SERVICE_NAME: "gw"
      })
      const metrics = new RequestMetrics(new Meters(registry))
      metrics.ended(receipt({ attempts: [attempt({ cost: 2_000_000_000 })] }))
      yield* close
      assert.strictEqual(got[0]?.path, "/v1/metrics")
      const sent = got[0]!.json.resourceMetrics[0].scopeMetrics[0].metrics as ReadonlyArray<Sent>
      const named = new Map(sent.map((metric) => [metric.name, metric]))
      const duration = named.get("gen_ai.client.operation.duration")!
      assert.strictEqual(duration.unit, "s")
      const [point] = duration.histogram!.dataPoints
      assert.strictEqual(Number(point?.count), 1)
      assert.sameMembers(
        point!.attributes.map(({ key }) => key),
        ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "deployment"]
      )
      assert.strictEqual(named.get("gateway.cost")?.sum?.dataPoints[0]?.asDouble, 2)
    })
  )

  it.live("a collector that never answers does not keep the gateway from ending", () =>
    Effect.gen(function* () {
      const { url } = yield* collector(() => "silence")
      const { close } = yield* exporting({ ...PATIENT, OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_EXPORTER: "none" })
      yield* close
    })
  )
})

interface Sent {
  readonly name: string
  readonly unit: string
  readonly histogram?: {
    readonly dataPoints: ReadonlyArray<{ count: unknown; attributes: ReadonlyArray<{ key: string }> }>
  }
  readonly sum?: { readonly dataPoints: ReadonlyArray<{ asDouble: number }> }
}

it.live("mistakes in the variables are said when it starts, and nothing is exported", () =>
  Effect.gen(function* () {
    const { exporter, said } = yield* exporting({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc"
    })
    assert.strictEqual(exporter._tag, "None")
    assert.lengthOf(said, 2)
    assert.match(said.join(), /gRPC is not supported/)
  })
)
