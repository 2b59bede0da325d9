/** What an attempt is charged whose process died: never less than the provider can have billed at the fastest rate. */
import { assert, describe, it } from "@effect/vitest"
import { abandonedCost, type Growth, growthOf } from "../../../src/core/ledger/AbandonedCost.ts"
import { zeroBound } from "../../../src/core/domain/pricing/Bound.ts"
import type { Intent } from "../../../src/core/ledger/Reservation.ts"
import { reservation } from "../../storage/Support.ts"
import { budget } from "../call/Support.ts"
import { intent, keyWith } from "./Books.ts"

const NOW = 1_000_000

const growth = (fields: Partial<Intent>, input = 1_000): Growth =>
  growthOf({ ...intent(keyWith([budget(1e9)])), outputRate: 100, ...fields }, input, NOW)

const rowWith = (given: Growth) => reservation({ id: 1, at: NOW, reserved: 100_000_000, ...given })

describe("the cost of an abandoned attempt", () => {
  it("is its input in full, and output at the fastest rate for each choice and second", () => {
    const once = growth({})
    const twice = growth({ choices: 2 })
    assert.isAbove(once.fixed!, 0)
    assert.isAbove(once.perSecond!, 0)
    assert.strictEqual(twice.fixed, once.fixed)
    assert.strictEqual(twice.perSecond, 2 * once.perSecond!)
    assert.isAbove(growth({}, 2_000).fixed!, once.fixed!)
    assert.strictEqual(abandonedCost(rowWith(once), "estimate", NOW), once.fixed)
    assert.strictEqual(abandonedCost(rowWith(once), "estimate", NOW + 2_500), once.fixed! + 2.5 * once.perSecond!)
  })

  it("grows with the rate, a little faster than measured", () => {
    // At 2 nano-USD a token, 100 tokens a second as measured are some 110 while the provider writes.
    assert.isAtLeast(growth({ outputRate: 100 }).perSecond!, 2 * 110)
    assert.isAtMost(growth({ outputRate: 100 }).perSecond!, 2 * 111)
    assert.isAtLeast(growth({ outputRate: 200 }).perSecond!, 2 * 220)
  })

  it("is what predicted text and pictures cost at once, whatever the rate", () => {
    const { fixed } = growth({})
    const burst = growth({ bound: { ...zeroBound, unlimitedOutput: 500, burst: 500 } })
    const unbounded = growth({ bound: { ...zeroBound, wholeOutput: 1_000_000 } })
    assert.isAbove(burst.fixed!, fixed!)
    assert.deepStrictEqual(unbounded, growth({}))
  })

  it("is the reservation where no rate bounds it", () => {
    const tools = {
      calls: {},
      unpaid: 0,
      freeUnpaid: 0,
      free: {},
      mostUses: 1,
      hasLimits: false,
      tokens: 10,
      window: 10
    }
    assert.deepStrictEqual(growth({ outputRate: undefined }), {})
    assert.deepStrictEqual(growth({ bound: { ...zeroBound, tools } }), {})
    assert.deepStrictEqual(growth({ bound: { ...zeroBound, units: { images: 1 } } }), {})
    assert.strictEqual(abandonedCost(rowWith({}), "estimate", NOW + 1), 100_000_000)
  })

  it("is the reservation where the time is not known, and never more", () => {
    const row = rowWith(growth({}))
    assert.strictEqual(abandonedCost(row, "estimate", undefined), row.reserved)
    assert.strictEqual(abandonedCost(row, "estimate", NOW - 1), row.reserved)
    assert.strictEqual(abandonedCost(row, "estimate", NOW + 1e12), row.reserved)
    assert.strictEqual(abandonedCost(row, "book", NOW), row.reserved)
    assert.strictEqual(abandonedCost(row, "void", NOW), 0)
  })
})
