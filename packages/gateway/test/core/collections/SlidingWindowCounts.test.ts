import { assert, describe, it } from "@effect/vitest"
import { SlidingWindowCounts } from "../../../src/core/collections/SlidingWindowCounts.ts"
import { seeded } from "../call/Support.ts"

describe("SlidingCounts", () => {
  it("counts all of the window, and at most one slice more", () => {
    const { below } = seeded(1)
    const counts = new SlidingWindowCounts(10_000, 20)
    const events: Array<{ readonly at: number; readonly all: number; readonly part: number }> = []
    let now = 1_700_000_000_000
    for (let i = 0; i < 5_000; i++) {
      now += below(10) === 0 ? below(15_000) : below(60)
      const event = { at: now, all: below(3), part: below(2) }
      events.push(event)
      counts.add(now, event.all, event.part)
      const sum = (since: number, field: "all" | "part") =>
        events.slice(-400).reduce((total, one) => (one.at > since ? total + one[field] : total), 0)
      for (const field of ["all", "part"] as const) {
        const counted = counts[field](now)
        assert.isAtLeast(counted, sum(now - 10_000, field))
        assert.isAtMost(counted, sum(now - 10_500, field))
      }
    }
    assert.strictEqual(counts.all(now + 11_000), 0)
  })

  it("bears a clock that goes back, and one that leaps", () => {
    const counts = new SlidingWindowCounts(1_000, 10)
    counts.add(5_000, 1, 1)
    counts.add(4_000, 1, 0)
    assert.deepStrictEqual([counts.all(5_000), counts.part(5_000)], [2, 1])
    assert.strictEqual(counts.all(1e15), 0)
    counts.add(1e15, 1, 0)
    counts.clear()
    assert.strictEqual(counts.all(1e15), 0)
  })

  it("forgets after its window what it counted before the clock was set back by a month", () => {
    const counts = new SlidingWindowCounts(1_000, 10)
    const month = 31 * 86_400_000
    counts.add(month, 3, 2)
    assert.deepStrictEqual([counts.all(5_000), counts.part(5_000)], [3, 2])
    counts.add(5_500, 1, 0)
    assert.deepStrictEqual([counts.all(6_200), counts.part(6_200)], [1, 0])
  })
})
