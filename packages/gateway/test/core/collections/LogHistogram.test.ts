import { assert, describe, it } from "@effect/vitest"
import { LogHistogram } from "../../../src/core/collections/LogHistogram.ts"

const of = (values: Iterable<number>) => {
  const made = new LogHistogram()
  for (const value of values) made.add(value)
  return made
}

const upTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1)

describe("a histogram", () => {
  it("is at most 5 % off, from a millisecond to a day", () => {
    for (const most of [1, 7, 100, 10_000, 100_000]) {
      const values = upTo(most)
      const made = of(values)
      for (const share of [0.1, 0.5, 0.9, 0.95, 0.99, 1]) {
        const exact = values[Math.max(1, Math.ceil(share * most)) - 1]!
        assert.isAtMost(Math.abs(made.quantile(share)! - exact) / exact, 0.05, `${share} of ${most}`)
      }
    }
    assert.isAtMost(Math.abs(of([86_400_000]).quantile(0.5)! - 86_400_000) / 86_400_000, 0.05)
  })

  it("tells nothing of nothing, and 0 of less than 1", () => {
    assert.isNull(new LogHistogram().quantile(0.5))
    assert.deepStrictEqual(new LogHistogram().toJSON(), [])
    assert.deepStrictEqual([of([0, 0, 0]).quantile(0.99), of([0, 0, 900]).quantile(0.5)], [0, 0])
  })

  it("adds up with others, and comes back from its text", () => {
    const [a, b] = [of(upTo(500)), of(upTo(1000).slice(500))]
    const all = of(upTo(1000))
    const read = LogHistogram.of(JSON.parse(JSON.stringify(a)))
    read.merge(b)
    assert.deepStrictEqual([read.count, read.max], [1000, 1000])
    for (const share of [0.01, 0.5, 0.99]) assert.strictEqual(read.quantile(share), all.quantile(share))
    assert.strictEqual(a.count, 500)
  })
})
