import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { OtlpResource, OtlpSerialization, type OtlpTracer } from "effect/observability"
import { encodeTraces } from "../../src/telemetry/otlp/ProtoTraces.ts"
import { spansOf } from "../../src/telemetry/otlp/Spans.ts"
import { attempt, failed, receipt } from "./Receipts.ts"

const dataOf = (...receipts: ReadonlyArray<Parameters<typeof receipt>[0]>): OtlpTracer.TraceData => ({
  resourceSpans: [
    {
      resource: OtlpResource.make({ serviceName: "gw", attributes: { team: "ä", n: 3 } }),
      scopeSpans: [{ scope: { name: "model-gateway" }, spans: receipts.flatMap((one) => spansOf(receipt(one))) }]
    }
  ]
})

/** Compares with the encoder that comes with Effect. */
const compare = (data: OtlpTracer.TraceData) =>
  Effect.gen(function* () {
    const { traces } = yield* OtlpSerialization.OtlpSerialization
    const body = traces(data)
    assert.strictEqual(body._tag, "Uint8Array")
    if (body._tag === "Uint8Array") assert.isTrue(Buffer.from(encodeTraces(data)).equals(body.body))
  }).pipe(Effect.provide(OtlpSerialization.layerProtobuf))

describe("encodeTraces", () => {
  it.effect("writes the bytes that Effect's own encoder writes", () =>
    Effect.gen(function* () {
      yield* compare(dataOf())
      yield* compare(dataOf({}))
      yield* compare(
        dataOf(
          { attempts: [failed(), attempt({ firstTokenMs: 120, estimated: true })], stream: true, tags: ["a", "ü"] },
          { traceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", team: null, score: 1 },
          { status: "failed", attempts: [failed({ outcome: "truncated" })], priced: false }
        )
      )
    })
  )

  it.effect(
    "whatever the lengths: texts and messages around each change of the size of their length, and many spans",
    () =>
      Effect.gen(function* () {
        for (const length of [0, 1, 100, 120, 127, 128, 129, 16_000, 16_383, 16_384, 70_000]) {
          yield* compare(dataOf({ requestedModel: "é".repeat(Math.floor(length / 2)) + "x".repeat(length % 2) }))
        }
        yield* compare(
          dataOf(...Array.from({ length: 500 }, (_, index) => ({ requestId: `req_${index}`, durationMs: index * 1e6 })))
        )
      })
  )
})
