/** How many tokens OpenAI bills for images: formulas by name, whose numbers are in the model catalogue (`drawing`). */
import type { ModelFacts } from "../../core/domain/models/ModelFacts.ts"
import type { ImageRules } from "../../core/domain/pricing/BoundRules.ts"
import type { ImageSize } from "../../core/media/ImageSize.ts"

type Quality = "low" | "medium" | "high"

/** `auto` and unknown words count as the dearest. */
const qualityOf = (told: string | undefined): Quality => (told === "low" || told === "medium" ? told : "high")

/**
 * Tokens of one image: square, portrait, landscape. The vendor's table as copied at https://community.openai.com/t/1371851 (2026-11-22).
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
