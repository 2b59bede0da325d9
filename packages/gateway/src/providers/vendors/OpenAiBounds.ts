/**
 * What OpenAI bills for images, audio and files. https://developers.openai.com/api/docs/guides/images-vision (2026-11-22, as copied
 * on GitHub): 32-pixel patches for the newer models, 512-pixel tiles for the older ones.
 */
import type { BoundRules } from "../../core/domain/pricing/BoundRules.ts"
import type { ImageSize } from "../../core/media/ImageSize.ts"
import { openAiDrawing } from "./OpenAiImages.ts"

type ImageRule = NonNullable<BoundRules["image"]>

const MAX_SIDE = 2048
const SHORT_SIDE = 768
const TILE = 512
/** A square of 2048 pixels, its short side brought down to 768: as many tiles as there can be. */
const MOST_TILES = 8

const tiles =
  (base: number, each: number): ImageRule =>
  (size, detail) =>
    detail === "low" ? base : base + each * (size === undefined ? MOST_TILES : tilesOf(size))

/** The guide scales the short side to 768 also where it is less; what is billed is less then. */
const tilesOf = ({ height, width }: ImageSize): number => {
  const shrunk = Math.min(1, MAX_SIDE / Math.max(width, height))
  const scale = Math.min((shrunk * SHORT_SIDE) / (shrunk * Math.min(width, height)), MAX_SIDE / Math.max(width, height))
  return Math.min(MOST_TILES, Math.ceil((width * scale) / TILE) * Math.ceil((height * scale) / TILE))
}

/** `budgets`: the most patches by detail; left out: as many as the image has. `low` is no less for these models, as measured. */
const patches =
  (
    multiplier: number,
    budgets: { readonly high: number; readonly auto?: number; readonly original?: number }
  ): ImageRule =>
  (size, detail) => {
    const named = detail === "original" ? "original" : detail === "high" || detail === "low" ? "high" : "auto"
    const most = budgets[named] ?? Number.POSITIVE_INFINITY
    const count = size === undefined ? most : Math.min(most, Math.ceil(size.width / 32) * Math.ceil(size.height / 32))
    return Number.isFinite(count) ? Math.ceil(count * multiplier) : undefined
  }

const SMALL = { high: 1536, auto: 1536, original: 1536 }
const MEDIUM = { high: 2500, auto: 2500, original: 2500 }

/** The first that matches counts. */
const images: ReadonlyArray<readonly [RegExp, ImageRule]> = [
  [/^gpt-(?:5\.[6-9]|[6-9]).*(?:mini|nano)/, patches(2.46, { high: 2500 })],
  [/^gpt-(?:5\.[6-9]|[6-9])/, patches(1.2, { high: 2500 })],
  [/^gpt-5\.5/, patches(1.2, { high: 2500, auto: 10_000, original: 10_000 })],
  // Measured: small models are billed up to 2,500 patches, too (https://community.openai.com/t/1377015, 2026-11-22).
  [/^gpt-5(?:\.\d)?-nano/, patches(2.46, MEDIUM)],
  [/^gpt-5(?:\.\d)?-mini/, patches(1.62, MEDIUM)],
  [/^gpt-5\.4/, patches(1.2, { high: 2500, auto: 2500, original: 10_000 })],
  [/^gpt-5\.[23]|^gpt-5.*codex/, patches(1.72, MEDIUM)],
  [/^gpt-5(?:\.1)?(?![.\d])/, tiles(70, 140)],
  [/^o4-mini|^codex-mini/, patches(1.72, SMALL)],
  [/^gpt-4\.1-mini/, patches(1.62, SMALL)],
  [/^gpt-4\.1-nano/, patches(2.46, SMALL)],
  [/^gpt-4o-mini/, tiles(2833, 5667)],
  [/^gpt-4(?:o|\.1|\.5|-turbo|-vision|-1106-vision)/, tiles(85, 170)],
  [/^(?:o1|o3)(?!-mini)/, tiles(75, 150)],
  [/^computer-use-preview/, tiles(65, 129)]
]

/** Their tokenizer is o200k: https://github.com/openai/tiktoken/blob/main/tiktoken/model.py (2026-11-22). */
const O200K = /^(?:ft:)?(?:gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|o[134])/

/**
 * Their tokenizer is cl100k (same source). Of 3,921 prompts in prose, code and mathematics none had more than 1.13 times as many tokens
 * as are held for a factor of 1.
 */
const CL100K = /^(?:text-embedding-(?:3|ada-002)|gpt-3\.5-turbo-instruct|(?:davinci|babbage)-002)/
const CL100K_PER_O200K = 1.5

export const openAiBounds = (model: string): BoundRules => {
  const image = images.find(([family]) => family.test(model.replace(/^ft:/, "")))?.[1]
  const page = image?.(undefined, "high")
  const drawing = openAiDrawing(model)
  return {
    ...(image === undefined ? {} : { image }),
    ...(drawing === undefined ? {} : { drawing }),
    // A page is its text and a picture of it: https://platform.openai.com/docs/guides/pdf-files (2026-11-22).
    ...(page === undefined ? {} : { pageImage: page }),
    // Billed at the price of gpt-4o's images, and so as many more tokens: the guide says that they don't fill the window.
    ...(/gpt-4o-mini/.test(model) ? { imagesExceedWindow: true } : {}),
    // A token for 100 ms of a user's audio: https://platform.openai.com/docs/guides/realtime-costs (2026-11-22).
    audioTokensPerSecond: 10,
    // "longer than 1500 seconds which is the maximum for this model": https://community.openai.com/t/1306684 (2026-11-22).
    ...(/^gpt-4o(?:-mini)?-transcribe/.test(model) ? { mostAudioSeconds: 1_500 } : {}),
    // `max_completion_tokens` holds for reasoning too: https://platform.openai.com/docs/guides/reasoning (2026-11-22).
    reasoning: "inside",
    // https://platform.openai.com/docs/guides/audio (2026-11-22).
    speaksWhenAsked: true,
    ...(O200K.test(model) ? { tokenizer: "o200k" as const } : {}),
    ...(CL100K.test(model) ? { tokensPerO200k: CL100K_PER_O200K } : {})
  }
}
