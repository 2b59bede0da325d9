/** Differences between the catalogue and public tables of prices, given as files. Nothing is changed: a person decides, with a source. */
import { readFileSync } from "node:fs"
import { shippedCatalogue } from "../../packages/gateway/src/providers/catalogue/facts/Shipped.ts"
import { catalogueSheet } from "../../packages/gateway/src/providers/prices/CataloguePrices.ts"

interface Row {
  readonly usd: { readonly [name: string]: number }
  readonly context?: number | null
}

/** Names of providers in the tables, where they are not the catalogue's. */
const VENDORS: { readonly [name: string]: string } = {
  google: "google-ai-studio",
  gemini: "google-ai-studio",
  "x-ai": "xai",
  moonshotai: "moonshot",
  dashscope: "qwen",
  voyageai: "voyage",
  aws: "bedrock",
  bedrock_converse: "bedrock",
  together_ai: "together",
  fireworks_ai: "fireworks"
}

const LITELLM: { readonly [field: string]: string } = {
  input_cost_per_token: "input",
  cache_read_input_token_cost: "cached_input",
  cache_creation_input_token_cost: "cache_write",
  cache_creation_input_token_cost_above_1hr: "cache_write_1h",
  input_cost_per_audio_token: "audio_input",
  output_cost_per_token: "output",
  output_cost_per_audio_token: "audio_output"
}

const CLASSES = {
  input: "input",
  cached_input: "cachedInput",
  cache_write: "cacheWrite",
  cache_write_1h: "cacheWrite1h",
  audio_input: "audioInput",
  output: "output",
  audio_output: "audioOutput"
} as const

type Told = { readonly [field: string]: unknown }

/** `model_prices_and_context_window_backup.json` of the package `litellm`; names there may begin with the provider. */
const rowOfLitellm = (name: string, told: Told): readonly [name: string, row: Row] => {
  const provider = String(told["litellm_provider"])
  const id = name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name
  const usd = Object.entries(LITELLM).flatMap(([field, own]) => {
    const price = told[field]
    return typeof price === "number" ? [[own, price * 1e6] as const] : []
  })
  return [`${provider}/${id}`, { usd: Object.fromEntries(usd) }]
}

const tableIn = (file: string): ReadonlyArray<readonly [name: string, row: Row]> => {
  const json = JSON.parse(readFileSync(file, "utf8")) as { readonly [name: string]: Told }
  return Object.entries(json).map(([name, told]) =>
    "usd" in told ? [name, told as unknown as Row] : rowOfLitellm(name, told)
  )
}

/** A line for each fact of `file` that the catalogue has otherwise, and each model that it lacks of a vendor that it has. */
export const differences = (file: string, now: number): ReadonlyArray<string> => {
  const catalogue = shippedCatalogue()
  const vendors = new Set(Object.keys(catalogue.file.models).map((name) => name.slice(0, name.indexOf("/"))))
  return tableIn(file).flatMap(([name, { context, usd }]) => {
    const provider = name.slice(0, name.indexOf("/"))
    const vendor = VENDORS[provider] ?? provider
    const id = name.slice(provider.length + 1)
    if (!vendors.has(vendor) || Object.keys(usd).length === 0) return []
    const rates = catalogueSheet(catalogue, vendor, id)?.ratesAt(now).base
    if (rates === undefined) return [`${vendor}/${id}: not in the catalogue`]
    const window = catalogue.find(vendor, id).facts.limits?.context
    return [
      ...Object.entries(usd).flatMap(([field, theirs]) => {
        const ours = rates[CLASSES[field as keyof typeof CLASSES]] / 1e6
        return Math.abs(ours - theirs) <= 1e-6 * theirs ? [] : [`${vendor}/${id} ${field}: ${ours}, there ${theirs}`]
      }),
      ...(typeof context === "number" && window !== undefined && context !== window
        ? [`${vendor}/${id} context: ${window}, there ${context}`]
        : [])
    ]
  })
}
