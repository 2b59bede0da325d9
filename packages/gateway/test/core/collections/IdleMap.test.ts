import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { IdleMap } from "../../../src/core/collections/IdleMap.ts"
import { seeded, settleDown } from "../call/Support.ts"

const IDLE = 1_000

describe("IdleMap", () => {
  it("keeps what is in use and stays in proportion to it", () => {
    const chance = seeded(9)
    const used = new Map<string, number>()
    const map = new IdleMap<{ usedAt: number }>(({ usedAt }, now) => now - usedAt >= IDLE)
    let now = 0
    for (let i = 0; i < 100_000; i++) {
      now += chance.below(4)
      // Half are never seen again, half are one of a few.
      const name = chance.next() < 0.5 ? `once ${i}` : `often ${chance.below(50)}`
      const entry = map.get(name)
      const last = used.get(name)
      if (last !== undefined && now - last < IDLE) assert.strictEqual(entry?.usedAt, last)
      if (entry === undefined) map.set(name, { usedAt: now }, now)
      else entry.usedAt = now
      used.set(name, now)
    }
    const inUse = [...used.values()].filter((at) => now - at < IDLE).length
    assert.isAtLeast(map.size, inUse)
    assert.isAtMost(map.size, 2.5 * inUse)
  })

  it("lets everything go once others come", () => {
    const map = new IdleMap<number>((usedAt, now) => now - usedAt >= IDLE)
    for (let i = 0; i < 100; i++) map.set(`early ${i}`, 0, 0)
    assert.strictEqual(map.size, 100)
    for (let i = 0; i < 100; i++) map.set(`late ${i}`, 5_000, 5_000)
    assert.strictEqual(map.size, 100)
    assert.isUndefined(map.get("early 99"))
    assert.strictEqual(map.get("late 0"), 5_000)
  })

  it.effect("lets what is idle go where no others come", () =>
    Effect.gen(function* () {
      let now = 0
      const map = new IdleMap<number>((usedAt, now) => now - usedAt >= IDLE)
      for (let i = 0; i < 10_000; i++) map.set(`one ${i}`, i < 9_990 ? 0 : 900_000, 0)
      yield* Effect.forkScoped(
<<<<<<< HEAD
        sweeping([map], () => now),
=======
        map.keepSmall(() => now),
>>>>>>> w/figures
        { startImmediately: true }
      )
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual(map.size, 10_000)
      now = 600_000
      yield* TestClock.adjust("1 minute")
      yield* settleDown
      assert.isAtMost(map.size, 11)
    })
  )
})
