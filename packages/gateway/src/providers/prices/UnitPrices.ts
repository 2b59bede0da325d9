/**
 * Prices by the image, by the character and by the search unit that the price list lacks, each with where it was read. Prices of images that depend on
 * their size are in `vendors/OpenAiImages.ts`.
 */
import type { PriceSheet } from "../../core/domain/pricing/Pricing.ts"
import type { Source } from "../../core/pool/Vendor.ts"
import { fixedSheet } from "./PriceList.ts"

interface UnitPrice {
  readonly vendor: string
  /** Its versions, which end in a date or a number, cost the same. */
  readonly model: string
  readonly usd: number
  readonly per: "image" | "million characters" | "thousand search units"
  readonly source: Source
}

const openAiSpeech: Source = {
  url: "https://community.openai.com/t/precise-pricing-for-tts-api/634297",
  read: "2026-11-22"
}
const xAi: Source = { url: "https://docs.x.ai/developers/pricing", read: "2026-11-22" }
const cohere: Source = { url: "https://developer.puter.com/tutorials/cohere-api-pricing/", read: "2026-11-22" }

export const unitPrices: ReadonlyArray<UnitPrice> = [
  { vendor: "openai", model: "tts-1-hd", usd: 30, per: "million characters", source: openAiSpeech },
  { vendor: "openai", model: "tts-1", usd: 15, per: "million characters", source: openAiSpeech },
  // What Cohere's older models cost was not found.
  { vendor: "cohere", model: "rerank-v4.0-fast", usd: 2, per: "thousand search units", source: cohere },
  { vendor: "cohere", model: "rerank-v4.0-pro", usd: 2.5, per: "thousand search units", source: cohere },
  { vendor: "xai", model: "grok-imagine-image-quality", usd: 0.05, per: "image", source: xAi },
  { vendor: "xai", model: "grok-imagine-image-pro", usd: 0.07, per: "image", source: xAi },
  { vendor: "xai", model: "grok-imagine-image", usd: 0.02, per: "image", source: xAi }
]

const CLASSES = { image: "images", "million characters": "characters", "thousand search units": "rerankUnits" } as const

/** Undefined for what is billed by the token, and for what nobody knows. */
export const unitPriceOf = (vendor: string, model: string): PriceSheet | undefined => {
  const found = unitPrices.find((one) => one.vendor === vendor && isVersionOf(model, one.model))
  if (found === undefined) return undefined
  const byToken = { input: Number.NaN, output: Number.NaN, cachedInput: undefined, cacheWrite: undefined }
  return fixedSheet(vendor, found.source.read, { ...byToken, reasoning: undefined, [CLASSES[found.per]]: found.usd })
}

const isVersionOf = (model: string, name: string): boolean =>
  model === name || (model.startsWith(`${name}-`) && /^\d[\d-]*$/.test(model.slice(name.length + 1)))
