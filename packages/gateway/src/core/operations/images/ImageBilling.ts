/** What images cost: by the image, by size and quality, if the deployment has a price for an image; else by the token. */
import { Effect } from "effect"
import { type Bound, zeroBound } from "../../domain/pricing/Bound.ts"
import type { ImageRules } from "../../domain/pricing/BoundRules.ts"
import type { Deployment } from "../../domain/Deployment.ts"
import { Unsupported } from "../../domain/Failures.ts"
import { cannot, type PriceSheet } from "../../domain/pricing/Pricing.ts"
import { noUsage, type Usage } from "../../domain/Usage.ts"
import type { ImageSize } from "@model-gateway/protocol/files"
import type { Billing } from "../CallRequest.ts"
import { countAll } from "../Tokens.ts"
import { billedImages, type ImageScale } from "./ImageScale.ts"
import { imageVariant } from "./ImageVariant.ts"

interface AskedImages {
  readonly scale: ImageScale
  readonly images: number
  /** Previews of each image. */
  readonly partials: number
  /** As the caller wrote them; undefined: absent. */
  readonly size: string | undefined
  readonly quality: string | undefined
  /** Images to start from, with the mask. */
  readonly sources: number
  /** The images to start from are to be kept to closely. */
  readonly isFaithful: boolean
  readonly prompt: string
  readonly textBound: number
}

export const imageBilling = (asked: AskedImages): Billing => ({
  bound: (deployment) => boundOf(deployment, asked),
  unpriced: ({ bounds }, sheet) => {
    if (isPerImage(sheet) || bounds?.drawing === undefined) return isPerImage(sheet) ? undefined : "images"
    const { imageInput, imageOutput, input } = sheet.ratesAt(0).base
    if (Number.isNaN(imageOutput)) return "imageOutput"
    if (Number.isNaN(input)) return "input"
    return asked.sources > 0 && Number.isNaN(imageInput) ? "imageInput" : undefined
  },
  variant: (sheet) => imageVariant(sheet, asked.size, asked.quality),
  estimate: (deployment) => estimated(deployment, asked)
})

/** Whether images have a price of their own. */
export const isPerImage = (sheet: PriceSheet | undefined): boolean =>
  sheet !== undefined && !Number.isNaN(sheet.ratesAt(0).base.images)

const boundOf = (deployment: Deployment, asked: AskedImages): Bound | Unsupported => {
  const { bounds, id, price } = deployment
  if (isPerImage(price)) return { ...NO_TOKENS, units: { images: billedImages(deployment, asked.images, asked.scale) } }
  if (bounds?.drawing === undefined) {
    return new Unsupported({
      param: "model",
      code: "cost_unbounded",
      message: `a budget requires a known maximum cost, and the gateway does not know in how many tokens ${id} writes an image. The operator can give the deployment a \`price.image\``
    })
  }
  const { drawing } = bounds
  return {
    ...NO_TOKENS,
    // A request for several images is billed as so many requests.
    input: (asked.textBound + readIn(drawing, asked)) * asked.images,
    unlimitedOutput: writtenIn(drawing, asked)
  }
}

const NO_TOKENS: Bound = { ...zeroBound, cannot: cannot.speak | cannot.cache }

/** The most tokens of the images to start from. */
const readIn = (drawing: ImageRules, { isFaithful, sources }: AskedImages): number =>
  sources * drawing.source(isFaithful)

/** The most tokens of one image and its previews. */
const writtenIn = (drawing: ImageRules, { partials, quality, size }: AskedImages): number =>
  drawing.image(sizeIn(size), quality) + partials * drawing.partial

const sizeIn = (size: string | undefined): ImageSize | undefined => {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(size ?? "") ?? []
  return width === undefined ? undefined : { width: Number(width), height: Number(height) }
}

/** A response that broke off was made all the same: vendors bill all of it. */
const estimated = (deployment: Deployment, asked: AskedImages): Effect.Effect<Usage> => {
  const { bounds, price, protocol } = deployment
  const { images, prompt } = asked
  const { drawing } = bounds ?? {}
  if (isPerImage(price) || drawing === undefined) {
    return Effect.succeed({ ...noUsage, images: billedImages(deployment, asked.images, asked.scale) })
  }
  return Effect.map(countAll(prompt, protocol), (input) => ({
    ...noUsage,
    input: input * images,
    imageInput: readIn(drawing, asked) * images,
    imageOutput: writtenIn(drawing, asked) * images
  }))
}
