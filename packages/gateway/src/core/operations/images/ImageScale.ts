/**
 * Where a vendor bills by pixel and step, up to 1024x1024 in 20 steps (4 of a fast model) have the usual price
 * (https://www.together.ai/pricing, 2026-11-27).
 */
import type { Deployment } from "../../domain/Deployment.ts"
import type { JsonObject } from "../../domain/Json.ts"

export interface ImageScale {
  /** In images of 1024x1024, at least 1. */
  readonly pixels: number
  /** 0: the vendor's own number. */
  readonly steps: number
  /** As in `size`: a resolution, or width and height; undefined where the request names neither. */
  readonly size: string | undefined
}

/** Fields that are whole numbers, in forms as texts. */
export const DIMENSIONS = ["width", "height", "steps", "num_inference_steps"] as const

const USUAL_SIDE = 1_024
const USUAL_STEPS = 20
const FAST = /schnell|turbo|lightning/i
const FAST_STEPS = 4
/** In usual sides, for a resolution that is no number: the largest that a vendor is known to make. */
const MOST_SIDES = 4

/** `fields` were checked. `resolution`: `2k` is twice as wide and twice as high as usual. */
export const imageScale = (fields: JsonObject): ImageScale => {
  const [width, height, steps, inferenceSteps] = DIMENSIONS.map((name) => Number(fields[name] ?? 0))
  const { resolution } = fields
  const named = /^(\d{1,2}(?:\.\d)?)k$/i.exec(String(resolution))?.[1]
  const sides = resolution === undefined || resolution === null ? 1 : Number(named ?? MOST_SIDES)
  const area = ((width || USUAL_SIDE) * (height || USUAL_SIDE)) / USUAL_SIDE ** 2
  return {
    pixels: Math.max(1, area, sides * sides),
    steps: Math.max(steps!, inferenceSteps!),
    size:
      named !== undefined
        ? String(resolution).toLowerCase()
        : width! > 0 && height! > 0
          ? `${width}x${height}`
          : undefined
  }
}

/** How many images of the usual price these cost, each rounded up. A size that has a price of its own is not scaled by its pixels. */
export const billedImages = ({ model, price }: Deployment, images: number, scale: ImageScale): number => {
  const { pixels, size, steps } = scale
  const isPriced = size !== undefined && [...(price?.serviceTiers?.keys() ?? [])].some((name) => name.endsWith(size))
  return (
    images * Math.ceil((isPriced ? 1 : pixels) * Math.max(1, steps / (FAST.test(model) ? FAST_STEPS : USUAL_STEPS)))
  )
}
