/** Prices of OpenAI that the price list lacks: those by the character. */
import type { PriceSheet } from "../../core/domain/Pricing.ts"
import { fixedSheet } from "../PriceList.ts"

/** USD per million characters: https://community.openai.com/t/precise-pricing-for-tts-api/634297 (2026-11-22). */
const PER_CHARACTERS: ReadonlyArray<readonly [model: RegExp, usd: number]> = [
  [/^tts-1-hd(?:-\d+)?$/, 30],
  [/^tts-1(?:-\d+)?$/, 15]
]

export const openAiPrices = (model: string): PriceSheet | undefined => {
  const usd = PER_CHARACTERS.find(([match]) => match.test(model))?.[1]
  if (usd === undefined) return undefined
  const notByToken = { input: Number.NaN, output: Number.NaN, cachedInput: undefined, cacheWrite: undefined }
  return fixedSheet("openai", "2026-11-22", { ...notByToken, reasoning: undefined, characters: usd })
}
