/** How many tokens an image or a page takes: formulas by name, whose numbers are in the model catalogue. */
import type { ModelFacts } from "../../core/domain/models/ModelFacts.ts"
import type { BoundRules } from "../../core/domain/pricing/BoundRules.ts"
import type { ImageSize } from "@model-gateway/protocol/files"

type Numbers = NonNullable<ModelFacts["images"]>
type ImageBound = NonNullable<BoundRules["image"]>

/** NaN where the catalogue has no such number: then nothing is bounded. */
const numberIn = (numbers: Numbers, name: string): number => {
  const value = numbers[name]
  return typeof value === "number" ? value : Number.NaN
}

const fixed = (numbers: Numbers): ImageBound => {
  const tokens = numberIn(numbers, "tokens")
  return () => tokens
}

/**
 * Anthropic's: a token for each block of 28 by 28 pixels, by older pages width × height / 750; an image with a side above `edge` pixels is
 * scaled down first. https://platform.claude.com/docs/en/build-with-claude/vision (2026-11-22, as copied on GitHub).
 */
const blocks = (numbers: Numbers): ImageBound => {
  const [most, edge] = [numberIn(numbers, "most"), numberIn(numbers, "edge")]
  return (size) => {
    if (size === undefined) return most
    const scale = Math.min(1, edge / Math.max(size.width, size.height))
    const [width, height] = [Math.ceil(size.width * scale), Math.ceil(size.height * scale)]
    const covered = Math.ceil(width / 28) * Math.ceil(height / 28)
    return Math.min(most, Math.max(covered, Math.ceil((width * height) / 750)))
  }
}

/**
 * Gemini's before 3: tiles as large as two thirds of the shorter side, from 256 to 768 pixels, and one more for the whole image. Recorded:
 * 7 and 10 tiles. An image with no side above `small` is one.
 */
const tiles = (numbers: Numbers): ImageBound => {
  const [tile, small] = [numberIn(numbers, "tile"), numberIn(numbers, "small")]
  const ofSize = ({ height, width }: ImageSize): number => {
    if (width <= small && height <= small) return tile
    const side = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)))
    return tile * (1 + Math.ceil(width / side) * Math.ceil(height / side))
  }
  return (size) => (size === undefined ? undefined : ofSize(size))
}

/**
 * Pixtral's: scaled to at most `side` pixels a side, a token for each `patch` pixels in both directions and one for each row.
 * `src/mistral_common/tokens/tokenizers/image.py` in https://github.com/mistralai/mistral-common (05a47dc, read 2026-11-22).
 */
const rows = (numbers: Numbers): ImageBound => {
  const [side, patch] = [numberIn(numbers, "side"), numberIn(numbers, "patch")]
  return (size) => {
    const { height, width } = size ?? { width: side, height: side }
    const scale = Math.min(1, side / Math.max(width, height))
    const patches = (pixels: number) => Math.max(1, Math.ceil(Math.ceil(pixels * scale) / patch))
    return (patches(width) + 1) * patches(height)
  }
}

/** A square of 2048 pixels, its short side brought down to 768: as many tiles of 512 pixels as there can be. */
const MOST_TILES = 8

/**
 * OpenAI's older one: `base`, and `each` for each tile of 512 pixels. The guide scales the short side to 768 also where it is less; what
 * is billed is less then. https://developers.openai.com/api/docs/guides/images-vision (2026-11-22, as copied on GitHub), as for `patches`.
 */
const scaledTiles = (numbers: Numbers): ImageBound => {
  const [base, each] = [numberIn(numbers, "base"), numberIn(numbers, "each")]
  const tilesOf = ({ height, width }: ImageSize): number => {
    const shrunk = Math.min(1, 2048 / Math.max(width, height))
    const scale = Math.min((shrunk * 768) / (shrunk * Math.min(width, height)), 2048 / Math.max(width, height))
    return Math.min(MOST_TILES, Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512))
  }
  return (size, detail) => (detail === "low" ? base : base + each * (size === undefined ? MOST_TILES : tilesOf(size)))
}

/**
 * OpenAI's newer one: `multiplier` for each patch of 32 pixels. `high`, `auto`, `original`: the most patches by detail; left out: as many
 * as the image has. `low` is no less than `high`, as measured.
 */
const patches = (numbers: Numbers): ImageBound => {
  const multiplier = numberIn(numbers, "multiplier")
  const most = {
    high: numberIn(numbers, "high"),
    auto: numberIn(numbers, "auto"),
    original: numberIn(numbers, "original")
  }
  return (size, detail) => {
    const named = detail === "original" ? "original" : detail === "high" || detail === "low" ? "high" : "auto"
    const limit = Number.isNaN(most[named]) ? Number.POSITIVE_INFINITY : most[named]
    const count = size === undefined ? limit : Math.min(limit, Math.ceil(size.width / 32) * Math.ceil(size.height / 32))
    return Number.isFinite(count) ? Math.ceil(count * multiplier) : undefined
  }
}

const formulas: { readonly [name: string]: (numbers: Numbers) => ImageBound } = {
  fixed,
  blocks,
  tiles,
  rows,
  patches,
  scaled_tiles: scaledTiles
}

/** The bounds that the catalogue's formulas give. A formula that this version does not know bounds nothing. */
export const formulaBounds = ({ audio, images, pages }: ModelFacts): BoundRules => {
  const image = images === undefined ? undefined : formulas[String(images["formula"])]?.(images)
  const page = pages?.["formula"] === "fixed" ? pages["tokens"] : undefined
  const perSecond = audio?.["tokensPerSecond"]
  return {
    ...(image === undefined ? {} : { image: (size, detail) => finite(image(size, detail)) }),
    ...(typeof page === "number" ? { pageImage: page } : {}),
    ...(typeof perSecond === "number" ? { audioTokensPerSecond: perSecond } : {})
  }
}

const finite = (tokens: number | undefined): number | undefined =>
  tokens === undefined || Number.isNaN(tokens) ? undefined : tokens
