/**
 * The `size` of an image in Gemini's terms: a ratio of its sides, and for Gemini 3 a class of resolution.
 * https://ai.google.dev/gemini-api/docs/image-generation (2026-11-22).
 */
import type { ImageSize } from "@model-gateway/protocol/files"

const RATIOS: ReadonlyArray<readonly [width: number, height: number]> = [
  [1, 1],
  [2, 3],
  [3, 2],
  [3, 4],
  [4, 3],
  [4, 5],
  [5, 4],
  [9, 16],
  [16, 9],
  [21, 9]
]

export const ratioOf = ({ height, width }: ImageSize) => {
  const wanted = Math.log(width / height)
  const off = ([w, h]: readonly [number, number]) => Math.abs(Math.log(w / h) - wanted)
  const [w, h] = RATIOS.reduce((best, one) => (off(one) < off(best) ? one : best))
  return { name: `${w}:${h}`, isExact: w * height === h * width }
}

/** `1K` is the default, and has up to some 1,600 pixels on its longer side. */
export const resolutionOf = ({ height, width }: ImageSize): "1K" | "2K" | "4K" => {
  const longer = Math.max(width, height)
  return longer <= 1_600 ? "1K" : longer <= 3_200 ? "2K" : "4K"
}

/** `<width>x<height>`; undefined for `auto` and anything else. */
export const sizeIn = (size: unknown): ImageSize | undefined => {
  const [, width, height] = (typeof size === "string" && /^(\d{1,5})x(\d{1,5})$/.exec(size)) || []
  return width === undefined || Number(width) === 0 || Number(height) === 0
    ? undefined
    : { width: Number(width), height: Number(height) }
}
