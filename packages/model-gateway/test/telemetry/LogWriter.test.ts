import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { LogWriter } from "../../src/telemetry/logs/LogWriter.ts"
import { Meters } from "../../../gateway/src/telemetry/metrics/Meters.ts"
import { Logged, logged } from "./Logged.ts"
import { readPrometheus, valueOf } from "../../../gateway/test/telemetry/Prometheus.ts"

describe("LogWriter", () => {
  it.effect("writes the lines of a moment at once, in order", () =>
    Effect.gen(function* () {
      const { write } = yield* LogWriter
      const log = yield* Logged
      for (let i = 0; i < 100; i++) write(`line ${i}`)
      assert.lengthOf(log.lines(), 0)
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(
        log.lines(),
        Array.from({ length: 100 }, (_, i) => `line ${i}`)
      )
      assert.strictEqual(log.writes(), 1)
      write("later")
      yield* TestClock.adjust("50 millis")
      assert.strictEqual(log.lines().at(-1), "later")
    }).pipe(Effect.provide(Layer.fresh(logged)))
  )

  it.effect("does nothing while there is nothing to write", () =>
    Effect.gen(function* () {
      yield* LogWriter
      yield* TestClock.adjust("365 days")
      assert.strictEqual((yield* Logged).writes(), 0)
    }).pipe(Effect.provide(Layer.fresh(logged)))
  )

  it.effect("writes what is left when it closes", () =>
    Effect.gen(function* () {
      const log = yield* Effect.gen(function* () {
        const { write } = yield* LogWriter
        write("last words")
        return yield* Logged
      }).pipe(Effect.provide(Layer.fresh(logged)))
      assert.deepStrictEqual(log.lines(), ["last words"])
    })
  )

  it.effect("when nobody reads, it drops and counts lines, and makes nobody wait", () =>
    Effect.gen(function* () {
      const { dropped, write } = yield* LogWriter
      const registry = yield* Metric.MetricRegistry
      ;(yield* Logged).block()
      const line = "x".repeat(1_000)
      for (let i = 0; i < 10_000; i++) write(line)
      assert.isAbove(dropped(), 5_000)
      assert.isBelow(dropped(), 6_000)
      const families = readPrometheus(new Meters(registry).prometheus())
      assert.strictEqual(valueOf(families, "gateway_telemetry_dropped_total", { signal: "logs" }), dropped())
    }).pipe(Effect.provide(Layer.fresh(logged)), TestClock.withLive)
  )
})
