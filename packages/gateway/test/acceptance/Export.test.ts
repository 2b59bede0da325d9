/** Export over OTLP by the process that users run, switched on by OpenTelemetry's variables alone. */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { call } from "../support/RawHttp.ts"
import { demoYaml, masterKey, temporaryStore } from "../support/RunningGateway.ts"
import { collector } from "../telemetry/Collector.ts"

const serve = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const store = yield* temporaryStore
  const config = join(dirname(store), "gateway.yaml")
  const yaml = `master_key: "${masterKey}"\nserver: { port: 0 }\nstore: { sqlite: "${store}" }\n${demoYaml}`
  yield* Effect.sync(() => writeFileSync(config, yaml))
  return yield* gatewayProcess(["serve", "--config", config], listening, { environment })
})

const refused = (url: string) => call(url, { path: "/v1/chat/completions", key: "mgw_no", body: {} })

describe("OTLP", () => {
  it.live("what happened up to the end reaches the collector", () =>
    Effect.gen(function* () {
      const { got, url: endpoint } = yield* collector()
      const { end, ready: url } = yield* serve({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: "gw" })
      assert.strictEqual((yield* refused(url)).status, 401)
      assert.strictEqual(yield* end("SIGTERM"), 0)
      const metrics = got.find(({ path }) => path === "/v1/metrics")!
      const [{ scopeMetrics }] = JSON.parse(metrics.bytes.toString()).resourceMetrics
      const names = scopeMetrics[0].metrics.map(({ name }: { readonly name: string }) => name)
      assert.includeMembers(names, ["gateway.errors", "gateway.store.commits", "gen_ai.client.operation.duration"])
    })
  )

  it.live("a collector that is not there, or a protocol that is not supported, keeps nothing from working", () =>
    Effect.gen(function* () {
      for (const more of [{}, { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }]) {
        const gateway = yield* serve({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", ...more })
        assert.strictEqual((yield* refused(gateway.ready)).status, 401)
        const began = performance.now()
        assert.strictEqual(yield* gateway.end("SIGTERM"), 0)
        assert.isBelow(performance.now() - began, 30_000)
        if ("OTEL_EXPORTER_OTLP_PROTOCOL" in more) assert.include(gateway.stderr(), "gRPC is not supported")
      }
    })
  )
})
