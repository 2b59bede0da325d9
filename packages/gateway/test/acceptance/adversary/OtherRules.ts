/**
 * - Gemini: https://ai.google.dev/gemini-api/docs/tokens (stored copies, read 2026-11-22): an image is 258 tokens up to 384 × 384,
 *   else 258 for each tile. A tile is 768 × 768, and by https://ai.google.dev/gemini-api/docs/image-understanding the shorter side / 1.5,
 *   from 256 to 768, which is more of them; the dearer is billed here. Video 263 tokens a second and its sound 32; audio 32; a page of a document is an image.
 * - Servers of one's own: what their templates make of a request is their operator's to know. They count text as o200k does here,
 *   with 8 tokens a message, and images in tiles of 560 pixels, at most four, 1,601 tokens each
 *   (https://docs.together.ai/docs/vision-overview, read 2026-11-22).
 */
import type { Rules } from "./Rules.ts"
import { tokensIn } from "./Tokens.ts"

const geminiImage: Rules["image"] = (width, height) => {
  if (width <= 384 && height <= 384) return 258
  const tile = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)))
  return 258 * Math.ceil(width / tile) * Math.ceil(height / tile)
}

export const gemini: Rules = {
  text: tokensIn,
  message: 2,
  name: 1,
  request: 2,
  tools: 0,
  image: geminiImage,
  page: ({ text }) => 258 + tokensIn(text),
  audio: (seconds) => Math.ceil(seconds * 32),
  video: (seconds) => Math.ceil(seconds * (263 + 32))
}

export const ownServer: Rules = {
  text: tokensIn,
  message: 8,
  name: 1,
  request: 8,
  tools: 16,
  image: (width, height) => 1601 * (width > 560 ? 2 : 1) * (height > 560 ? 2 : 1),
  page: ({ text }) => tokensIn(text),
  audio: undefined,
  video: undefined
}
