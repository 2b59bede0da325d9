import { assert, describe, it } from "@effect/vitest"
import { costOf, sheetOf } from "../../../src/core/domain/pricing/Pricing.ts"
import { noUsage } from "../../../src/core/domain/Usage.ts"
import { sheetFromConfig } from "../../../src/providers/prices/ConfiguredPrices.ts"

/** 2026-11-01T12:00:00Z. */
const AT = Date.UTC(2026, 10, 1, 12)

describe("prices of the configuration", () => {
  it("have tiers and service tiers, whose fees are the standard ones where none are given", () => {
    const none = { cachedInput: undefined, cacheWrite: undefined, reasoning: undefined }
    const price = sheetFromConfig({
      ...none,
      input: 1,
      cachedInput: 0.1,
      output: 2,
      webSearches: 10,
      audioInput: 8,
      tiers: [{ above: 1000, rates: { input: 3 } }],
      serviceTiers: {
        flex: { ...none, input: 0.5, output: 1 },
        priority: { ...none, input: 2, output: 4, webSearches: 20 }
      }
    })
    const usage = { ...noUsage, input: 600, cachedInput: 400, output: 10, webSearches: 1 }
    const fee = 10_000_000
    assert.strictEqual(costOf(price, usage, AT), 600_000 + 40_000 + 20_000 + fee)
    // One token more: the tier says nothing of cached input and output.
    assert.strictEqual(costOf(price, { ...usage, input: 601 }, AT), 601 * 3000 + 40_000 + 20_000 + fee)
    assert.strictEqual(costOf(sheetOf(price, "flex")!, usage, AT), 1000 * 500 + 10_000 + fee)
    assert.strictEqual(costOf(sheetOf(price, "priority")!, usage, AT), 1000 * 2000 + 40_000 + 2 * fee)
    assert.isNaN(costOf(sheetOf(price, "flex")!, { ...usage, audioInput: 1 }, AT))
    assert.isUndefined(sheetOf(price, "batch"))
  })

  it("takes the operator's price, and input and output for what they hold where it has none", () => {
    const given = { input: 0.1, cachedInput: 0.02, cacheWrite: undefined, output: 0.4, reasoning: undefined }
    const price = sheetFromConfig(given)
    assert.strictEqual(price.source, "configuration")
    const usage = { ...noUsage, input: 10, cachedInput: 100, cacheWrite: 5, output: 3, reasoning: 4, imageInput: 1 }
    assert.strictEqual(costOf(price, usage, AT), 10 * 100 + 100 * 20 + 5 * 100 + 7 * 400 + 100)
    for (const name of ["audioInput", "audioOutput", "imageOutput", "webSearches", "images"]) {
      assert.isNaN(costOf(price, { ...usage, [name]: 1 }, AT), name)
    }
    const full = sheetFromConfig({ ...given, cacheWrite: 0.125, reasoning: 1 })
    assert.strictEqual(costOf(full, { ...noUsage, cacheWrite: 8, cacheWrite1h: 8, reasoning: 2 }, AT), 16 * 125 + 2000)
  })
})
