import { assert, describe, it } from "@effect/vitest"
import { SlidingWindowLog } from "../../../src/core/collections/SlidingWindowLog.ts"
import { seeded } from "../call/Support.ts"

/** The same in its plainest form. */
class PlainLog {
  entries: Array<{ at: number; weight: number }> = []
  within = (now: number) => this.entries.filter(({ at }) => at > now - 1_000)
  used = (now: number) => this.within(now).reduce((sum, { weight }) => sum + weight, 0)
}

describe("SlidingLog", () => {
  it("sums, corrects and forgets like a list of everything that ever was", () => {
    const chance = seeded(3)
    const log = new SlidingWindowLog(1_000)
    const plain = new PlainLog()
    const numbers: Array<number> = []
    let now = 0
    for (let i = 0; i < 20_000; i++) {
      now += chance.next() < 0.02 ? chance.below(2_500) : chance.below(60)
      const weight = chance.below(10)
      plain.entries.push({ at: now, weight })
      numbers.push(log.add(now, weight))
      if (chance.next() < 0.3) {
        const entry = Math.max(0, plain.entries.length - 1 - chance.below(40))
        log.correct(numbers[entry]!, 3 - plain.entries[entry]!.weight)
        plain.entries[entry]!.weight = 3
      }
      if (plain.entries.length % 7 === 0) assert.strictEqual(log.used(now), plain.used(now))
    }
    assert.strictEqual(log.used(now), plain.used(now))
  })

  it("is right after bursts, when what it grew to is given back", () => {
    const chance = seeded(5)
    const log = new SlidingWindowLog(1_000)
    const plain = new PlainLog()
    let now = 0
    for (let burst = 0; burst < 60; burst++) {
      now += chance.below(1_500)
      for (let i = chance.below(500); i > 0; i--) {
        log.add(now, i)
        plain.entries.push({ at: now, weight: i })
        if (chance.next() < 0.05) now += chance.below(20)
      }
      for (let step = 0; step < 5; step++) {
        now += chance.below(400)
        plain.entries = plain.within(now)
        assert.strictEqual(log.used(now), plain.used(now))
        const oldest = plain.entries[0]
        assert.strictEqual(log.waitFor(1, plain.used(now), now), oldest === undefined ? 1_000 : oldest.at + 1_000 - now)
      }
    }
  })

  it("tells the shortest wait after which a weight fits", () => {
    const chance = seeded(4)
    for (let run = 0; run < 300; run++) {
      const log = new SlidingWindowLog(1_000)
      const plain = new PlainLog()
      let now = 0
      for (let i = chance.below(30); i > 0; i--) {
        now += chance.below(80)
        const weight = 1 + chance.below(9)
        log.add(now, weight)
        plain.entries.push({ at: now, weight })
      }
      const weight = 1 + chance.below(20)
      const limit = 20 + chance.below(40)
      const wait = log.waitFor(weight, limit, now)
      assert.isAtMost(plain.used(now + wait) + weight, limit)
      if (wait > 0) assert.isAbove(plain.used(now + wait - 1) + weight, limit)
    }
  })

  it("holds no more than its window has milliseconds, and lets each go when it is due", () => {
    const log = new SlidingWindowLog(1_000)
    for (let now = 0; now < 3_000; now++) {
      const entries = new Set(Array.from({ length: 50 }, () => log.add(now, 2)))
      assert.strictEqual(entries.size, 1)
      assert.strictEqual(log.used(now), 100 * Math.min(now + 1, 1_000))
    }
    assert.strictEqual(log.waitFor(1, 100_000, 2_999), 1)
    assert.strictEqual(log.waitFor(101, 100_000, 2_999), 2)
  })

  it("is empty again when it says so", () => {
    const log = new SlidingWindowLog(1_000)
    assert.strictEqual(log.emptyIn(5), 0)
    log.add(5, 1)
    log.add(400, 1)
    assert.strictEqual(log.emptyIn(500), 900)
    assert.strictEqual(log.used(1_399), 1)
    assert.strictEqual(log.used(1_400), 0)
    assert.strictEqual(log.emptyIn(1_400), 0)
  })
})
