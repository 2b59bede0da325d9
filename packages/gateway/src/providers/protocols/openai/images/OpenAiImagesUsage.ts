/** What images used: as many as came where a deployment bills by the image, else the tokens that the provider tells. */
import { noUsage, totalTokens, type Usage } from "../../../../core/domain/Usage.ts"
import { isPerImage } from "../../../../core/operations/images/ImageBilling.ts"
import { billedImages, imageScale } from "../../../../core/operations/images/ImageScale.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { isObject, objectOr } from "../../../json/LooseJson.ts"

/** `raw`: the `usage` of an answer with so many images. Undefined where tokens are billed and the provider told none. */
export const imagesUsage = (raw: unknown, images: number, { deployment, request }: UpstreamCall): Usage | undefined => {
  const { price } = deployment
  if (isPerImage(price)) return { ...noUsage, images: billedImages(deployment, images, imageScale(request.body)) }
  const told = tokensOf(raw)
  return told === undefined && price === undefined ? { ...noUsage, images } : told
}

const tokensOf = (raw: unknown): Usage | undefined => {
  if (!isObject(raw)) return undefined
  const { input_tokens: read, output_tokens: written } = raw
  if (!isCount(read) || !isCount(written)) return undefined
  const imageInput = within(read, objectOr(raw["input_tokens_details"])["image_tokens"])
  const output = within(written, objectOr(raw["output_tokens_details"])["text_tokens"])
  const usage = { ...noUsage, input: read - imageInput, imageInput, output, imageOutput: written - output }
  return totalTokens(usage) === 0 ? undefined : usage
}

/** A part can't exceed what it is a part of. */
const within = (whole: number, part: unknown): number => (isCount(part) ? Math.min(whole, part) : 0)

/** No answer has more tokens; what claims to is garbage. */
const MOST_TOKENS = 1e9

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_TOKENS
