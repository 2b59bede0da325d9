/**
 * What Google bills for images, recordings, videos and documents. https://ai.google.dev/gemini-api/docs/tokens and
 * https://ai.google.dev/gemini-api/docs/media-resolution (2026-11-22), and recorded answers: a second of audio is 24 to 32 tokens, an image of
 * Gemini 3 at most 1,102 at the resolution that is used where none is asked for.
 */
import { type ModelFacts, noFacts } from "../../../core/domain/models/ModelFacts.ts"
import type { BoundRules, ImageRules } from "../../../core/domain/pricing/BoundRules.ts"
import { resolutionOf } from "../../protocols/gemini/images/GeminiImagesSize.ts"
import { formulaBounds } from "../Formulas.ts"

/** Of the tokens of its JSON in o200k at most 0.97 times as many were billed in 194 recorded requests, and 378 more with tools. */
const GEMINI_PER_O200K = 1.5

/** What comes with an image: thoughts, which Gemini 3 Pro has 700 to 900 tokens of (https://discuss.ai.google.dev/t/121299, 2026-11-22). */
const THOUGHTS = 4_096

/** Of a model that no one knows, as of the newest. */
const IMAGE = 1_120
const PAGE = 560
const AUDIO = 32

const RESOLUTIONS = ["1K", "2K", "4K"]

/**
 * Tokens of one image that it draws, by resolution; the catalogue's numbers are from
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models/gemini/3-1-flash-image and https://ai.google.dev/gemini-api/docs/pricing
 * (2026-11-22).
 */
const geminiDrawing = ({ protocol }: ModelFacts): ImageRules | undefined => {
  const tokens = protocol?.["drawing"]
  if (!Array.isArray(tokens)) return undefined
  return {
    // Without a size, Gemini 3 makes the smallest.
    image: (size) =>
      Number(tokens[size === undefined ? 0 : RESOLUTIONS.indexOf(resolutionOf(size))] ?? tokens.at(-1)) + THOUGHTS,
    partial: 0,
    source: () => IMAGE
  }
}

export const googleBounds = (facts: ModelFacts = noFacts): BoundRules => {
  const draws = geminiDrawing(facts)
  return {
    image: () => IMAGE,
    // The text of a page is not billed by Gemini 3, but by those before it.
    pageImage: PAGE,
    audioTokensPerSecond: AUDIO,
    ...formulaBounds(facts),
    // `maxOutputTokens` holds for thoughts too: https://ai.google.dev/gemini-api/docs/thinking and
    // https://github.com/googleapis/python-genai/issues/2062 (2026-11-22).
    reasoning: "inside",
    speaksWhenAsked: true,
    tokensPerO200k: GEMINI_PER_O200K,
    ...(draws === undefined ? {} : { drawing: draws })
  }
}
