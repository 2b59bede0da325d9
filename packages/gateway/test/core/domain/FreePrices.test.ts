import { assert, describe, it } from "@effect/vitest"
import { isFree, noRates, type PriceSheet, type Rates } from "../../../src/core/domain/pricing/Pricing.ts"

const sheet = (rates: Partial<Rates>, more: Partial<PriceSheet> = {}): PriceSheet => ({
  source: "test",
  version: "1",
  ratesAt: () => ({ base: { ...noRates, ...rates }, tiers: [] }),
  ...more
})

describe("what is free", () => {
  it("bills nothing, whatever is used, at any time and in any tier", () => {
    assert.isTrue(isFree(sheet({})))
    // What costs a fee may be unknown to a list of prices per token; tokens may not.
    assert.isTrue(isFree(sheet({ webSearches: Number.NaN, images: Number.NaN })))
    assert.isTrue(isFree(sheet({}, { serviceTiers: new Map([["flex", sheet({})]]) })))
    assert.isFalse(isFree(sheet({ input: 1 })))
    assert.isFalse(isFree(sheet({ audioInput: Number.NaN })))
    assert.isFalse(isFree(sheet({ requestFees: 1 })))
    assert.isFalse(isFree(sheet({}, { serviceTiers: new Map([["priority", sheet({ output: 1 })]]) })))
    const tier = { above: 10, rates: { ...noRates, input: 1 } }
    assert.isFalse(isFree(sheet({}, { ratesAt: () => ({ base: noRates, tiers: [tier] }) })))
    // Free until some day.
    const later = (at: number) => ({ base: at === 0 ? noRates : { ...noRates, input: 1 }, tiers: [] })
    assert.isFalse(isFree(sheet({}, { ratesAt: later })))
  })
})
