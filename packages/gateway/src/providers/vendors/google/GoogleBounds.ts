/**
 * What Google bills for images, recordings, videos and documents. https://ai.google.dev/gemini-api/docs/tokens and
 * https://ai.google.dev/gemini-api/docs/media-resolution (2026-11-22), and recorded answers.
 */
import type { BoundRules, ImageRules } from "../../../core/domain/pricing/BoundRules.ts"
import type { ImageSize } from "../../../core/media/ImageSize.ts"
import { resolutionOf } from "../../protocols/gemini/images/Size.ts"

/** Tokens of a tile, and of a page or an image that is no larger than one. */
const TILE = 258
/** A side up to which an image is one tile. */
const SMALL = 384

/**
 * Before Gemini 3: tiles as large as two thirds of the shorter side, from 256 to 768 pixels, and one more for the whole image. Recorded:
 * 7 and 10 tiles.
 */
export const geminiTiles = ({ height, width }: ImageSize): number => {
  if (width <= SMALL && height <= SMALL) return TILE
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)))
  return TILE * (1 + Math.ceil(width / side) * Math.ceil(height / side))
}

/** Gemini 3, at the resolution that is used where none is asked for. Recorded: up to 1,102. */
const IMAGE = 1_120
const PAGE = 560

/** A second. Recorded: 24 to 32. */
export const GEMINI_AUDIO = 32

/** Of the tokens of its JSON in o200k at most 0.97 times as many were billed in 194 recorded requests, and 378 more with tools. */
export const GEMINI_PER_O200K = 1.5

/** What comes with an image: thoughts, which Gemini 3 Pro has 700 to 900 tokens of (https://discuss.ai.google.dev/t/121299, 2026-11-22). */
const THOUGHTS = 4_096

/**
 * Tokens of one image, by resolution. https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models/gemini/3-1-flash-image and
 * https://ai.google.dev/gemini-api/docs/pricing (2026-11-22).
 */
const drawings: ReadonlyArray<readonly [RegExp, { readonly [resolution in "1K" | "2K" | "4K"]: number }]> = [
  [/gemini-2\.\d.*image/, { "1K": 1_290, "2K": 1_290, "4K": 1_290 }],
  // A newer one draws no more than the two that are known.
  [/gemini-.*image|nano-banana/, { "1K": 1_120, "2K": 1_680, "4K": 2_520 }]
]

export const geminiDrawing = (model: string): ImageRules | undefined => {
  const tokens = drawings.find(([match]) => match.test(model))?.[1]
  if (tokens === undefined) return undefined
  return {
    // Without a size, Gemini 3 makes the smallest.
    image: (size) => tokens[size === undefined ? "1K" : resolutionOf(size)] + THOUGHTS,
    partial: 0,
    source: () => IMAGE
  }
}

const IS_OLD = /gemini-(?:1|2)[.-]|gemini-pro(?:-vision)?$|gemma/

export const googleBounds = (model: string): BoundRules => {
  const isOld = IS_OLD.test(model)
  const draws = geminiDrawing(model)
  return {
    image: isOld ? (size) => (size === undefined ? undefined : geminiTiles(size)) : () => IMAGE,
    // The text of a page is not billed by Gemini 3, but by those before it.
    pageImage: isOld ? TILE : PAGE,
    audioTokensPerSecond: GEMINI_AUDIO,
    // `maxOutputTokens` holds for thoughts too: https://ai.google.dev/gemini-api/docs/thinking and
    // https://github.com/googleapis/python-genai/issues/2062 (2026-11-22).
    reasoning: "inside",
    speaksWhenAsked: true,
    tokensPerO200k: GEMINI_PER_O200K,
    ...(draws === undefined ? {} : { drawing: draws })
  }
}
