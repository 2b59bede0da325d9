import { assert, describe, it } from "@effect/vitest"
import { costOf } from "../../../src/core/domain/pricing/Pricing.ts"
import { noUsage, type Usage } from "../../../src/core/domain/Usage.ts"
import { resolved } from "./Resolved.ts"

const AT = Date.UTC(2026, 10, 22)

const booked = (model: string, usage: Partial<Usage>): number =>
  costOf(resolved("openrouter", model).price ?? assert.fail("no price"), { ...noUsage, ...usage }, AT)

describe("OpenRouter's prices", () => {
  it.each(["openai/gpt-5.6-sol", "openai/gpt-5.6-sol-20260709"])("are for %s what its bills say", (model) => {
    // `usage.cost` of the two bills: $0.025265 and $0.002196.
    assert.strictEqual(booked(model, { input: 8, cacheWrite: 4012, output: 5 }), 25_265_000)
    assert.strictEqual(booked(model, { input: 8, cachedInput: 4012, output: 5 }), 2_196_000)
    // A long prompt costs twice the input, and half as much again for the output.
    assert.strictEqual(booked(model, { input: 300_000, output: 1000 }), 3_045_000_000)
  })

  it("are those of the catalogue for other models", () => {
    assert.strictEqual(booked("openai/gpt-5.6-terra", { input: 1000, output: 1000 }), 14_000_000)
    assert.isUndefined(resolved("openrouter", "openai/gpt-5.6-sol-next").price)
  })
})
