import { assert, describe, it } from "@effect/vitest"
import { Context, Metric } from "effect"
import { Histogram } from "../../src/telemetry/metrics/Histogram.ts"

const boundaries = [0.1, 1, 10]

describe("a histogram", () => {
  it("tells what Effect's tells of the same values, before the first and after each", () => {
    const theirs = Metric.histogram("theirs", { boundaries })
    const context = Context.make(Metric.MetricRegistry, new Map()) as Context.Context<never>
    const ours = new Histogram(boundaries)
    assert.deepStrictEqual(ours.state, theirs.valueUnsafe(context))
    for (const value of [0.5, 0, 0.1, 1, 1.000_1, 10, 11, 1_000, 0.5]) {
      theirs.updateUnsafe(value, context)
      ours.observe(value)
      assert.deepStrictEqual(ours.state, theirs.valueUnsafe(context))
    }
  })
})
