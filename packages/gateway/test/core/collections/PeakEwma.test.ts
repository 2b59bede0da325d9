import { assert, describe, it } from "@effect/vitest"
import { PeakEwma } from "../../../src/core/collections/PeakEwma.ts"

/** Asked and answered at once, as far as the average is concerned. */
const told = (average: PeakEwma, now: number, ms: number) => {
  average.asked(now)
  average.observe(now, ms)
}

describe("PeakAverage", () => {
  it("rises at once", () => {
    const average = new PeakEwma()
    for (let second = 0; second < 60; second++) told(average, second * 1_000, 200)
    assert.closeTo(average.read(59_000), 200, 1)
    told(average, 60_000, 3_000)
    assert.strictEqual(average.read(60_000), 3_000)
  })

  it("comes down slowly, as fast in little traffic as in much", () => {
    for (const every of [50, 1_000, 5_000]) {
      const average = new PeakEwma()
      told(average, 0, 3_000)
      for (let now = every; now <= 30_000; now += every) told(average, now, 200)
      assert.closeTo(average.read(30_000), 200 + 2_800 / Math.E, 20, `every ${every} ms`)
      for (let now = 30_000 + every; now <= 200_000; now += every) told(average, now, 200)
      assert.closeTo(average.read(200_000), 200, 10)
    }
  })

  it("fades while nobody asks, and no longer once somebody does", () => {
    const average = new PeakEwma()
    told(average, 0, 3_000)
    assert.closeTo(average.read(300_000), 3_000 / Math.E, 1)
    assert.isBelow(average.read(1_000_000), 110)
    average.asked(1_000_000)
    assert.strictEqual(average.read(1_000_000), 3_000)
    average.observe(1_003_000, 3_000)
    assert.strictEqual(average.read(1_003_000), 3_000)
  })

  it("expects much of who was never asked, and little of who was and has not answered", () => {
    const average = new PeakEwma()
    assert.strictEqual(average.read(5_000), 0)
    average.asked(5_000)
    assert.isAtLeast(average.read(6_000), 4_900)
    average.observe(6_500, 300)
    assert.strictEqual(average.read(6_500), 300)
  })

  it("heals and fades after the clock was set back by a month", () => {
    const month = 31 * 86_400_000
    const faded = new PeakEwma()
    told(faded, month, 3_000)
    assert.strictEqual(faded.read(0), 3_000)
    assert.closeTo(faded.read(300_000), 3_000 / Math.E, 1)
    const healed = new PeakEwma()
    told(healed, month, 3_000)
    told(healed, 0, 200)
    told(healed, 30_000, 200)
    assert.closeTo(healed.read(30_000), 200 + 2_800 / Math.E, 20)
  })
})
