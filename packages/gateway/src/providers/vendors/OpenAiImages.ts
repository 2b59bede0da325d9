/** What OpenAI bills for images. */
import type { ImageRules } from "../../core/domain/pricing/BoundRules.ts"
import type { PriceSheet } from "../../core/domain/pricing/Pricing.ts"
import type { ConfiguredPrice } from "../../core/domain/Settings.ts"
import type { ImageSize } from "../../core/media/ImageSize.ts"
import { fixedSheet } from "../prices/ConfiguredPrices.ts"

/** Tokens are not billed, and have no price. */
const image = (usd: number): ConfiguredPrice => ({
  input: Number.NaN,
  cachedInput: undefined,
  cacheWrite: undefined,
  output: Number.NaN,
  reasoning: undefined,
  images: usd
})

/**
 * USD per image, the vendor's defaults first: https://openai.com/api/pricing as github.com/kevinhermawan/Canvas (model-info.json)
 * copied it on 2023-12-25, read 2026-11-22. They did not change until the models were withdrawn; Azure still serves them.
 */
const perImage: ReadonlyArray<readonly [RegExp, { readonly [variant: string]: number }]> = [
  [/^dall-e-2$/, { "1024x1024": 0.02, "512x512": 0.018, "256x256": 0.016 }],
  [
    /^dall-e-3$/,
    {
      "standard-1024x1024": 0.04,
      "standard-1024x1792": 0.08,
      "standard-1792x1024": 0.08,
      "hd-1024x1024": 0.08,
      "hd-1024x1792": 0.12,
      "hd-1792x1024": 0.12
    }
  ]
]

/** Undefined for models that are billed by the token: the catalogue has those. */
export const openAiImagePrices = (model: string): PriceSheet | undefined => {
  const found = perImage.find(([match]) => match.test(model))?.[1]
  if (found === undefined) return undefined
  const variants = Object.entries(found).map(([name, usd]) => [name, image(usd)] as const)
  return fixedSheet("openai", "2023-12-25", {
    ...image(Math.max(...Object.values(found))),
    serviceTiers: Object.fromEntries(variants)
  })
}

type Quality = "low" | "medium" | "high"

/** `auto` and unknown words count as the dearest. */
const qualityOf = (told: string | undefined): Quality => (told === "low" || told === "medium" ? told : "high")

/**
 * Tokens of one image: square, portrait, landscape. The vendor's table as copied at https://community.openai.com/t/1371851
 * (2026-11-22).
 */
const TOKENS: { readonly [name in Quality]: readonly [square: number, portrait: number, landscape: number] } = {
  low: [272, 408, 400],
  medium: [1_056, 1_584, 1_568],
  high: [4_160, 6_240, 6_208]
}

const SIZES = ["1024x1024", "1024x1536", "1536x1024"]

const listed = (size: ImageSize | undefined, quality: string | undefined): number => {
  const tokens = TOKENS[qualityOf(quality)]
  return tokens[SIZES.indexOf(`${size?.width}x${size?.height}`)] ?? Math.max(...tokens)
}

const LARGEST = 8_294_400
const AXIS: { readonly [name in Quality]: number } = { low: 16, medium: 48, high: 96 }

/**
 * gpt-image-2 makes images of any size: https://community.openai.com/t/1382699 (2026-11-22) has the formula of the vendor's own
 * calculator. No size is dearer than a square of as many pixels.
 */
const anySize = (size: ImageSize | undefined, quality: string | undefined): number => {
  const axis = AXIS[qualityOf(quality)]
  const { height, width } = size ?? { width: 1, height: 1 }
  const pixels = size === undefined ? LARGEST : Math.min(LARGEST, width * height)
  const short = Math.ceil((axis * Math.min(width, height)) / Math.max(width, height, 1))
  return Math.ceil((axis * short * (2_000_000 + pixels)) / 4_000_000)
}

/**
 * An image to start from: 65 tokens and 129 for each tile (https://community.openai.com/t/1281361, where one tile was billed as 194),
 * at most four tiles, and up to 6,240 where it is kept to closely (https://community.openai.com/t/1275254/3; both 2026-11-22).
 * gpt-image-2 always keeps to it, and reads at most 1,536 patches (https://api.ai-karthik.com/news/4664, 2026-11-22), which is less.
 */
const source =
  (always: boolean): ImageRules["source"] =>
  (isFaithful) =>
    65 + 4 * 129 + (always || isFaithful ? 6_240 : 0)

/** Tokens of one preview: https://community.openai.com/t/1275254 (2026-11-22). */
const partial = 100

/** gpt-image-1.5 bills some 200 tokens of words with each image (https://community.openai.com/t/1369511, 2026-11-22). */
const WORDS = 2_000

/**
 * The guide's price for an image of gpt-image-1-mini is up to 0.0028 USD above that of its tokens, which is 350 tokens at 8 USD per
 * million.
 */
const SMALL_MORE = 400

const rules: ReadonlyArray<readonly [RegExp, ImageRules]> = [
  [/(?:^|\/)gpt-image-1-mini/, { image: (...of) => listed(...of) + SMALL_MORE, partial, source: source(false) }],
  [/(?:^|\/)gpt-image-1(?![.\d])/, { image: listed, partial, source: source(false) }],
  [/(?:^|\/)gpt-image-1\.5/, { image: (...of) => listed(...of) + WORDS, partial, source: source(false) }],
  [/(?:^|\/)gpt-image-2(?![.\d])/, { image: (...of) => anySize(...of) + WORDS, partial, source: source(true) }]
]

export const openAiDrawing = (model: string): ImageRules | undefined => rules.find(([match]) => match.test(model))?.[1]
