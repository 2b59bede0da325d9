/** Prices and limits of 267 models as they were read from vendors' pages and public tables on 2026-11-27, against what deployments have. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type PriceSheet, pricedPer, type Rates, sheetOf } from "../../../src/core/domain/pricing/Pricing.ts"
import { type UsageClass, usageClasses } from "../../../src/core/domain/Usage.ts"
import { shippedCatalogue } from "../../../src/providers/catalogue/facts/Shipped.ts"
import { registryOf } from "../../../src/providers/catalogue/ProviderRegistry.ts"
import { catalogueSheet } from "../../../src/providers/prices/CataloguePrices.ts"
import { resolved } from "../vendors/Resolved.ts"

type Usd = { readonly [Class in UsageClass]?: number }

interface Read {
  readonly vendor: string
  readonly id: string
  readonly limits?: { readonly context?: number; readonly maxOutput?: number }
  readonly prices?: ReadonlyArray<{
    readonly from: string | null
    readonly usd: Usd
    readonly above?: ReadonlyArray<{ readonly tokens: number; readonly usd: Usd }>
  }>
  readonly otherPrices?: { readonly [field: string]: number }
  readonly tiers?: { readonly [name: string]: unknown }
  readonly billedAs?: { readonly on: string; readonly id: string }
  readonly webSearch?: number
}

/** `vendor/id field` → why it differs. */
const DIFFERS: { readonly [fact: string]: string } = {
  ...each(
    "answers tell tokens, whose prices are known too, and one thing has one price",
    "openai/gpt-4o-transcribe input_per_second",
    "openai/gpt-4o-mini-transcribe input_per_second",
    "openai/gpt-4o-transcribe-diarize input_per_second",
    "openai/gpt-4o-mini-tts output_per_second",
    "google-ai-studio/gemini-3-pro-image output_per_image",
    "google-ai-studio/gemini-3.1-flash-image output_per_image",
    "google-ai-studio/gemini-3.1-flash-lite-image output_per_image",
    "google-ai-studio/gemini-nano-banana-2.1 output_per_image",
    "google-ai-studio/gemini-2.5-flash-image output_per_image"
  ),
  ...each(
    "two tables have two windows: the smaller one is in force",
    "google-ai-studio/gemini-3-pro-image context",
    "google-ai-studio/gemini-3.1-flash-image context",
    "google-ai-studio/gemini-2.5-flash-image context"
  ),
  ...each(
    "the table rounds the factor; the published prices give the exact one",
    "openai/gpt-4o-mini tier priority",
    "openai/gpt-4o-mini tier fast",
    "openai/o4-mini tier priority",
    "openai/o4-mini tier fast"
  ),
  "openai/whisper-1 output_per_second": "a table names the price of a second twice: it is billed once"
}

function each(reason: string, ...facts: ReadonlyArray<string>) {
  return Object.fromEntries(facts.map((fact) => [fact, reason]))
}

/** Prices by other units than tokens, with the class that has them and how many of its units the price is for. */
const OTHER: { readonly [field: string]: readonly [UsageClass, number] } = {
  input_per_second: ["audioSeconds", 1],
  output_per_second: ["audioSeconds", 1],
  input_per_character: ["characters", 1_000_000],
  input_per_query: ["rerankUnits", 1_000],
  output_per_image: ["images", 1]
}

const all = readFileSync(join(import.meta.dirname, "fixtures/read-2026-11-27.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Read)

const { vendors } = registryOf()

const NOW = Date.UTC(2026, 10, 27, 12)
const timeOf = (day: string | null | undefined) => (day === null || day === undefined ? NOW : Date.parse(day))

const unitOf = new Map(usageClasses.map(({ name, unit }) => [name as string, unit]))

/** USD as they were read. */
const usdOf = (rates: Rates, name: string): number => (rates[name as UsageClass] * pricedPer[unitOf.get(name)!]) / 1e12

const seen = ({ id, vendor }: Read) => {
  const { limits = {} } = shippedCatalogue().find(vendor, id).facts
  if (!vendors.has(vendor)) {
    const price = catalogueSheet(shippedCatalogue(), vendor, id)
    return { price, contextWindow: limits.context, maxOutputTokens: limits.maxOutput }
  }
  return resolved(vendor, id)
}

/** Each fact that is not as it was read: `vendor/id field: read, found`. */
const differences = (one: Read): ReadonlyArray<string> => {
  const found: Array<string> = []
  const name = `${one.vendor}/${one.id}`
  const same = (field: string, read: unknown, is: unknown) => {
    const isSame =
      typeof read === "number" && typeof is === "number" ? Math.abs(read - is) < 1e-6 * read + 1e-9 : read === is
    if (!isSame && !Object.hasOwn(DIFFERS, `${name} ${field}`)) found.push(`${name} ${field}: ${read}, ${is}`)
  }
  const { contextWindow, maxOutputTokens, price } = seen(one)
  if (one.limits?.context !== undefined) same("context", one.limits.context, contextWindow)
  if (one.limits?.maxOutput !== undefined) same("maxOutput", one.limits.maxOutput, maxOutputTokens)
  for (const { above = [], from, usd } of one.prices ?? []) {
    const rates = price?.ratesAt(timeOf(from))
    for (const [key, value] of Object.entries(usd)) same(key, value, rates && usdOf(rates.base, key))
    for (const { tokens, usd: other } of above) {
      const tier = rates?.tiers.find((step) => step.above === tokens)
      for (const [key, value] of Object.entries(other))
        same(`${key} above ${tokens}`, value, tier && usdOf(tier.rates, key))
    }
  }
  for (const [field, usd] of Object.entries(one.otherPrices ?? {})) {
    const [name, per] = OTHER[field]!
    same(field, usd * per, price && usdOf(price.ratesAt(NOW).base, name))
  }
  if (one.webSearch !== undefined)
    same("webSearches", one.webSearch, price && usdOf(price.ratesAt(NOW).base, "webSearches"))
  if (one.billedAs !== undefined) {
    const other = resolved(one.vendor, one.billedAs.id).price!
    const at = timeOf(one.billedAs.on) + 1
    same("billedAs", usdOf(other.ratesAt(at).base, "output"), price && usdOf(price.ratesAt(at).base, "output"))
  }
  for (const [tier, read] of Object.entries(one.tiers ?? {}))
    same(`tier ${tier}`, factorRead(read), factorOf(price, tier))
  return found
}

const factorRead = (tier: unknown): number | undefined => {
  if (typeof tier !== "object" || tier === null) return undefined
  if (Array.isArray(tier)) return (tier[0] as { readonly factor: number }).factor
  return (tier as { readonly factor: number }).factor
}

const factorOf = (price: PriceSheet | undefined, tier: string): number | undefined => {
  const other = price && sheetOf(price, tier)
  const [a, b] = [other?.ratesAt(NOW).base, price?.ratesAt(NOW).base]
  if (a === undefined || b === undefined) return undefined
  return b.output === 0 ? a.input / b.input : a.output / b.output
}

describe("the facts of 267 models", () => {
  it("are as they were read, but for those with a reason", () => {
    assert.strictEqual(all.length, 267)
    assert.deepStrictEqual(all.flatMap(differences), [])
  })
})
