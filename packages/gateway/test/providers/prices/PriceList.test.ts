import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { calcPrice, findProvider } from "@pydantic/genai-prices"
import { assert, describe, it } from "@effect/vitest"
import { costOf, knownCostOf, type PriceSheet, sheetOf } from "../../../src/core/domain/pricing/Pricing.ts"
import type { Vendor } from "../../../src/core/pool/Vendor.ts"
import { inputTokens, noUsage, outputTokens, type Usage } from "../../../src/core/domain/Usage.ts"
import {
  contextWindowOf,
  PRICE_LIST_VERSION,
  priceSheetFor,
  sheetFromConfig
} from "../../../src/providers/prices/PriceList.ts"
import { Anthropic } from "../../../src/providers/vendors/Anthropic.ts"
import { OpenAi } from "../../../src/providers/vendors/OpenAi.ts"
import { OpenAiCompatible } from "../../../src/providers/vendors/OpenAiCompatible.ts"
import { seeded } from "../protocols/openai/Support.ts"

const listed = (priceListId: string): Vendor => ({ ...OpenAiCompatible, name: priceListId, priceListId })

/** 2026-11-01T12:00:00Z. */
const AT = Date.UTC(2026, 10, 1, 12)

const sheet = (vendor: Vendor, model: string): PriceSheet =>
  priceSheetFor(vendor, model) ?? assert.fail(`no price for ${vendor.name}/${model}`)

const inListTerms = (usage: Usage) => ({
  input_tokens: inputTokens(usage),
  cache_read_tokens: usage.cachedInput,
  cache_write_tokens: usage.cacheWrite + usage.cacheWrite1h,
  cache_write_1h_tokens: usage.cacheWrite1h,
  input_audio_tokens: usage.audioInput,
  output_tokens: outputTokens(usage),
  output_reasoning_tokens: usage.reasoning,
  output_audio_tokens: usage.audioOutput
})

const nanoByList = (provider: string, model: string, usage: Usage, at: number): number =>
  calcPrice(inListTerms(usage), model, { providerId: provider, timestamp: new Date(at) })!.total_price * 1e9

describe("PriceList", () => {
  it("knows which version it reads", () => {
    const entry = createRequire(import.meta.url).resolve("@pydantic/genai-prices")
    const { version } = JSON.parse(readFileSync(join(dirname(entry), "../package.json"), "utf8"))
    assert.strictEqual(PRICE_LIST_VERSION, version)
    const { source, version: told } = sheet(OpenAi, "gpt-4o-mini")
    assert.deepStrictEqual([source, told], ["genai-prices", version])
  })

  it("prices a known answer by hand", () => {
    const usage = { ...noUsage, input: 1000, cachedInput: 400, output: 100 }
    assert.strictEqual(costOf(sheet(OpenAi, "gpt-4o-mini"), usage, AT), 240_000)
    const written = { ...noUsage, input: 100, cachedInput: 1000, cacheWrite: 200, cacheWrite1h: 100, output: 50 }
    assert.strictEqual(costOf(sheet(Anthropic, "claude-3-5-sonnet-20241022"), written, AT), 2_700_000)
  })

  it("agrees with the list's own arithmetic on every model priced by tokens", () => {
    const random = seeded(20)
    const upTo = (most: number) => Math.floor(random() * most)
    let models = 0
    for (const provider of ["openai", "anthropic", "google", "mistral", "deepseek", "groq", "x-ai"]) {
      for (const { id } of findProvider({ providerId: provider })!.models) {
        const price = priceSheetFor(listed(provider), id)
        if (price === undefined) continue
        const { audioSeconds, input } = price.ratesAt(AT).base
        if (Number.isNaN(input) || audioSeconds > 0) continue
        models++
        for (let round = 0; round < 12; round++) {
          const most = [10, 5000, 150_000, 400_000][round % 4]!
          // The list refuses audio at models that cache but have no price for cached audio.
          const usage: Usage = {
            ...noUsage,
            input: upTo(most),
            cachedInput: upTo(most),
            cacheWrite: upTo(most),
            cacheWrite1h: upTo(most),
            output: upTo(most),
            reasoning: upTo(most)
          }
          const at = AT + upTo(24 * 60) * 60_000
          const expected = nanoByList(provider, id, usage, at)
          assert.isAtMost(
            Math.abs(costOf(price, usage, at) - expected),
            1,
            `${provider}/${id} ${JSON.stringify(usage)}`
          )
        }
      }
    }
    assert.isAtLeast(models, 150)
  })

  it("prices audio as the list does where it has a price, and does not know it where it has none", () => {
    const usage = { ...noUsage, input: 10, audioInput: 100, output: 20, audioOutput: 200 }
    for (const model of ["gpt-audio", "gpt-audio-mini"]) {
      const cost = costOf(sheet(OpenAi, model), usage, AT)
      assert.isAtMost(Math.abs(cost - nanoByList("openai", model, usage, AT)), 1)
      assert.isAbove(cost, costOf(sheet(OpenAi, model), { ...noUsage, input: 110, output: 220 }, AT))
    }
    for (const model of ["gpt-4o", "gpt-4o-audio-preview"]) {
      assert.isNaN(costOf(sheet(OpenAi, model), usage, AT))
      // 10 at 2.50 USD, 20 at 10 USD.
      assert.strictEqual(knownCostOf(sheet(OpenAi, model), usage, AT), 225_000)
    }
  })

  it("has the vendor's own prices of service tiers, and none that were not published", () => {
    const usage = { ...noUsage, input: 1000, cachedInput: 400, output: 100 }
    const cost = (model: string, tier: string, used = usage) => {
      const price = sheetOf(sheet(OpenAi, model), tier)
      return price === undefined ? undefined : costOf(price, used, AT)
    }
    assert.strictEqual(cost("gpt-4o-mini", "default"), 240_000)
    assert.strictEqual(cost("gpt-4o-mini", "flex"), 120_000)
    assert.strictEqual(cost("gpt-4o-mini", "priority"), 250_000 + 50_000 + 100_000)
    assert.strictEqual(cost("gpt-4o-mini-2024-07-18", "priority"), 400_000)
    assert.strictEqual(cost("gpt-5-mini", "priority"), 450_000 + 18_000 + 360_000)
    assert.isUndefined(cost("gpt-4o-mini", "scale"))
    assert.isUndefined(cost("gpt-5-nano", "priority"))
    // The price for long context is not published.
    const long = { ...noUsage, input: 500_000 }
    assert.isAbove(cost("gpt-5.4", "default", long)!, 0)
    assert.isNaN(cost("gpt-5.4", "priority", long))
    assert.isUndefined(sheetOf(sheet(Anthropic, "claude-haiku-4-5"), "priority"))
  })

  it("takes the operator's tiers and service tiers, whose fees are the standard ones where none are given", () => {
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

  it("has the fees for searches", () => {
    const usage = { ...noUsage, webSearches: 3 }
    assert.strictEqual(costOf(sheet(Anthropic, "claude-haiku-4-5"), usage, AT), 30_000_000)
    assert.strictEqual(costOf(sheet(OpenAi, "gpt-5"), { ...noUsage, fileSearches: 2 }, AT), 5_000_000)
    assert.isNaN(costOf(sheet(OpenAi, "gpt-4o-search-preview"), { ...noUsage, requestFees: 1 }, AT))
  })

  it("charges the higher tier for the whole request, from the first token above the threshold", () => {
    const price = sheet(Anthropic, "claude-sonnet-4-5")
    const cost = (input: number) => costOf(price, { ...noUsage, input }, AT)
    assert.strictEqual(cost(200_000), 600_000_000)
    assert.strictEqual(cost(200_001), 1_200_006_000)
  })

  it("follows prices that change by date and by time of day, to the minute", () => {
    const cost = (price: PriceSheet, at: number) => costOf(price, { ...noUsage, input: 1000 }, at)
    const o3 = sheet(OpenAi, "o3")
    assert.strictEqual(cost(o3, Date.UTC(2025, 5, 9, 23, 59, 59)), 10_000_000)
    assert.strictEqual(cost(o3, Date.UTC(2025, 5, 10)), 2_000_000)
    const deepseek = sheet(listed("deepseek"), "deepseek-chat")
    const day = Date.UTC(2026, 0, 5)
    assert.strictEqual(cost(deepseek, day + 29.99 * 60_000), 135_000)
    assert.strictEqual(cost(deepseek, day + 30 * 60_000), 270_000)
    assert.strictEqual(cost(deepseek, day + 16.5 * 3_600_000), 135_000)
  })

  it("has no price rather than a wrong one", () => {
    for (const [vendor, model] of [
      [OpenAi, "gpt-99"],
      [OpenAi, "gpt-4o-mini-next"],
      [OpenAi, "claude-sonnet-4-5"],
      [OpenAi, "tts-1"],
      [Anthropic, "gpt-4o"],
      [Anthropic, ""],
      [OpenAiCompatible, "gpt-4o"],
      [listed("open"), "gpt-4o"],
      [listed("nobody"), "gpt-4o"],
      // The list would answer with another provider's model.
      [listed("azure"), "claude-opus-4-8"],
      // Priced by request as well.
      [listed("perplexity"), "sonar"]
    ] as const) {
      assert.isUndefined(priceSheetFor(vendor, model), `${vendor.name}/${model}`)
    }
    assert.strictEqual(costOf(sheet(OpenAi, "omni-moderation-latest"), { ...noUsage, input: 1000 }, AT), 0)
  })

  it("prices recordings by the second, where the list has them by the hour", () => {
    const heard = (seconds: number) => ({ ...noUsage, audioSeconds: seconds })
    assert.strictEqual(costOf(sheet(OpenAi, "whisper-1"), heard(60), AT), 6_000_000)
    assert.closeTo(costOf(sheet(listed("groq"), "whisper-large-v3"), heard(3_600), AT), 111_000_000, 1)
    // Tokens are not what it is billed by.
    assert.isNaN(costOf(sheet(OpenAi, "whisper-1"), { ...noUsage, output: 1 }, AT))
  })

  it("knows OpenAI's prices by the character, which the list lacks", () => {
    const spoken = (model: string) => {
      const price = OpenAi.prices?.(model)
      return price === undefined ? undefined : costOf(price, { ...noUsage, characters: 1_000 }, AT)
    }
    assert.deepStrictEqual(["tts-1", "tts-1-1106", "tts-1-hd", "gpt-4o-mini-tts"].map(spoken), [
      15_000_000,
      15_000_000,
      30_000_000,
      undefined
    ])
  })

  it("knows context windows", () => {
    assert.strictEqual(contextWindowOf(OpenAi, "gpt-4o-mini"), 128_000)
    assert.strictEqual(contextWindowOf(Anthropic, "claude-haiku-4-5"), 200_000)
    assert.isUndefined(contextWindowOf(OpenAi, "gpt-99"))
    assert.isUndefined(contextWindowOf(OpenAiCompatible, "gpt-4o-mini"))
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
