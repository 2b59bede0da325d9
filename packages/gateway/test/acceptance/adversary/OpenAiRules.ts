/**
 * What OpenAI's models bill, from the vendor's pages as stored copies have them (read 2026-11-22):
 *
 * - images: https://platform.openai.com/docs/guides/images-vision ("Calculating costs"): copies at
 *   openai-hd4n6.mintlify.app/docs/guides/images and, with the multipliers of all models,
 *   community.openai.com/t/1344040 and /1377015. Where page and invoice disagreed (gpt-5-mini: 1.62 on the page, 1.2 billed),
 *   the page counts here: it is the dearer.
 * - PDFs: https://developers.openai.com/api/docs/guides/pdf-files: "both extracted text and an image of each page".
 * - audio: https://developers.openai.com/api/docs/guides/realtime-costs: 1 token per 100 ms from the user, 1 per 50 ms of an answer.
 * - messages: https://developers.openai.com/cookbook/examples/how_to_count_tokens_with_tiktoken: 3 tokens a message, 1 a name, 3 for
 *   the answer. Tools are billed as the text of their JSON: their true form is not published.
 */
import type { Rules } from "./Rules.ts"
import { tokensIn } from "./Tokens.ts"

interface Tiles {
  readonly base: number
  readonly tile: number
}

/** Scaled into 2048 × 2048, then the shorter side to 768, then counted in squares of 512. `low` costs the base alone. */
export const tileTokens = ({ base, tile }: Tiles, width: number, height: number, detail: string): number => {
  if (detail === "low") return base
  const into = Math.min(1, 2048 / Math.max(width, height))
  const scale = into * Math.min(1, 768 / (into * Math.min(width, height)))
  return base + tile * Math.ceil(rounded(width * scale) / 512) * Math.ceil(rounded(height * scale) / 512)
}

/** Squares of 32, at most 1,536 of them, after the image was scaled to fit; `detail` changes nothing. */
export const patchTokens = (multiplier: number, width: number, height: number): number => {
  const across = (pixels: number) => Math.ceil(rounded(pixels) / 32)
  const patches = across(width) * across(height)
  if (patches <= 1536) return Math.ceil(patches * multiplier)
  const shrink = Math.sqrt((1536 * 32 ** 2) / (width * height))
  const w = (width * shrink) / 32
  const h = (height * shrink) / 32
  const fit = shrink * Math.min(Math.max(1, Math.floor(w)) / w, Math.max(1, Math.floor(h)) / h)
  return Math.ceil(Math.min(1536, across(width * fit) * across(height * fit)) * multiplier)
}

/** A size that is whole but for the arithmetic. */
const rounded = (pixels: number): number => Math.round(pixels * 1e6) / 1e6

const rules = (image: Rules["image"]): Rules => ({
  text: tokensIn,
  message: 3,
  name: 1,
  request: 3,
  tools: 0,
  image,
  page: ({ height, text, width }) => image((width / 72) * 150, (height / 72) * 150, "high") + tokensIn(text),
  audio: (seconds) => Math.ceil(seconds * 10),
  video: undefined
})

export const tiled = (base: number, tile: number): Rules =>
  rules((width, height, detail) => tileTokens({ base, tile }, width, height, detail))

export const patched = (multiplier: number): Rules => rules((width, height) => patchTokens(multiplier, width, height))
