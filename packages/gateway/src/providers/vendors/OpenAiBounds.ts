import { type ModelFacts, noFacts } from "../../core/domain/models/ModelFacts.ts"
import type { BoundRules, ImageRules } from "../../core/domain/pricing/BoundRules.ts"
import type { ImageSize } from "@model-gateway/protocol/files"
import { formulaBounds } from "./Formulas.ts"

type Quality = "low" | "medium" | "high"

/** `auto` and unknown words count as the most expensive. */
const qualityOf = (told: string | undefined): Quality => (told === "low" || told === "medium" ? told : "high")

/** Square, portrait, landscape. The vendor's table as copied at https://community.openai.com/t/1371851 (2026-11-22). */
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
 * calculator. No size is more expensive than a square of as many pixels.
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

const formulas: ReadonlyMap<unknown, ImageRules["image"]> = new Map([
  ["listed", listed],
  ["any_size", anySize]
])

/** `more`: tokens billed with each image. `faithful`: sources are always kept to closely. Undefined: it draws nothing by the token. */
export const drawingRules = ({ drawing = {} }: ModelFacts): ImageRules | undefined => {
  const { faithful, formula, more = 0 } = drawing
  const image = formulas.get(formula)
  if (image === undefined || typeof more !== "number") return undefined
  return { image: (...of) => image(...of) + more, partial, source: source(faithful === 1) }
}

/**
 * Of cl100k, in completions and embeddings. Of 3,921 prompts in prose, code and mathematics none had more than 1.13 times as many tokens
 * as are held for a factor of 1.
 */
const CL100K_PER_O200K = 1.5

export const openAiBounds = (_model: string, facts: ModelFacts = noFacts): BoundRules => {
  const { audio, operations, protocol, tokenizer } = facts
  const { image } = formulaBounds(facts)
  const page = image?.(undefined, "high")
  const drawing = drawingRules(facts)
  const mostSeconds = audio?.["mostSeconds"]
  return {
    ...(image === undefined ? {} : { image }),
    ...(drawing === undefined ? {} : { drawing }),
    // A page is its text and a picture of it: https://platform.openai.com/docs/guides/pdf-files (2026-11-22).
    ...(page === undefined ? {} : { pageImage: page }),
    // Billed at the price of gpt-4o's images, and so as many more tokens: the guide says that they don't fill the window.
    ...(protocol?.["imagesExceedWindow"] === true ? { imagesExceedWindow: true } : {}),
    // A token for 100 ms of a user's audio: https://platform.openai.com/docs/guides/realtime-costs (2026-11-22).
    audioTokensPerSecond: 10,
    // "longer than 1500 seconds which is the maximum for this model": https://community.openai.com/t/1306684 (2026-11-22).
    ...(typeof mostSeconds === "number" ? { mostAudioSeconds: mostSeconds } : {}),
    // `max_completion_tokens` holds for reasoning too: https://platform.openai.com/docs/guides/reasoning (2026-11-22).
    reasoning: "inside",
    // https://platform.openai.com/docs/guides/audio (2026-11-22).
    speaksWhenAsked: true,
    // https://github.com/openai/tiktoken/blob/main/tiktoken/model.py (2026-11-22), and the catalogue's sources.
    ...(tokenizer === "o200k" ? { tokenizer } : {}),
    ...(tokenizer === "cl100k" && operations?.includes("chat") !== true ? { tokensPerO200k: CL100K_PER_O200K } : {})
  }
}
