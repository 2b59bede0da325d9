import { assert, describe, it } from "@effect/vitest"
import { costOf, knownCostOf, outputThatFits, sheetOf, worstCase } from "../../../src/core/domain/pricing/Pricing.ts"
import { noUsage, type Usage } from "../../../src/core/domain/Usage.ts"
import { type Catalogue, catalogueOf } from "../../../src/providers/catalogue/facts/CatalogueInForce.ts"
import type { CatalogueFile } from "../../../src/core/domain/models/CatalogueFormat.ts"
import { shippedCatalogue } from "../../../src/providers/catalogue/facts/Shipped.ts"
import { catalogueSheet } from "../../../src/providers/prices/CataloguePrices.ts"

/** 2026-11-27T12:00:00Z. */
const AT = Date.UTC(2026, 10, 27, 12)
const DECEMBER = Date.UTC(2026, 11, 1)

const sheet = (vendor: string, model: string, catalogue: Catalogue = shippedCatalogue(), location?: string) =>
  catalogueSheet(catalogue, vendor, model, location === undefined ? undefined : { shown: { location }, secret: {} }) ??
  assert.fail(`no price for ${vendor}/${model}`)

/** USD. */
const cost = (vendor: string, model: string, usage: Partial<Usage>, at = AT) =>
  costOf(sheet(vendor, model), { ...noUsage, ...usage }, at) / 1e9

const made = (models: CatalogueFile["models"], more: Partial<CatalogueFile> = {}) =>
  catalogueOf({ schema: "catalogue/v1", version: "7", made: "2026-11-27T00:00:00Z", models, ...more })

const million = 1_000_000

describe("prices of the catalogue", () => {
  it("name the catalogue and its version", () => {
    const { source, version } = sheet("openai", "gpt-4o-mini")
    assert.deepStrictEqual([source, version], ["catalogue", shippedCatalogue().version])
  })

  it("price a known answer by hand", () => {
    assert.strictEqual(cost("openai", "gpt-4o-mini", { input: 1000, cachedInput: 400, output: 100 }), 0.00024)
    const written = { input: 100, cachedInput: 1000, cacheWrite: 200, cacheWrite1h: 100, output: 50 }
    assert.strictEqual(cost("anthropic", "claude-3-5-sonnet-20241022", written), 0.0027)
    assert.strictEqual(cost("openai", "gpt-6.2-sol", { cacheWrite12h: 1000 }), 0.005)
    assert.strictEqual(cost("anthropic", "claude-sonnet-5-5", { cachedInput: million }), 0.1)
    assert.strictEqual(cost("zai", "glm-5.3-flash", { input: million, output: million }), 0.65)
    assert.strictEqual(cost("moonshot", "kimi-k3", { cacheWrite1h: million }), 6)
  })

  it("are those of the step that the whole input reaches", () => {
    assert.strictEqual(cost("openai", "gpt-6.2-sol", { input: 272_000 }), 0.544)
    assert.strictEqual(cost("openai", "gpt-6.2-sol", { input: 272_001 }), 1.088004)
  })

  it("are those of the model that answers for a retired one", () => {
    const usage = { input: 100_000, output: million }
    for (const model of ["grok-4-1-fast", "grok-4-fast-reasoning", "grok-4-fast-non-reasoning", "grok-4", "grok-3"]) {
      assert.strictEqual(cost("xai", model, usage), 2.625, model)
    }
    assert.strictEqual(cost("xai", "grok-code-fast-1", usage), 2.1)
  })

  it("follow dates, at midnight in UTC", () => {
    const usage = { input: million, output: million }
    assert.strictEqual(cost("google-ai-studio", "gemini-4-argon", usage, DECEMBER - 1), 12)
    assert.strictEqual(cost("google-ai-studio", "gemini-4-argon", usage, DECEMBER), 24)
  })

  it("are held at the most expensive of those in force until the call's time limit", () => {
    const price = sheet("google-ai-studio", "gemini-4-argon")
    const most = { input: million, output: million }
    const minute = 60_000
    assert.strictEqual(worstCase(price, most, DECEMBER - minute, DECEMBER - 1), 12e9)
    assert.strictEqual(worstCase(price, most, DECEMBER - minute, DECEMBER + minute), 24e9)
    assert.strictEqual(worstCase(price, most, DECEMBER + minute, DECEMBER + 2 * minute), 24e9)
    assert.strictEqual(outputThatFits(price, { input: 0 }, 1e9, DECEMBER - minute), 100_000)
    assert.strictEqual(outputThatFits(price, { input: 0 }, 1e9, DECEMBER - minute, DECEMBER + minute), 50_000)
    const falling = sheet(
      "a",
      "b",
      made({
        "a/b": { prices: [{ usd: { input: 1, output: 2 } }, { from: "2026-12-01", usd: { input: 0.5, output: 1 } }] }
      })
    )
    assert.strictEqual(worstCase(falling, most, DECEMBER - minute, DECEMBER + minute), 3e9)
  })

  it("are those of the model that answers once a model was shut down and is billed as another", () => {
    const usage = { input: 100_000, output: 100_000 }
    assert.strictEqual(cost("google-ai-studio", "gemini-2.5-pro", usage, DECEMBER - 1), 1.125)
    assert.strictEqual(cost("google-ai-studio", "gemini-2.5-pro", usage, DECEMBER), 0.45)
    // The price of the other model rises later.
    assert.strictEqual(cost("google-ai-studio", "gemini-2.5-pro", usage, Date.UTC(2027, 0, 1)), 0.9)
    assert.strictEqual(cost("xai", "grok-4-1-fast-reasoning", usage), 0.375)
  })

  it("of another model that an answer names are found, and of the same model are not", () => {
    const grok = sheet("xai", "grok-4-1-fast-reasoning")
    assert.strictEqual(grok.answeredAs?.("grok-4.3")?.version, `${grok.version} as grok-4.3`)
    const { answeredAs } = sheet("openai", "gpt-4o")
    assert.isUndefined(answeredAs?.("gpt-4o-2024-08-06"))
    assert.isUndefined(answeredAs?.("nobody-knows"))
    assert.isDefined(answeredAs?.("gpt-6.2-sol"))
  })

  it("of tiers are a factor, by time where the factor has dates, and unknown where none holds", () => {
    const tier = (model: string, name: string, at = AT) => {
      const price = sheetOf(sheet("openai", model), name)
      return price === undefined ? undefined : costOf(price, { ...noUsage, output: million }, at) / 1e9
    }
    assert.deepStrictEqual([tier("gpt-6.2-sol", "fast"), tier("gpt-6.2-sol", "batch")], [20, 5])
    assert.isUndefined(tier("gpt-6.2-sol", "flex"))
    const march = Date.UTC(2027, 2, 1)
    assert.deepStrictEqual(
      [tier("gpt-6.2-sol", "ultrafast", march - 1), tier("gpt-6.2-sol", "ultrafast", march)],
      [30, 60]
    )
    assert.isUndefined(tier("gpt-6.2-sol", "scale"))
    const dated = made({
      "a/b": {
        prices: [{ usd: { input: 1, output: 1 } }],
        tiers: { fast: [{ from: "2026-12-01", factor: 2 }], slow: { usd: { input: 3, output: 3 } } }
      }
    })
    const of = (name: string, at: number) =>
      costOf(sheetOf(sheet("a", "b", dated), name)!, { ...noUsage, input: 1 }, at)
    assert.isNaN(of("fast", AT))
    assert.deepStrictEqual([of("fast", DECEMBER), of("slow", AT)], [2_000, 3_000])
  })

  it("of resellers have their factor, and none of the maker's tiers", () => {
    const input = (vendor: string, model: string, location?: string) =>
      sheet(vendor, model, shippedCatalogue(), location).ratesAt(AT).base.input
    const google = input("google-ai-studio", "gemini-3.5-flash")
    assert.strictEqual(input("vertex", "gemini-3.5-flash"), google)
    assert.strictEqual(input("vertex", "gemini-3.5-flash", "eu"), Math.round(google * 1.1))
    assert.strictEqual(input("vertex", "claude-opus-5-5@20260922"), 4_000_000)
    assert.strictEqual(input("bedrock", "eu.anthropic.claude-opus-4-7-v1:0"), 5_500_000)
    assert.strictEqual(input("bedrock", "eu.anthropic.claude-3-5-haiku-20241022-v1:0"), 800_000)
    assert.strictEqual(input("vertex", "claude-3-5-haiku-20241022", "europe-west1"), 800_000)
    // Not listed by Bedrock itself: the maker's price and a tenth in a region.
    assert.strictEqual(
      input("bedrock", "us.anthropic.claude-mythos-5-1-v1:0") /
        input("bedrock", "global.anthropic.claude-mythos-5-1-v1:0"),
      1.1
    )
    assert.isUndefined(sheet("azure", "gpt-5").serviceTiers)
    assert.isDefined(sheet("openai", "gpt-5").serviceTiers)
  })

  it("of recordings, speech, searches and rankings are by their own units", () => {
    assert.strictEqual(cost("openai", "whisper-1", { audioSeconds: 60 }), 0.006)
    assert.isNaN(cost("openai", "whisper-1", { output: 1 }))
    assert.strictEqual(cost("openai", "tts-1", { characters: 1_000 }), 0.015)
    assert.strictEqual(cost("cohere", "rerank-v4.0-pro", { rerankUnits: 1_000 }), 2.5)
    assert.strictEqual(cost("anthropic", "claude-haiku-4-5", { webSearches: 3 }), 0.03)
    assert.strictEqual(cost("openai", "text-embedding-3-small", { input: million }), 0.02)
  })

  it("of audio are unknown where the catalogue has none", () => {
    const usage = { ...noUsage, input: 10, audioInput: 100, output: 20, audioOutput: 200 }
    const price = sheet("openai", "gpt-4o")
    assert.isNaN(costOf(price, usage, AT))
    assert.strictEqual(knownCostOf(price, usage, AT), 225_000)
    assert.isAbove(cost("openai", "gpt-audio", usage), 0)
  })

  it("are unknown rather than wrong", () => {
    const priceOf = (vendor: string, model: string) => catalogueSheet(shippedCatalogue(), vendor, model)
    for (const [vendor, model] of [
      ["openai", "gpt-99"],
      ["openai", "gpt-4o-mini-next"],
      ["openai", "claude-sonnet-4-5"],
      ["anthropic", "gpt-4o"],
      ["anthropic", ""],
      ["openai-compatible", "gpt-4o"],
      ["anthropic-compatible", "claude-sonnet-5-5"],
      ["google-ai-studio", "gemini-3.8-flash-next"],
      // Priced by request as well.
      ["perplexity", "sonar"]
    ] as const) {
      assert.isUndefined(priceOf(vendor, model), `${vendor}/${model}`)
    }
  })

  it("are unknown where a rule about prices names a feature of a later version", () => {
    const usd = { prices: [{ usd: { input: 1, output: 1 } }] }
    const rules = [{ when: ["cache:48h"], price: "cache_write_48h" }]
    assert.isUndefined(catalogueSheet(made({ "a/b": { ...usd, rules } }), "a", "b"))
    assert.isDefined(catalogueSheet(made({ "a/b": usd }), "a", "b"))
  })
})
