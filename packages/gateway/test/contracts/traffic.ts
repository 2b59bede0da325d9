/** What every TrafficRepository keeps to. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"
import { TrafficRepository, type TrafficSlice } from "../../src/core/admin/TrafficRepository.ts"
import { dimensionsIn, textOf, type TrafficRow } from "../../src/core/admin/TrafficRow.ts"
import { encodeSums, TrafficSums } from "../../src/core/admin/TrafficSums.ts"

const MINUTE = 60_000

const row = (more: Partial<TrafficRow> & { readonly text?: string; readonly ms?: number }): TrafficRow => {
  const sums = new TrafficSums()
  sums.requests = 1
  sums.cost = 9_007_199_254
  sums.lastAt = more.start ?? 0
  sums.latency.add(more.ms ?? 10)
  sums.unpriced = 1
  sums.scored(0.5)
  const dimensions = dimensionsIn(more.text ?? "demo/mini\ndemo")
  return { cut: "fleet", grain: "minute", start: 0, dimensions, sums, ...more }
}

const read = Effect.fnUntraced(function* (slice: Partial<TrafficSlice>) {
  const repository = yield* TrafficRepository
  const found: Array<readonly [number, string, TrafficSums]> = []
  yield* repository.read({ cut: "fleet", grain: "minute", from: 0, to: 1e15, ...slice }, (one) =>
    found.push([one.start, textOf(one.dimensions).trim(), one.sums])
  )
  return found.sort(([a], [b]) => a - b)
})

/** `reopened`: a store that is there again each time the layer is provided, as after a restart. */
export const trafficContract = <E>(
  name: string,
  layer: Layer.Layer<TrafficRepository, E>,
  reopened: Effect.Effect<Layer.Layer<TrafficRepository, E>, E, Scope.Scope>
) =>
  describe(`TrafficRepository · ${name}`, () => {
    it.effect("adds rows of one name up, and keeps all others apart", () =>
      Effect.gen(function* () {
        const repository = yield* TrafficRepository
        const first = row({ ms: 10 })
        yield* repository.add([
          first,
          row({ start: MINUTE }),
          row({ grain: "hour" }),
          row({ text: "demo/large\ndemo" })
        ])
        yield* repository.add([row({ ms: 1000 })])
        // What was handed over is the caller's still.
        assert.strictEqual(first.sums.requests, 1)
        const found = yield* read({})
        assert.strictEqual(found.length, 3)
        const [, , sums] = found.find(([start, text]) => start === 0 && text.startsWith("demo/mini"))!
        assert.deepInclude(sums, { requests: 2, cost: 18_014_398_508, unpriced: 2 })
        assert.deepStrictEqual(
          [...sums.scores.entries()].filter(([, count]) => count > 0),
          [[10, 2]]
        )
        assert.deepStrictEqual([sums.latency.count, sums.latency.max], [2, 1000])
        assert.deepStrictEqual((yield* read({ grain: "hour" })).length, 1)
      }).pipe(Effect.provide(layer))
    )

    it.effect("reads a time, a key or a team, however many rows there are", () =>
      Effect.gen(function* () {
        const repository = yield* TrafficRepository
        const many = Array.from({ length: 2500 }, (_, index) => row({ start: index * MINUTE }))
        yield* repository.add(many)
        assert.strictEqual((yield* read({})).length, 2500)
        const some = yield* read({ from: 10 * MINUTE, to: 1510 * MINUTE })
        assert.deepStrictEqual([some.length, some[0]![0], some.at(-1)![0]], [1500, 10 * MINUTE, 1509 * MINUTE])
        const of = (key: string, team: string) => textOf({ ...dimensionsIn(""), key, team })
        const callers = [of("key_a", "red"), of("key_b", "red"), of("key_c", "")]
        yield* repository.add(callers.map((text) => row({ cut: "callers", grain: "hour", text })))
        const slice = { cut: "callers", grain: "hour" } as const
        assert.strictEqual((yield* read(slice)).length, 3)
        assert.strictEqual((yield* read({ ...slice, key: "key_a" })).length, 1)
        assert.strictEqual((yield* read({ ...slice, team: "red" })).length, 2)
        assert.strictEqual((yield* read({ ...slice, team: "red", key: "key_c" })).length, 0)
      }).pipe(Effect.provide(layer))
    )

    it.effect("deletes what is old, of one grain", () =>
      Effect.gen(function* () {
        const repository = yield* TrafficRepository
        const many = Array.from({ length: 1200 }, (_, index) => row({ start: index * MINUTE }))
        yield* repository.add([...many, row({ grain: "hour" })])
        yield* repository.prune("minute", 1100 * MINUTE)
        assert.deepStrictEqual((yield* read({})).map(([start]) => start / MINUTE)[0], 1100)
        assert.strictEqual((yield* read({ grain: "hour" })).length, 1)
      }).pipe(Effect.provide(layer))
    )

    it.effect("remembers over restarts, every sum of it", () =>
      Effect.gen(function* () {
        const store = yield* reopened
        const given = row({})
        for (const one of [given.sums.firstToken, given.sums.overhead, given.sums.pace]) one.add(123)
        yield* Effect.provide(
          Effect.flatMap(TrafficRepository, ({ add }) => add([given])),
          store
        )
        const [[, , found]] = (yield* Effect.provide(read({}), store)) as [readonly [number, string, TrafficSums]]
        assert.strictEqual(encodeSums(found), encodeSums(given.sums))
      })
    )
  })
