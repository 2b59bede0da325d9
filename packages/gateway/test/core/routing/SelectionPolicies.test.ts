import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { arrange } from "../../../src/core/routing/SelectionPolicies.ts"
import { Health } from "../../../src/core/pool/Health.ts"
import { standings } from "./Pool.ts"
import { deployment, priceSheet, rates } from "../call/Support.ts"

const ids = (list: ReadonlyArray<{ readonly id: string }>) => list.map((one) => one.id)

const three = [
  deployment("x/a", { priority: 2, price: priceSheet(rates(5, 5)) }),
  deployment("x/b", { priority: 1, price: priceSheet(rates(1, 9)) }),
  deployment("x/c", { priority: 1, price: undefined })
]

const standing = standings({
  "x/a": { inFlight: 2, expectedFirstToken: 100, throughput: 20 },
  "x/b": { inFlight: 1, expectedFirstToken: 300, throughput: 60 },
  "x/c": { inFlight: 1, expectedFirstToken: 0, throughput: 200 }
})

/** No order but that by weight draws. */
const unused = { nextDoubleUnsafe: () => assert.fail("draws") }

describe("arrange", () => {
  it("sorts by what the order says, ties as listed", () => {
    const by = (order: Parameters<typeof arrange>[1]) => ids(arrange(three, order, standing, 0, unused))
    assert.deepStrictEqual(by("listed"), ["x/a", "x/b", "x/c"])
    assert.deepStrictEqual(by("priority"), ["x/b", "x/c", "x/a"])
    assert.deepStrictEqual(by("least_busy"), ["x/b", "x/c", "x/a"])
    assert.deepStrictEqual(by("latency"), ["x/c", "x/a", "x/b"])
    assert.deepStrictEqual(by("throughput"), ["x/c", "x/b", "x/a"])
    // Three tokens read for one written: 3 × 1 + 9 is less than 3 × 5 + 5; a price nobody knows comes last.
    assert.deepStrictEqual(by("cost"), ["x/b", "x/a", "x/c"])
  })

  it("puts those that are not ready last, in their order", () => {
    const pool = standings({ "x/a": { isReady: false }, "x/b": { isReady: false } })
    assert.deepStrictEqual(ids(arrange(three, "listed", pool, 0, unused)), ["x/c", "x/a", "x/b"])
    const none = standings({ "x/a": { isReady: false }, "x/b": { isReady: false }, "x/c": { isReady: false } })
    assert.deepStrictEqual(ids(arrange(three, "priority", none, 0, unused)), ["x/b", "x/c", "x/a"])
  })

  it.effect("draws by weight, each deployment once", () =>
    Effect.gen(function* () {
      const weights = { "x/a": 6, "x/b": 3, "x/c": 1, "x/d": 0 }
      const weighted = Object.entries(weights).map(([id, weight]) => deployment(id, { weight }))
      const first = new Map<string, number>()
      const second = new Map<string, number>()
      const random = yield* Random.Random
      for (let i = 0; i < 4_000; i++) {
        const drawn = ids(arrange(weighted, "weight", standing, 0, random))
        assert.sameMembers([...drawn], Object.keys(weights))
        first.set(drawn[0]!, (first.get(drawn[0]!) ?? 0) + 1)
        second.set(drawn[1]!, (second.get(drawn[1]!) ?? 0) + 1)
      }
      assert.closeTo(first.get("x/a")! / 4_000, 0.6, 0.03)
      assert.closeTo(first.get("x/b")! / 4_000, 0.3, 0.03)
      assert.closeTo(first.get("x/c")! / 4_000, 0.1, 0.02)
      assert.isUndefined(first.get("x/d"))
      // 0.3 × 6/7 + 0.1 × 6/9
      assert.closeTo(second.get("x/a")! / 4_000, 0.324, 0.03)
    }).pipe(Random.withSeed("weights"))
  )

  it("follows the throughput within minutes when fast and slow change places", () => {
    const health = new Map(three.map(({ id }) => [id, new Health()]))
    const pool = { ...standings({}), throughput: (id: string, now: number) => health.get(id)!.throughput(now) }
    const speeds: Record<string, number> = { "x/a": 20, "x/b": 60, "x/c": 200 }
    /** One request a second: who serves it, of 100 tokens. */
    const serve = (from: number, seconds: number) => {
      const served: Array<string> = []
      for (let now = from; now < from + seconds * 1_000; now += 1_000) {
        const [{ id } = three[0]!] = arrange(three, "throughput", pool, now, unused)
        served.push(id)
        const one = health.get(id)!
        const ticket = one.began(now)
        one.streamed(now, 100_000 / speeds[id]!, 100)
        one.succeeded(ticket, now, 1)
      }
      return served
    }
    const first = serve(0, 60)
    assert.deepStrictEqual(first.slice(0, 3), ["x/a", "x/b", "x/c"])
    assert.isTrue(first.slice(3).every((id) => id === "x/c"))
    Object.assign(speeds, { "x/a": 200, "x/c": 20 })
    const then = serve(60_000, 300)
    // The others are called once in two minutes to be measured.
    assert.isAtLeast(then.slice(-60).filter((id) => id === "x/a").length, 57)
    // A call that is under way measures already.
    const idle = new Health()
    assert.strictEqual(idle.throughput(0), Number.POSITIVE_INFINITY)
    idle.began(0)
    assert.strictEqual(idle.throughput(0), 0)
  })
})
