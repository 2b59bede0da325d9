/** Streamed images: previews, then an event with the complete image and what it used. */
import { truncated } from "../../../../core/domain/Failures.ts"
import { noUsage, plus, totalTokens, type Usage } from "../../../../core/domain/Usage.ts"
import type { WireEvent } from "../../../../core/pool/Framing.ts"
import type { StreamLifter, UpstreamCall, LiftedAnswer, StreamEvent } from "../../../../core/pool/Protocol.ts"
import { isObject, objectOr, objectsIn, textOf, isGarbage, type JsonObject } from "../../../json/LooseJson.ts"
import { CallEvents } from "../../shared/JsonEvents.ts"
import { reportedIn } from "../OpenAiErrors.ts"
import { isPerImage } from "../../../../core/operations/images/ImageBilling.ts"
import { billedImages, imageScale } from "../../../../core/operations/images/ImageScale.ts"

export const stream = (call: UpstreamCall): StreamLifter => new ImagesStream(call)

class ImagesStream extends CallEvents {
  private completed = 0
  private usage: Usage | undefined
  /** Every complete image so far reported its usage. */
  private isReported = true

  override push(event: WireEvent): ReadonlyArray<StreamEvent> {
    return event.data.trim() === "[DONE]" && !this.closed ? [...this.end(), { kind: "done" }] : super.push(event)
  }

  protected step(event: JsonObject, out: Array<StreamEvent>, kind: string, data: string): boolean {
    const failure = reportedIn(event, kind)
    if (failure !== undefined) return this.fail(failure, out)
    const { b64_json: base64, type } = event
    const hasImage = textOf(base64) !== undefined
    const name = typeof type === "string" ? type : kind
    if (name.endsWith(".completed")) {
      if (hasImage) this.finish(event, data, out)
      return hasImage
    }
    out.push({ kind: hasImage && name.endsWith(".partial_image") ? "content" : "lifecycle", data })
    return true
  }

  override end(): ReadonlyArray<StreamEvent> {
    if (this.closed) return []
    this.closed = true
    return this.isReported && this.usage !== undefined ? [{ kind: "usage", data: "", usage: this.usage }] : []
  }

  private finish(event: JsonObject, data: string, out: Array<StreamEvent>): void {
    this.completed++
    const usage = imagesUsage(event["usage"], 1, this.call)
    if (usage === undefined) this.isReported = false
    else this.usage = this.usage === undefined ? usage : plus(this.usage, usage)
    out.push({ kind: "finish", data })
    if (this.completed >= this.call.request.choices) out.push(...this.end())
  }
}

/** A provider that does not stream answers with all images at once. */
export const replay = (
  { body, usage }: LiftedAnswer,
  { now }: UpstreamCall,
  prefix: string
): ReadonlyArray<StreamEvent> => {
  const { background, created, data, output_format: format, quality, size, usage: told } = body
  const images = objectsIn(data)
  if (images.some(({ b64_json: base64 }) => textOf(base64) === undefined)) {
    const failure = truncated("the provider responded to a stream request with addresses of images")
    return [{ kind: "failed", failure }]
  }
  const events = images.map(({ b64_json: base64 }, index): StreamEvent => {
    const event = {
      type: `${prefix}.completed`,
      b64_json: base64,
      created_at: created ?? Math.floor(now / 1000),
      size: size ?? "auto",
      quality: quality ?? "auto",
      background: background ?? "auto",
      output_format: format ?? "png",
      // It is that of all images.
      ...(index === images.length - 1 && isObject(told) ? { usage: told } : undefined)
    }
    return { kind: "finish", data: JSON.stringify(event) }
  })
  return usage === undefined ? events : [...events, { kind: "usage", data: "", usage }]
}

/** As many images as came where a deployment bills by the image, else the tokens that the provider reports. */
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

const within = (whole: number, part: unknown): number => (isCount(part) ? Math.min(whole, part) : 0)

const isCount = (value: unknown): value is number => Number.isInteger(value) && !isGarbage(value)
