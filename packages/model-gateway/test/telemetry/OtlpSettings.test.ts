import { assert, describe, it } from "@effect/vitest"
import { readOtlp } from "../../src/telemetry/otlp/OtlpSettings.ts"

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }

describe("readOtlp", () => {
  it("exports nothing where no endpoint is set", () => {
    const { metrics, problems, traces } = readOtlp({ OTEL_SERVICE_NAME: "x", OTEL_TRACES_EXPORTER: "otlp" })
    assert.deepStrictEqual([traces, metrics, problems], [undefined, undefined, []])
  })

  it("an endpoint alone exports traces and metrics, with the standard's defaults", () => {
    const { metrics, problems, resource, traces } = readOtlp(endpoint)
    const target = { protocol: "http/json", headers: {}, gzip: false, timeoutMs: 10_000 } as const
    assert.deepStrictEqual(traces, {
      ...target,
      url: "http://127.0.0.1:4318/v1/traces",
      sampler: { followsParent: true, ratio: 1 },
      delayMs: 5_000,
      mostWaiting: 2_048,
      mostAtOnce: 512
    })
    assert.deepStrictEqual(metrics, {
      ...target,
      url: "http://127.0.0.1:4318/v1/metrics",
      intervalMs: 60_000,
      temporality: "cumulative"
    })
    assert.deepStrictEqual(resource, { serviceName: "model-gateway", attributes: {} })
    assert.deepStrictEqual(problems, [])
  })

  it("a signal's own variable wins, and its endpoint is taken as it is", () => {
    const { metrics, traces } = readOtlp({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://all:4318/base/",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/here",
      OTEL_EXPORTER_OTLP_HEADERS: "x-a=1",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=Basic%20abc%3D,x-b=2",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_TIMEOUT: "2000"
    })
    assert.deepInclude(traces, {
      url: "https://traces.example/here",
      protocol: "http/json",
      headers: { authorization: "Basic abc=", "x-b": "2" },
      gzip: true,
      timeoutMs: 2_000
    })
    assert.deepInclude(metrics, {
      url: "http://all:4318/base/v1/metrics",
      protocol: "http/protobuf",
      headers: { "x-a": "1" },
      gzip: false
    })
  })

  it("can be switched off, all of it or one signal", () => {
    const off = readOtlp({ ...endpoint, OTEL_SDK_DISABLED: "true" })
    assert.deepStrictEqual([off.traces, off.metrics], [undefined, undefined])
    const some = readOtlp({ ...endpoint, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "otlp" })
    assert.isUndefined(some.traces)
    assert.isDefined(some.metrics)
    assert.deepStrictEqual(some.problems, [])
  })

  it("names the service and its resource", () => {
    const { resource } = readOtlp({
      OTEL_RESOURCE_ATTRIBUTES: "service.name=from-attributes,deployment.environment=prod%2Ceu, team = x "
    })
    assert.deepStrictEqual(resource, {
      serviceName: "from-attributes",
      attributes: { "deployment.environment": "prod,eu", team: "x" }
    })
    const named = { OTEL_RESOURCE_ATTRIBUTES: "service.name=from-attributes", OTEL_SERVICE_NAME: "gw" }
    assert.strictEqual(readOtlp(named).resource.serviceName, "gw")
  })

  it("reads samplers", () => {
    const sampler = (name: string, argument?: string) =>
      readOtlp({ ...endpoint, OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument }).traces?.sampler
    assert.deepStrictEqual(sampler("always_off"), { followsParent: false, ratio: 0 })
    assert.deepStrictEqual(sampler("traceidratio", "0.25"), { followsParent: false, ratio: 0.25 })
    assert.deepStrictEqual(sampler("parentbased_traceidratio", "0.5"), { followsParent: true, ratio: 0.5 })
  })

  it("says what is wrong, without any value, and goes on with what is right", () => {
    const secret = "Bearer-secret"
    const wrong = (variables: Record<string, string>) =>
      readOtlp({ ...endpoint, OTEL_METRICS_EXPORTER: "none", ...variables })
    const grpc = wrong({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })
    assert.isUndefined(grpc.traces)
    assert.match(grpc.problems.join(), /gRPC is not supported; set OTEL_EXPORTER_OTLP_PROTOCOL to http\/protobuf/)
    for (const variables of [
      { OTEL_EXPORTER_OTLP_PROTOCOL: secret },
      { OTEL_EXPORTER_OTLP_ENDPOINT: secret },
      { OTEL_TRACES_EXPORTER: secret }
    ]) {
      const { problems, traces } = wrong(variables)
      assert.isUndefined(traces)
      assert.lengthOf(problems, 1)
      assert.notInclude(problems.join(), secret)
    }
    for (const variables of [
      { OTEL_EXPORTER_OTLP_HEADERS: secret },
      { OTEL_EXPORTER_OTLP_HEADERS: `a=%E0%A4%A` },
      { OTEL_BSP_MAX_QUEUE_SIZE: secret },
      { OTEL_TRACES_SAMPLER: secret },
      { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: secret }
    ]) {
      const { problems, traces } = wrong(variables)
      assert.isDefined(traces)
      assert.lengthOf(problems, 1)
      assert.notInclude(problems.join(), secret)
    }
  })
})
